"""The state of a game of Fronela, and functions that read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any, TypeVar, TypeVarTuple

from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import Nation, Scenario
from domain.games.fronela.state.parts import AreaBattle, Asking, Bend, Entry, Group, Orders, Person, altered, grouped

__all__ = ["AreaBattle", "Asking", "Bend", "Entry", "Group", "Orders", "Person", "altered", "grouped"]


Garrison = Mapping[str, tuple[Group, ...]]
"""The units in one area: a stack per nation, made of all its groups there."""


@dataclass(frozen=True)  # without slots, for `changed`
class FronelaState:
    """The state of a game. It also carries caches, which `changed` passes on (see `noted`, `newest`)."""

    scenario: str
    board: Mapping[str, Garrison]
    """The units by area. Areas without units are omitted."""
    pool: Mapping[str, Mapping[str, int]]
    """Counters that are not on the board, by nation and kind."""
    round: int = 0
    order: tuple[str, ...] = ()
    """The slots of this round: nations, and persons with turns."""
    place: int = -1
    """Index of the slot being played."""
    asking: Asking | None = None
    serial: int = 0
    battle: AreaBattle | None = None
    fought: Mapping[str, int] = field(default_factory=dict)
    """Battle rounds fought in this combat phase, by area."""
    grown: tuple[str, ...] = ()
    """Areas with a successful growth roll that have no new unit yet."""
    persons: Mapping[str, Person] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The nation that holds each honor or curse of history."""
    orders: Mapping[str, Orders] = field(default_factory=dict)
    ledger: tuple[Entry, ...] = ()
    points: Mapping[str, int] = field(default_factory=dict)
    ended: bool = False

    @property
    def tables(self) -> Scenario:
        return SCENARIOS[self.scenario]

    @property
    def turn(self) -> str:
        """The nation or person whose turn it is; empty between turns."""
        order, place = self.order, self.place
        return order[place] if 0 <= place < len(order) else ""


_MAP = frozenset(("scenario", "board", "round", "persons", "tokens"))
"""The parts of the state on which notes depend."""

_UNKNOWN: Any = object()

A = TypeVarTuple("A")
V = TypeVar("V")


def changed(state: FronelaState, **new: Any) -> FronelaState:
    """A copy of the state with other parts. The notes are kept if the map is the same.

    Folding spends most of its time here.
    """
    after = FronelaState.__new__(FronelaState)
    parts = after.__dict__
    parts.update(state.__dict__)  # as in `altered`; the call would double the cost
    parts.update(new)
    if not _MAP.isdisjoint(new):
        parts.pop("_notes", None)
    return after


def notes(state: FronelaState) -> dict[Any, Any]:
    """Results cached for the map of the state: board, round, persons and tokens.

    States made by `changed` share it while the map is the same. A new map starts empty. It is not part of the state: it
    is not compared, stored or shown.
    """
    parts = state.__dict__
    found: dict[Any, Any] | None = parts.get("_notes")
    if found is None:
        found = parts["_notes"] = {}
    return found


def newest(state: FronelaState, what: Any) -> dict[Any, Any]:
    """The last result built from parts of the state, by name, with those parts.

    All states made by `changed` share it, whatever has changed. Before using an entry, check that its parts are the
    same objects (`is` works, because parts are immutable), and rebuild it otherwise. It is not part of the state.
    """
    parts = state.__dict__
    made: dict[Any, dict[Any, Any]] | None = parts.get("_newest")
    if made is None:
        made = parts["_newest"] = {}
    return made.setdefault(what, {})


def noted(find: Callable[[FronelaState, *A], V]) -> Callable[[FronelaState, *A], V]:
    """Cache a function once per map (`notes`). The function may read nothing else of the state."""

    def once(state: FronelaState, *about: *A) -> V:
        known = state.__dict__.get("_notes")
        if known is None:
            known = notes(state)
        key = (find, about)
        value: V = known.get(key, _UNKNOWN)
        if value is _UNKNOWN:
            value = known[key] = find(state, *about)
        return value

    update_wrapper(once, find)
    return once


def start(key: str) -> FronelaState:
    """The board at setup, before round 1 (FRO-D28)."""
    tables = SCENARIOS[key]
    board: dict[str, dict[str, tuple[Group, ...]]] = {}
    pool: dict[str, dict[str, int]] = {}
    for nation in tables.nations.values():
        pool[nation.id] = dict(nation.counters)
        for area, units in nation.setup.items():
            board.setdefault(area, {})[nation.id] = tuple(Group(kind, count) for kind, count in units.items())
            for kind, count in units.items():
                pool[nation.id][kind] -= count
    return FronelaState(key, board, pool, points=dict.fromkeys(tables.nations, 0))


NO_ORDERS = Orders()


def orders_in_silence(state: FronelaState, nation: str) -> Orders:
    """The nation's orders that apply on a timeout of a pending question (FRO-D55)."""
    if state.tables.reads("orders_in_silence") == "refuges-alone":
        return Orders(refuges=state.orders.get(nation, NO_ORDERS).refuges)
    return state.orders.get(nation, NO_ORDERS)


NOBODY: Garrison = {}


def groups(state: FronelaState, area: str, nation: str) -> tuple[Group, ...]:
    return state.board.get(area, NOBODY).get(nation, ())


@noted
def areas_of(state: FronelaState, nation: str) -> tuple[str, ...]:
    """The areas with units of the nation, in the order of 6.2."""
    areas = [area for area, garrison in state.board.items() if nation in garrison]
    areas.sort(key=state.tables.numbers.__getitem__)
    return tuple(areas)


@noted
def unsettled(state: FronelaState) -> tuple[str, ...]:
    """The areas with units that came from elsewhere in this turn, or have retreated."""
    return tuple(
        area
        for area, garrison in state.board.items()
        for stack in garrison.values()
        for group in stack
        if group.came or group.fled
    )


def others(state: FronelaState, area: str, nation: str) -> list[str]:
    """The other nations with units in the area."""
    garrison = state.board.get(area)
    if garrison is None or (len(garrison) == 1 and nation in garrison):
        return []
    return sorted(other for other in garrison if other != nation)


def held(state: FronelaState, nation: str) -> Iterator[str]:
    """The areas with units of this nation only (FRO-D23)."""
    return (area for area in areas_of(state, nation) if len(state.board[area]) == 1)


def size(stack: Iterable[Group]) -> int:
    return sum([group.count for group in stack])


def count(stack: Iterable[Group], kind: str) -> int:
    return sum([group.count for group in stack if group.kind == kind])


def strength(nation: Nation, stack: Iterable[Group]) -> int:
    return sum([nation.units[group.kind].dice * group.count for group in stack])


def total(state: FronelaState, nation: str) -> int:
    """The number of the nation's units on the board."""
    return sum(size(state.board[area][nation]) for area in areas_of(state, nation))


def counted(stack: Iterable[Group]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for group in stack:
        counts[group.kind] = counts.get(group.kind, 0) + group.count
    return counts


def lords(stack: Iterable[Group]) -> int:
    """The number of lords; Lord Death counts as one (FRO-D47)."""
    return sum([group.count for group in stack if group.kind in ("lord", "lord_death")])


def biggest(state: FronelaState, nation: str) -> str:
    """The area with most of the nation's units; on a tie the first of 6.2 (FRO-D14)."""
    return max(areas_of(state, nation), key=lambda area: size(state.board[area][nation]), default="")


def label(group: Group) -> str:
    """The name by which a client refers to these units among those of the same nation and area."""
    name = group.kind
    if group.came:
        name += f"<{group.came}" + (f">{group.left}" if group.left else "")
    return name + ("*" if group.ferried else "") + ("!" if group.fled else "")
