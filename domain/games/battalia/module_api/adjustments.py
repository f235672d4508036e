"""Values that modules can adjust. A rule creates one, and every module's `Npc.adjust` returns it, changed or unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price
from domain.games.battalia.state import Hero
from domain.kernel.terms import Seat


@dataclass(frozen=True, slots=True)
class TablePlan:
    """SET: the table before dealing."""

    seats: int
    factions: tuple[str, ...]
    rules: BattaliaNumbers
    markers: int = 0
    """MAP-07: level-0 markers of each player."""


@dataclass(frozen=True, slots=True)
class Strength:
    """BAT-03: one side of a battle."""

    seat: Seat
    role: str
    """``attack``, ``defence``, ``siege`` or ``stand``.

    ``siege`` is a city without cards against an NPC (RAM-11). ``stand`` is a hero attacked by an NPC, without the
    city's level or weapons (BUF-08).
    """
    foe: Seat
    square: str
    heroes: tuple[str, ...]
    """The figures that fight on this side."""
    units: tuple[str, ...]
    """Unit cards in the line."""
    parts: Mapping[str, int]
    tactics: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    """All cards of the line."""
    rolls: tuple[int, ...] = ()
    """The rolls of its amulets (BAT-15)."""


@dataclass(frozen=True, slots=True)
class Cost:
    """PAY: the price of an action (a command's type)."""

    seat: Seat
    action: str
    price: Price


@dataclass(frozen=True, slots=True)
class StepCost:
    """MAP-04: whether a step costs nothing."""

    hero: Hero
    to: str
    free: bool


@dataclass(frozen=True, slots=True)
class Entrance:
    """MAP-05: the result of a hero entering a square."""

    hero: Hero
    square: str
    foes: tuple[Seat, ...]
    """The seats that the hero may fight there; 0 is a neutral city or the ruins. Empty if the way is free."""
    npc: str = ""
    """The key of the module whose figure the hero meets instead (`Npc.entered`); empty for none."""
    closed: bool = False
    """The hero may not enter."""


@dataclass(frozen=True, slots=True)
class Alliance:
    """Whether two players are enemies."""

    one: Seat
    other: Seat
    hostile: bool = True


@dataclass(frozen=True, slots=True)
class Tactics:
    """Additions to the line that a defender may choose."""

    seat: Seat
    square: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuge:
    """RAM-14: whether a fleeing hero may go to a square."""

    seat: Seat
    square: str
    open: bool


@dataclass(frozen=True, slots=True)
class Gates:
    """GATE-01: the squares through which an NPC may enter, gate 1 first. Empty: GATE-02 applies."""

    squares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """END-01: the reason why the game ends now. Empty: it continues."""

    reason: str
    clause: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """END-02: for each seat that may win, the numbers to compare, most important first."""

    reason: str
    keys: Mapping[Seat, tuple[int, ...]]


Adjustable = TypeVar(
    "Adjustable", TablePlan, Strength, Cost, StepCost, Entrance, Alliance, Tactics, Refuge, Gates, Ending, Ranking
)
