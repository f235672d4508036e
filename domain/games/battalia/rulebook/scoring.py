"""The end of the game, and its winners."""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.battalia.events import EndReached
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Ending, Ranking
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import hostile
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import OR_REFOUNDING
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import Outcome, Seat


def points(state: BattaliaState, seat: Seat) -> int:
    """MAP-06: the sum of the levels of the player's cities."""
    return sum([state.cities[name].level for name in roads.cities_of(state.cities, seat)])


def standings(state: BattaliaState) -> Mapping[Seat, int]:
    return {seat: points(state, seat) for seat in sorted(state.players)}


def top_cities(state: BattaliaState, seat: Seat) -> int:
    """The number of the player's cities of the highest level."""
    top = RULESETS[state.ruleset].top_level
    return sum([state.cities[name].level == top for name in roads.cities_of(state.cities, seat)])


def ending(state: BattaliaState) -> EndReached | None:
    """END-05: the end condition that is met, if any; checked after every event."""
    if state.ending or state.day < 0:
        return None
    first, *others = state.order
    if not any(hostile(state, first, other) for other in others):
        return EndReached("alone", "END-05")
    due = registry.adjusted(state, _board_ending(state))
    return EndReached(due.reason, due.clause) if due.reason else None


def _board_ending(state: BattaliaState) -> Ending:
    """END-01: the end condition of the board, before modules adjust it."""
    goal, top = state.options["victory_cities"], RULESETS[state.ruleset].top_level
    highest = [city.owner for city in state.cities.values() if city.level == top]
    if len(highest) >= goal and any(highest.count(seat) >= goal for seat in state.order):
        return Ending("cities", "END-01")
    if len(state.board) == state.columns * state.rows:
        return Ending("full-map", "END-01")
    refounding = RULESETS[state.ruleset].reads("square_left") == OR_REFOUNDING
    if not any(roads.sites(state, seat) or (refounding and roads.landless(state, seat)) for seat in state.order):
        return Ending("no-square", "END-01")
    return Ending("", "")


def outcome(state: BattaliaState) -> Outcome | None:
    """END-02: the outcome. None while the game continues."""
    if not state.ending:
        return None
    keys = {seat: _key(state, seat) for seat in state.order}
    ranking = registry.adjusted(state, Ranking(state.ending, keys)).keys
    best = max(ranking.values())
    winners = tuple(sorted(seat for seat, key in ranking.items() if key == best))
    return Outcome(state.ending, state.clause, winners, standings(state))


def _key(state: BattaliaState, seat: Seat) -> tuple[int, ...]:
    return (points(state, seat), top_cities(state, seat), len(roads.cities_of(state.cities, seat)))
