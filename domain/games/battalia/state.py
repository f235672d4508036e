"""The state of a game of Battalia: frozen data that JSON can represent.

Classes that change with every event (`BattaliaState`, `PlayerState`, `Hero`) have no slots. Copying one then copies a dict, ten
times as fast as `dataclasses.replace`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from domain.kernel.terms import SYSTEM, Seat

T = TypeVar("T", "BattaliaState", "PlayerState", "Hero")

NOBODY = SYSTEM
"""The owner of neutral cities and of the ruins."""


@dataclass(frozen=True, slots=True)
class Tent:
    """ART-07: cards kept outside the hand, and the card that keeps them."""

    tent: str
    kept: tuple[str, ...]
    brief: bool
    """A card that was only transformed into a tent. It is removed at the end of the turn."""


@dataclass(frozen=True)
class PlayerState:
    """The cards and status of one seat."""

    seat: Seat
    hand: tuple[str, ...] = ()
    """Cards pledged in a battle line stay here until the lines are revealed."""
    deck: tuple[str, ...] = ()
    """The next card to draw is first."""
    discard: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    """Spent this turn, discarded at its end."""
    hidden: tuple[str, ...] = ()
    """ART-08: face down in the slots."""
    tents: tuple[Tent, ...] = ()
    tokens: tuple[str, ...] = ()
    """Cards created by amulets; removed at the end of the turn."""
    faction: str = ""
    home: str = ""
    """The square of the starting city."""
    out: bool = False
    spent: bool = False
    """TURN-06: has played cards in another player's turn."""


@dataclass(frozen=True)
class Hero:
    """A figure on the board, or waiting next to it."""

    id: str
    seat: Seat
    square: str = ""
    """The hero's square; empty while disbanded."""
    steps: int = 0
    """Steps that are paid and not yet used."""
    fought: bool = False
    """BAT-12, BUF-09: has started a battle or met a module's figure this turn, and cannot move further in it."""
    winged: bool = False
    """ART-09: moves free of charge this turn."""
    native: bool = True
    """MAP-04: moves free of charge in the owner's terrain. False for a module's figure."""
    returns: bool = True
    """BAT-13: when disbanded, returns at the start of a turn. False for a module's figure."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A terrain card on its square."""

    card: str
    exits: str


@dataclass(frozen=True, slots=True)
class City:
    owner: Seat
    level: int


@dataclass(frozen=True, slots=True)
class Turn:
    """The seat whose turn it is, and what has happened in it."""

    seat: Seat = SYSTEM
    fresh: bool = True
    """TURN-01: no action yet."""
    ruins: bool = False
    """BAT-11: has beaten the ruins."""


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle whose defender has not answered."""

    attacker: Seat
    defender: Seat
    hero: str
    origin: str
    square: str
    line: tuple[str, ...] = ()
    """The attacker's line, from hand, tents and tokens; secret."""
    ambush: tuple[str, ...] = ()
    """The attacker's face-down cards in the line; secret."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A question on the stack."""

    kind: str
    serial: int
    seats: tuple[Seat, ...]
    """Seats that have not yet answered."""
    clause: str
    about: Mapping[str, Any] = field(default_factory=dict)
    """The public details of the question."""
    npc: str = ""
    """The module that asks; empty for the game itself."""


@dataclass(frozen=True)
class BattaliaState:
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    factions: tuple[str, ...]
    """The factions in play."""
    columns: int
    rows: int
    starts: tuple[str, ...]
    centre: str
    order: tuple[Seat, ...]
    """Turn order."""
    markers: int
    """MAP-07: level-0 markers of each player."""
    players: Mapping[Seat, PlayerState]
    piles: Mapping[str, tuple[str, ...]]
    """The common piles by name, the top card first."""
    great: tuple[str, ...]
    """Great artefacts on display."""
    gone: tuple[str, ...]
    """Cards out of the game."""
    board: Mapping[str, Tile]
    cities: Mapping[str, City]
    heroes: Mapping[str, Hero] = field(default_factory=dict)
    day: int = -1
    """Counted from 0; before the first day, -1."""
    agenda: tuple[str, ...] = ()
    """The remaining tasks of the calendar today."""
    turn: Turn = Turn()
    battle: Battle | None = None
    asking: tuple[Frame, ...] = ()
    """The pending questions, the top one last."""
    serial: int = 0
    """The serial of the last question."""
    tokens: int = 0
    """Number of tokens created so far."""
    npcs: Mapping[str, Any] = field(default_factory=dict)
    """Each module's memory."""
    orders: Mapping[Seat, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    """Each seat's standing orders (ORD), by type and place (`domain.games.battalia.module_api.orders.order_key`).

    Each is the command that gave it, as JSON. Secret from other seats.
    """
    ending: str = ""
    """The reason for the end; empty before."""
    clause: str = ""


def changed(thing: T, **changes: Any) -> T:
    copy: T = object.__new__(type(thing))
    object.__setattr__(copy, "__dict__", thing.__dict__ | changes)
    return copy
