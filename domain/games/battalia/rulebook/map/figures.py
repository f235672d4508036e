"""Positions of figures, and enemies."""

from __future__ import annotations

from operator import attrgetter

from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Alliance
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.state import NOBODY, BattaliaState, Hero
from domain.kernel.terms import Seat

_name = attrgetter("id")


def figures(state: BattaliaState, seat: Seat, square: str) -> tuple[str, ...]:
    there = [hero.id for hero in state.heroes.values() if hero.square == square and hero.seat == seat]
    return tuple(sorted(there))


def heroes_of(state: BattaliaState, seat: Seat) -> list[Hero]:
    """The player's heroes sorted by name, so that their order in the state has no effect."""
    own = [hero for hero in state.heroes.values() if hero.seat == seat]
    own.sort(key=_name)
    return own


def homes_of(state: BattaliaState, seat: Seat) -> tuple[str, ...]:
    """BAT-13: the player's cities of level 1 or more, the starting city first."""
    home = state.players[seat].home
    found = [name for name in roads.cities_of(state.cities, seat) if state.cities[name].level > 0]
    return tuple(sorted(found, key=lambda name: (name != home, name)))


def enemies_on(state: BattaliaState, seat: Seat, square: str) -> tuple[Seat, ...]:
    there = {hero.seat for hero in state.heroes.values() if hero.square == square}
    if not there:
        return ()
    return tuple(sorted(other for other in there if hostile(state, seat, other)))


def hostile(state: BattaliaState, one: Seat, other: Seat) -> bool:
    """Whether two players are enemies; `NOBODY` is the enemy of every player."""
    if one == other:
        return False
    return not registry.adjusts(state.modules, Alliance) or registry.adjusted(state, Alliance(one, other)).hostile


def city_answers(state: BattaliaState, seat: Seat, square: str) -> bool:
    """Whether a city on the square must be fought (MAP-05)."""
    city = state.cities.get(square)
    return city is not None and (city.owner == NOBODY or hostile(state, seat, city.owner))
