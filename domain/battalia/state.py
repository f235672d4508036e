"""A game of Battalia as it stands: plain frozen data, which JSON can hold.

What changes with every event (`State`, `Player`, `Hero`) has no slots: copying it is then copying one dict, ten times
as fast as `dataclasses.replace`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from domain.terms import SYSTEM, Seat

T = TypeVar("T", "State", "Player", "Hero")

NOBODY = SYSTEM
"""The owner of neutral cities and of the ruins."""


@dataclass(frozen=True, slots=True)
class Tent:
    """ART-07: cards kept outside the hand, and what keeps them."""

    tent: str
    kept: tuple[str, ...]
    brief: bool
    """The tent was only transformed: it is struck at the end of the turn."""


@dataclass(frozen=True)
class Player:
    """What lies before one seat."""

    seat: Seat
    hand: tuple[str, ...] = ()
    """What is pledged in a battle line stays here until the lines are revealed."""
    deck: tuple[str, ...] = ()
    """The next card to draw first."""
    discard: tuple[str, ...] = ()
    played: tuple[str, ...] = ()
    """Spent this turn, discarded at its end."""
    hidden: tuple[str, ...] = ()
    """ART-08: face down in the slots."""
    tents: tuple[Tent, ...] = ()
    tokens: tuple[str, ...] = ()
    """What amulets became; gone when the turn ends."""
    faction: str = ""
    home: str = ""
    """The square of the starting city."""
    out: bool = False
    spent: bool = False
    """TURN-06: played cards in another's turn."""


@dataclass(frozen=True)
class Hero:
    """A figure on the board, or waiting beside it."""

    id: str
    seat: Seat
    square: str = ""
    """Empty while disbanded."""
    steps: int = 0
    """Paid and not yet walked."""
    fought: bool = False
    """BAT-12, BUF-09: has started a battle or met a module's figure this turn, and walks no further in it."""
    winged: bool = False
    """ART-09: walks free this turn."""
    native: bool = True
    """MAP-04: walks free in the owner's terrain; a module's figure does not."""
    returns: bool = True
    """BAT-13: comes back at the beginning of a turn when disbanded; a module's figure does not."""


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
    """Whose turn it is and what has happened in it."""

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
    """The attacker's, from hand, tents and tokens; secret."""
    ambush: tuple[str, ...] = ()
    """Of the attacker's face-down cards; secret."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A question on the stack."""

    kind: str
    serial: int
    seats: tuple[Seat, ...]
    """Who has not yet answered."""
    clause: str
    about: Mapping[str, Any] = field(default_factory=dict)
    """What everybody may know of it."""
    npc: str = ""
    """The module that asks; empty for the game itself."""


@dataclass(frozen=True)
class State:
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    factions: tuple[str, ...]
    """In play."""
    columns: int
    rows: int
    starts: tuple[str, ...]
    centre: str
    order: tuple[Seat, ...]
    """Turn order."""
    markers: int
    """MAP-07: level-0 markers of each player."""
    players: Mapping[Seat, Player]
    piles: Mapping[str, tuple[str, ...]]
    """The common piles by name, the top card first."""
    great: tuple[str, ...]
    """Great artefacts that lie open."""
    gone: tuple[str, ...]
    """Cards out of the game."""
    board: Mapping[str, Tile]
    cities: Mapping[str, City]
    heroes: Mapping[str, Hero] = field(default_factory=dict)
    day: int = -1
    """Counted from 0; before the first day, -1."""
    agenda: tuple[str, ...] = ()
    """What the calendar still has to do today."""
    turn: Turn = Turn()
    battle: Battle | None = None
    asking: tuple[Frame, ...] = ()
    """The question on top comes last."""
    serial: int = 0
    """Of the last question."""
    tokens: int = 0
    """Tokens ever made."""
    npcs: Mapping[str, Any] = field(default_factory=dict)
    """What each module remembers."""
    orders: Mapping[Seat, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    """Standing orders (ORD) of each seat that has given any, by what they are for and their place (`modules.orders.key`);
    each the command that gave it, as JSON. Secret to the others."""
    ending: str = ""
    """Why the game is over."""
    clause: str = ""


def changed(thing: T, **changes: Any) -> T:
    """A copy in which these fields are different."""
    copy: T = object.__new__(type(thing))
    object.__setattr__(copy, "__dict__", thing.__dict__ | changes)
    return copy
