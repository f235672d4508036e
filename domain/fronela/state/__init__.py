"""The state of a game of Fronela, and the functions that read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any, TypeVar, TypeVarTuple

from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import Nation, Scenario
from domain.fronela.state.parts import Asking, Battle, Bend, Entry, Group, Orders, Person, altered, grouped

__all__ = ["Asking", "Battle", "Bend", "Entry", "Group", "Orders", "Person", "altered", "grouped"]


Garrison = Mapping[str, tuple[Group, ...]]
"""The units in one area: by nation its stack, which is all its groups there."""


@dataclass(frozen=True)  # as it is `changed`
class State:
    """How a game stands; besides its fields a state has notes, which `changed` hands on (see `noted`, `newest`)."""

    scenario: str
    board: Mapping[str, Garrison]
    """By area; areas without units are left out."""
    pool: Mapping[str, Mapping[str, int]]
    """Counters that are not on the board, by nation and kind."""
    round: int = 0
    order: tuple[str, ...] = ()
    """The slots of this round: nations, and persons who have turns."""
    place: int = -1
    """Which slot is being played."""
    asking: Asking | None = None
    serial: int = 0
    battle: Battle | None = None
    fought: Mapping[str, int] = field(default_factory=dict)
    """Battle rounds fought in this combat phase, by area."""
    grown: tuple[str, ...] = ()
    """Areas whose growth roll succeeded and that have no new unit yet."""
    persons: Mapping[str, Person] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)
    """Which nation an honour or a curse of history went to."""
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
"""What notes are made of."""

_UNKNOWN: Any = object()

A = TypeVarTuple("A")
V = TypeVar("V")


def changed(state: State, **new: Any) -> State:
    """The state with other parts: most of folding a game is this. The notes are handed on to a state of the same map."""
    after = State.__new__(State)
    parts = after.__dict__
    parts.update(state.__dict__)  # as `altered` does; to call it would cost as much again
    parts.update(new)
    if not _MAP.isdisjoint(new):
        parts.pop("_notes", None)
    return after


def notes(state: State) -> dict[Any, Any]:
    """What has been worked out from the map of the state: its board, the round, persons and tokens, and nothing else.

    All states that `changed` makes of one another share it while the map stays the same; a new map begins without any.
    It is no part of the state: neither compared, nor stored, nor shown.
    """
    parts = state.__dict__
    found: dict[Any, Any] | None = parts.get("_notes")
    if found is None:
        found = parts["_notes"] = {}
    return found


def newest(state: State, what: Any) -> dict[Any, Any]:
    """What was made last of parts of the state, for whoever makes something of each: by what it is called, with its parts.

    All states that `changed` makes of one another share it, whatever has changed. So whoever takes something out looks
    whether it is made of the same parts (`is`, since no part is changed in place), and else makes it anew. It is no part
    of the state, as the notes are none.
    """
    parts = state.__dict__
    made: dict[Any, dict[Any, Any]] | None = parts.get("_newest")
    if made is None:
        made = parts["_newest"] = {}
    return made.setdefault(what, {})


def noted(find: Callable[[State, *A], V]) -> Callable[[State, *A], V]:
    """Work something out once for each map (`notes`); the function may read nothing else of the state."""

    def once(state: State, *about: *A) -> V:
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


def start(key: str) -> State:
    """The board as it is set up, before round 1 (FRO-D28)."""
    tables = SCENARIOS[key]
    board: dict[str, dict[str, tuple[Group, ...]]] = {}
    pool: dict[str, dict[str, int]] = {}
    for nation in tables.nations.values():
        pool[nation.id] = dict(nation.counters)
        for area, units in nation.setup.items():
            board.setdefault(area, {})[nation.id] = tuple(Group(kind, count) for kind, count in units.items())
            for kind, count in units.items():
                pool[nation.id][kind] -= count
    return State(key, board, pool, points=dict.fromkeys(tables.nations, 0))


NO_ORDERS = Orders()


def orders_in_silence(state: State, nation: str) -> Orders:
    """The orders of the nation that count when silence answers a question that stands (FRO-D55)."""
    if state.tables.reads("orders_in_silence") == "refuges-alone":
        return Orders(refuges=state.orders.get(nation, NO_ORDERS).refuges)
    return state.orders.get(nation, NO_ORDERS)


NOBODY: Garrison = {}


def groups(state: State, area: str, nation: str) -> tuple[Group, ...]:
    """The nation's units in the area."""
    return state.board.get(area, NOBODY).get(nation, ())


@noted
def areas_of(state: State, nation: str) -> tuple[str, ...]:
    """Where the nation has units, in the order of 6.2."""
    areas = [area for area, garrison in state.board.items() if nation in garrison]
    areas.sort(key=state.tables.numbers.__getitem__)
    return tuple(areas)


@noted
def unsettled(state: State) -> tuple[str, ...]:
    """Where units stand that came from elsewhere in this turn, or have retreated."""
    return tuple(
        area
        for area, garrison in state.board.items()
        for stack in garrison.values()
        for group in stack
        if group.came or group.fled
    )


def others(state: State, area: str, nation: str) -> list[str]:
    """The other nations with units in the area."""
    garrison = state.board.get(area)
    if garrison is None or (len(garrison) == 1 and nation in garrison):
        return []
    return sorted(other for other in garrison if other != nation)


def held(state: State, nation: str) -> Iterator[str]:
    """The areas where only the nation has units (FRO-D23)."""
    return (area for area in areas_of(state, nation) if len(state.board[area]) == 1)


def size(stack: Iterable[Group]) -> int:
    """How many units these are."""
    return sum([group.count for group in stack])


def count(stack: Iterable[Group], kind: str) -> int:
    return sum([group.count for group in stack if group.kind == kind])


def strength(nation: Nation, stack: Iterable[Group]) -> int:
    """How many dice these units have."""
    return sum([nation.units[group.kind].dice * group.count for group in stack])


def total(state: State, nation: str) -> int:
    """How many units the nation has on the board."""
    return sum(size(state.board[area][nation]) for area in areas_of(state, nation))


def counted(stack: Iterable[Group]) -> dict[str, int]:
    """How many of each kind these are."""
    counts: dict[str, int] = {}
    for group in stack:
        counts[group.kind] = counts.get(group.kind, 0) + group.count
    return counts


def lords(stack: Iterable[Group]) -> int:
    """Lords among these; Lord Death counts as one (FRO-D47)."""
    return sum([group.count for group in stack if group.kind in ("lord", "lord_death")])


def biggest(state: State, nation: str) -> str:
    """The area with most of the nation's units; of equal ones the first of 6.2 (FRO-D14)."""
    return max(areas_of(state, nation), key=lambda area: size(state.board[area][nation]), default="")


def label(group: Group) -> str:
    """What a client calls these units among those of the same nation and area."""
    name = group.kind
    if group.came:
        name += f"<{group.came}" + (f">{group.left}" if group.left else "")
    return name + ("*" if group.ferried else "") + ("!" if group.fled else "")
