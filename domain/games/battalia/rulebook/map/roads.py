"""Squares, exits and connections: reachability by road, and legal squares for a card."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from domain.games.battalia.cards import CARDS, EXITS, TERRAIN
from domain.games.battalia.state import BattaliaState, City
from domain.kernel.terms import OneOf, Seat

DIRECTIONS = "NESW"
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
_MOVE = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

T = TypeVar("T")


class Memo:
    """A cache of results by the identity of immutable mappings; drops the oldest first.

    It keeps references to the mappings, so that their ids are not reused.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[tuple[Any, ...], tuple[tuple[Any, ...], Any]] = OrderedDict()

    def get(self, things: tuple[Any, ...], extra: Any, make: Callable[[], T]) -> T:
        key = (*map(id, things), extra)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (things, make())
            if len(self._known) > self._size:
                self._known.popitem(last=False)
        value: T = found[1]
        return value


_NETWORKS = Memo(256)
_OWNED = Memo(512)
_SITES = Memo(512)
_JOINED = Memo(512)


def square(column: int, row: int) -> str:
    """The name of a square, column and row counted from 0."""
    return f"{chr(ord('A') + column)}{row + 1}"


def place(name: str) -> tuple[int, int]:
    """Column and row of a square, counted from 0."""
    return ord(name[0]) - ord("A"), int(name[1:]) - 1


@lru_cache(maxsize=16)
def squares(columns: int, rows: int) -> tuple[str, ...]:
    """Every square of a map, row by row."""
    return tuple(square(column, row) for row in range(rows) for column in range(columns))


@lru_cache(maxsize=16)
def beside(columns: int, rows: int) -> Mapping[str, Mapping[str, str]]:
    """The neighbors of each square by direction."""
    return {name: dict(_around(name, columns, rows)) for name in squares(columns, rows)}


def _around(name: str, columns: int, rows: int) -> Iterable[tuple[str, str]]:
    column, row = place(name)
    for direction, (right, down) in _MOVE.items():
        if 0 <= column + right < columns and 0 <= row + down < rows:
            yield direction, square(column + right, row + down)


def neighbours(state: BattaliaState, name: str) -> Mapping[str, str]:
    """The neighbors of a square by direction."""
    return beside(state.columns, state.rows)[name]


def within_range(state: BattaliaState, name: str) -> tuple[str, ...]:
    """MAP-08: the square and the eight around it, within the map."""
    return _within_range(state.columns, state.rows, name)


@lru_cache(maxsize=1024)
def _within_range(columns: int, rows: int, name: str) -> tuple[str, ...]:
    column, row = place(name)
    near = [(column + right, row + down) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    return tuple(square(c, r) for c, r in near if 0 <= c < columns and 0 <= r < rows)


def on_edge(state: BattaliaState, name: str) -> bool:
    return len(neighbours(state, name)) < len(DIRECTIONS)


def terrain(state: BattaliaState, name: str) -> str:
    """The faction of the square's terrain; empty for the ruins and for squares without a card."""
    tile = state.board.get(name)
    return "" if tile is None or name == state.centre else CARDS[tile.card].faction


def terrain_name(faction: str) -> str:
    """SET-08: the terrain of a faction; empty if unknown."""
    return TERRAIN.get(faction, "")


def inward(state: BattaliaState, name: str) -> str:
    """SET-15: the exits of a square that do not leave the map."""
    return "".join(neighbours(state, name))


class Sites(dict[str, str]):
    """MAP-01: empty squares, each with the sides where a road arrives; never changed."""

    __slots__ = ("_places",)

    def __init__(self, sides: Mapping[str, str]) -> None:
        super().__init__(sides)
        self._places: dict[str, Sequence[tuple[OneOf, OneOf]]] = {}

    def places(self, shape: str) -> Sequence[tuple[OneOf, OneOf]]:
        """Squares, with the legal orientations of a card of the shape on each; computed once per shape."""
        found = self._places.get(shape)
        if found is None:
            groups: dict[tuple[str, ...], list[str]] = {}
            for name, sides in self.items():
                groups.setdefault(turnings(shape, sides), []).append(name)
            found = [(OneOf("square", tuple(names)), OneOf("exits", exits)) for exits, names in groups.items()]
            self._places[shape] = found
        return found


@dataclass(frozen=True, slots=True)
class Network:
    """The connections of the cards on the board."""

    links: Mapping[str, tuple[str, ...]]
    """MAP-02: for each square with a card, the squares a step may lead to."""
    part: Mapping[str, int]
    """MAP-10: squares with the same number are connected."""
    open: Mapping[int, Sites]
    """MAP-01: for each part the empty squares that its roads lead to, sorted by name."""
    terrain: Mapping[str, str]
    """The terrain of each square with a card, as `terrain` returns it."""


def network(state: BattaliaState) -> Network:
    """The roads of the current board."""
    return _NETWORKS.get((state.board,), (state.columns, state.rows, state.centre), lambda: _network(state))


def _network(state: BattaliaState) -> Network:
    leads, board = _leads(state.columns, state.rows), state.board
    links: dict[str, tuple[str, ...]] = {}
    ends: list[tuple[str, str, str]] = []
    for name, tile in board.items():
        joined = []
        for to, side in leads[name, tile.exits]:
            beyond = board.get(to)
            if beyond is None:
                ends.append((name, to, side))
            elif side in beyond.exits:
                joined.append(to)
        links[name] = tuple(joined)
    part = _parts(links)
    sides: dict[int, dict[str, str]] = {number: {} for number in part.values()}
    for name, to, side in ends:
        found = sides[part[name]]
        found[to] = found.get(to, "") + side
    land = {name: CARDS[tile.card].faction for name, tile in board.items() if name != state.centre}
    land[state.centre] = ""
    return Network(links, part, {number: _in_order(found) for number, found in sides.items()}, land)


class _Leads(dict[tuple[str, str], tuple[tuple[str, str], ...]]):
    """The squares that the roads of a card lead to, with the sides on which they arrive; by square and exits."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__()
        self._around = beside(columns, rows)

    def __missing__(self, lying: tuple[str, str]) -> tuple[tuple[str, str], ...]:
        name, exits = lying
        around = self._around[name]
        found = self[lying] = tuple([(around[way], OPPOSITE[way]) for way in exits if way in around])
        return found


_leads = lru_cache(maxsize=16)(_Leads)


def _parts(links: Mapping[str, Sequence[str]]) -> dict[str, int]:
    part: dict[str, int] = {}
    for number, name in enumerate(links):
        if name in part:
            continue
        part[name] = number
        border = [name]
        while border:
            for other in links[border.pop()]:
                if other not in part:
                    part[other] = number
                    border.append(other)
    return part


def _in_order(sides: Mapping[str, str]) -> Sites:
    return Sites({name: _sorted(sides[name]) for name in sorted(sides)})


@lru_cache(maxsize=256)
def _sorted(sides: str) -> str:
    return "".join([way for way in DIRECTIONS if way in sides])


def cities_of(cities: Mapping[str, City], seat: Seat) -> tuple[str, ...]:
    """The squares of a player's cities, sorted by name."""
    return _OWNED.get((cities,), None, lambda: _owned(cities)).get(seat, ())


def _owned(cities: Mapping[str, City]) -> Mapping[Seat, tuple[str, ...]]:
    found: dict[Seat, list[str]] = {}
    for name in sorted(cities):
        found.setdefault(cities[name].owner, []).append(name)
    return {owner: tuple(names) for owner, names in found.items()}


def reached(state: BattaliaState, seat: Seat) -> list[str]:
    """MAP-10: the squares with a card that the player's cities reach by road, including their own."""
    part = network(state).part
    own = {part[name] for name in cities_of(state.cities, seat)}
    return sorted(name for name, number in part.items() if number in own)


def sites(state: BattaliaState, seat: Seat) -> Sites:
    """MAP-01: the empty squares where the player may place a card, each with the sides where a road arrives."""
    return _SITES.get((state.board, state.cities), (state.columns, state.rows, seat), lambda: _sites(state, seat))


def _sites(state: BattaliaState, seat: Seat) -> Sites:
    roads = network(state)
    own = {roads.part[name] for name in cities_of(state.cities, seat)}
    if len(own) == 1:
        return roads.open[own.pop()]
    parts = tuple([roads.open[number] for number in own])
    return _JOINED.get(parts, None, lambda: _joined(parts))


def _joined(parts: Iterable[Mapping[str, str]]) -> Sites:
    found: dict[str, str] = {}
    for part in parts:
        for name, sides in part.items():
            found[name] = found.get(name, "") + sides
    return _in_order(found)


def landless(state: BattaliaState, seat: Seat) -> tuple[str, ...]:
    """END-03: the squares where a player without a city may found one; empty for all others."""
    if cities_of(state.cities, seat):
        return ()
    home = state.players[seat].home
    if home not in state.board:
        return (home,)
    every = squares(state.columns, state.rows)
    return tuple(name for name in every if name not in state.board and on_edge(state, name))


@lru_cache(maxsize=256)
def turnings(shape: str, sides: str) -> tuple[str, ...]:
    """The orientations of a card of the shape in which one of its exits meets one of the sides."""
    return tuple(exits for exits in EXITS[shape] if any(side in exits for side in sides))
