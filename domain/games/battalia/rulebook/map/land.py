"""One player's view of the map, computed once for an unchanged board and cities (MAP-01, END-03)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.roads import Memo, Network, Sites
from domain.games.battalia.state import BattaliaState, City
from domain.kernel.terms import OneOf, Seat

_LANDS = Memo(512)


@dataclass(frozen=True, slots=True)
class ReachableLand:
    """One player's view of the map, valid while board and cities do not change."""

    roads: Network
    landless: bool
    """END-03: has no city."""
    sites: Sites
    """Legal squares for a card: along the player's roads, or where a player without a city may start again."""
    cities: Mapping[int, OneOf]
    """The squares of the player's cities, by level."""


def land_of(state: BattaliaState, seat: Seat) -> ReachableLand:
    besides = state.columns, state.rows, seat, state.players[seat].home
    return _LANDS.get((state.board, state.cities), besides, lambda: _land(state, seat))


def _land(state: BattaliaState, seat: Seat) -> ReachableLand:
    free = roads.landless(state, seat)
    open_ = Sites(dict.fromkeys(free, roads.DIRECTIONS)) if free else roads.sites(state, seat)
    return ReachableLand(roads.network(state), bool(free), open_, _by_level(state.cities, seat))


def _by_level(cities: Mapping[str, City], seat: Seat) -> Mapping[int, OneOf]:
    found: dict[int, list[str]] = {}
    for name in roads.cities_of(cities, seat):
        found.setdefault(cities[name].level, []).append(name)
    return {level: OneOf("square", tuple(names)) for level, names in found.items()}
