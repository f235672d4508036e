"""What a rule asks the modules: each of these goes through every module's `adjust`, and comes back as they would have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from domain.battalia.rulesets.rules import Price, Rules
from domain.battalia.state import Hero
from domain.terms import Seat


@dataclass(frozen=True, slots=True)
class TablePlan:
    """SET: the table before anything is dealt."""

    seats: int
    factions: tuple[str, ...]
    rules: Rules
    markers: int = 0
    """MAP-07: level-0 markers of each player."""


@dataclass(frozen=True, slots=True)
class Strength:
    """BAT-03: one side of a battle."""

    seat: Seat
    role: str
    """``attack``, ``defence``, ``siege``: a city without any cards against what no player leads (RAM-11), or ``stand``:
    a hero is attacked himself, whom neither level nor weapons help (BUF-08)."""
    foe: Seat
    square: str
    heroes: tuple[str, ...]
    """Figures of this side that fight."""
    units: tuple[str, ...]
    """Unit cards in the line."""
    parts: Mapping[str, int]
    tactics: tuple[str, ...] = ()


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
    """MAP-05: what a hero meets on a square."""

    hero: Hero
    square: str
    foes: tuple[Seat, ...]
    """Whom he may fight there; 0 stands for a neutral city or the ruins. Empty: the way is free."""
    npc: str = ""
    """The module whose figure meets him instead (`Npc.entered`)."""
    closed: bool = False
    """He may not go there."""


@dataclass(frozen=True, slots=True)
class Alliance:
    """Whether two players are enemies."""

    one: Seat
    other: Seat
    hostile: bool = True


@dataclass(frozen=True, slots=True)
class Tactics:
    """What a defender may say besides his line."""

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
    """GATE-01: the squares through which an NPC may enter, gate 1 first; none: GATE-02."""

    squares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """END-01: why the game ends now; an empty reason: it goes on."""

    reason: str
    clause: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """END-02: what is compared, first things first, for each player who has a say in it."""

    reason: str
    keys: Mapping[Seat, tuple[int, ...]]


Adjustable = TypeVar(
    "Adjustable", TablePlan, Strength, Cost, StepCost, Entrance, Alliance, Tactics, Refuge, Gates, Ending, Ranking
)
