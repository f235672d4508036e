"""The state of a game of Fronela, and the functions that read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import Nation, Scenario
from domain.terms import Seat


@dataclass(frozen=True, slots=True)
class Group:
    """Units of one nation in one area that are alike in everything."""

    kind: str
    count: int
    left: int = 0
    """Steps left in this move phase."""
    came: str = ""
    """The area before its last step of this turn (FRO-D16); empty if it did not move."""
    ferried: bool = False
    """Has crossed by Dormal's or the Moon Boats' help this turn (FRO-D22)."""
    fled: bool = False
    """Has retreated in this combat phase (FRO-D36)."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody or something on the map that is no unit: they hold no area and block nobody."""

    area: str
    """The area where they are, or were when they left."""
    before: str
    """The area before their last step."""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Bend:
    """A wizard's change of one die."""

    side: str
    """``attack`` or ``defence``: whose die it is."""
    die: int
    """1 for the first of that side."""
    by: int


@dataclass(frozen=True, slots=True)
class Battle:
    """The newest battle round of a combat phase."""

    area: str
    attacker: str
    """A nation, or a person."""
    defender: str
    bends: tuple[Bend, ...] = ()
    dealt: int = 0
    """Hits on the defender that are still to be taken."""
    suffered: int = 0
    """Hits on the attacker that are still to be taken."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The question that stands, and what happens when it is answered."""

    serial: int
    seat: Seat
    kind: str
    clause: str
    nation: str
    area: str
    havens: tuple[str, ...]
    """Areas where farmers may retreat to: own units stood there when it was asked (FRO-D35)."""
    agenda: tuple[str, ...]
    """The rest of the turn: what follows the answer."""


@dataclass(frozen=True, slots=True)
class Orders:
    """Standing orders of one nation, which answer for its player. Where a field is empty, the player is asked."""

    stance: str = ""
    refuges: tuple[str, ...] = ()
    own_losses: str = ""
    enemy_losses: str = ""
    wizards: str = ""
    growth: str = ""
    """``decline``, or empty for a nation that grows where it can (FRO-D54)."""
    withdrawal: str = ""
    """When it goes back as an attacker (FRO-D61)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger."""

    round: int
    nation: str
    reason: str
    clause: str
    points: int
    area: str


Garrison = Mapping[str, tuple[Group, ...]]
"""The units in one area: by nation its stack, which is all its groups there."""


@dataclass(frozen=True, slots=True)
class State:
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
        return self.order[self.place] if 0 <= self.place < len(self.order) else ""


_FIELDS = tuple(field.name for field in fields(State))
_values = attrgetter(*_FIELDS)


def changed(state: State, **new: Any) -> State:
    """As `dataclasses.replace`, in half the time; most of folding a game is this."""
    values = dict(zip(_FIELDS, _values(state), strict=True))
    values.update(new)
    return State(**values)


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


def areas_of(state: State, nation: str) -> list[str]:
    """Where the nation has units, in the order of 6.2."""
    board = state.board
    return [area for area in state.tables.areas if area in board and nation in board[area]]


def others(state: State, area: str, nation: str) -> list[str]:
    """The other nations with units in the area."""
    return sorted(other for other in state.board.get(area, NOBODY) if other != nation)


def held(state: State, nation: str) -> Iterator[str]:
    """The areas where only the nation has units (FRO-D23)."""
    return (area for area in areas_of(state, nation) if len(state.board[area]) == 1)


def size(stack: Iterable[Group]) -> int:
    """How many units these are."""
    return sum(group.count for group in stack)


def count(stack: Iterable[Group], kind: str) -> int:
    return sum(group.count for group in stack if group.kind == kind)


def strength(nation: Nation, stack: Iterable[Group]) -> int:
    """How many dice these units have."""
    return sum(nation.units[group.kind].dice * group.count for group in stack)


def total(state: State, nation: str) -> int:
    """How many units the nation has on the board."""
    return sum(size(garrison[nation]) for garrison in state.board.values() if nation in garrison)


def counted(stack: Iterable[Group]) -> dict[str, int]:
    """How many of each kind these are."""
    counts: dict[str, int] = {}
    for group in stack:
        counts[group.kind] = counts.get(group.kind, 0) + group.count
    return counts


def lords(stack: Iterable[Group]) -> int:
    """Lords among these; Lord Death counts as one (FRO-D47)."""
    return sum(group.count for group in stack if group.kind in ("lord", "lord_death"))


def biggest(state: State, nation: str) -> str:
    """The area with most of the nation's units; of equal ones the first of 6.2 (FRO-D14)."""
    return max(areas_of(state, nation), key=lambda area: size(state.board[area][nation]), default="")


def label(group: Group) -> str:
    """What a client calls these units among those of the same nation and area."""
    name = group.kind
    if group.came:
        name += f"<{group.came}" + (f">{group.left}" if group.left else "")
    return name + ("*" if group.ferried else "") + ("!" if group.fled else "")
