"""Who stands where, and who is whose enemy."""

from __future__ import annotations

from domain.battalia.modules import socket as npc
from domain.battalia.state import NOBODY, Hero, State
from domain.terms import Seat


def figures(state: State, seat: Seat, square: str) -> tuple[str, ...]:
    """The player's heroes on a square."""
    there = (hero for hero in state.heroes.values() if hero.square == square)
    return tuple(sorted(hero.id for hero in there if hero.seat == seat))


def heroes_of(state: State, seat: Seat) -> list[Hero]:
    """The player's heroes in the order of their names: how the state holds them must not matter."""
    return sorted((hero for hero in state.heroes.values() if hero.seat == seat), key=lambda hero: hero.id)


def enemies_on(state: State, seat: Seat, square: str) -> tuple[Seat, ...]:
    """Enemies with a figure there."""
    there = {hero.seat for hero in state.heroes.values() if hero.square == square and hero.seat != seat}
    return tuple(sorted(other for other in there if hostile(state, seat, other)))


def hostile(state: State, one: Seat, other: Seat) -> bool:
    """Whether two players are enemies; nobody is everybody's."""
    if one == other:
        return False
    return not state.modules or npc.adjusted(state, npc.Alliance(one, other)).hostile


def city_answers(state: State, seat: Seat, square: str) -> bool:
    """Whether a city there has to be fought (MAP-05)."""
    city = state.cities.get(square)
    return city is not None and (city.owner == NOBODY or hostile(state, seat, city.owner))
