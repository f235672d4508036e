"""Position features in games with the Keeper, for search bots."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from domain.games.battalia.bots import prospects
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import Seat


def void(state: BattaliaState) -> Collection[str]:
    """The core features that `of_two` replaces in two-player games."""
    return ("points_late",) if len(state.players) == 2 else ()


def of_two(state: BattaliaState, seat: Seat, held: int, errands: Collection[str]) -> Mapping[str, float]:
    """KEE-07: points weighted by the seat's share of keys, more as any player approaches the cities of KEE-06.

    Replaces ``points_late``, which grows as the map fills: with the Keeper, a full map does not end the game.
    ``errands`` are the squares where the seat wins a key that it needs (KEE-05). An own hero there counts as half a
    key.
    """
    late = min(1.0, max([crowned(state, other) for other in state.order]))
    near = max([prospects.closeness(state, seat, square) for square in errands], default=0.0)
    share = (held + near / 2) / len(state.order)
    return {"points_keys": scoring.points(state, seat) / 10 * share * late**2}


def crowned(state: BattaliaState, seat: Seat) -> float:
    """The seat's cities of level 4, as a share of those required by KEE-06."""
    goal: int = RULESETS[state.ruleset].modules["keeper_cities"]
    return scoring.top_cities(state, seat) / goal
