"""What tells how a seat stands where there is the Keeper, for players who search."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from domain.battalia.bots import prospects
from domain.battalia.rulebook import scoring
from domain.battalia.rulesets import RULESETS
from domain.battalia.state import State
from domain.terms import Seat


def void(state: State) -> Collection[str]:
    """What `of_two` stands for in games for two."""
    return ("points_late",) if len(state.players) == 2 else ()


def of_two(state: State, seat: Seat, held: int, errands: Collection[str]) -> Mapping[str, float]:
    """KEE-07: points count by the share of the keys that the seat holds, the more the nearer somebody is to the cities of KEE-06.

    It stands for ``points_late``, which grows as the map fills: with the Keeper a full map ends nothing. ``errands`` is where the
    seat wins a key that it needs (KEE-05); a hero of its own there is half a key.
    """
    late = min(1.0, max([crowned(state, other) for other in state.order]))
    near = max([prospects.closeness(state, seat, square) for square in errands], default=0.0)
    share = (held + near / 2) / len(state.order)
    return {"points_keys": scoring.points(state, seat) / 10 * share * late**2}


def crowned(state: State, seat: Seat) -> float:
    """The seat's cities of level 4, as a share of those that KEE-06 asks for."""
    goal: int = RULESETS[state.ruleset].modules["keeper_cities"]
    return scoring.top_cities(state, seat) / goal
