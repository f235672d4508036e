"""The events of Fronela. Episodes add their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from domain.games.fronela.events.battles import (
    BattleJoined,
    BattleRolled,
    Die,
    DieBent,
    FarmersTaken,
    FightingEnded,
    HitsSpent,
    UnitsLost,
    UnitsRetreated,
)
from domain.kernel.draws import Draw, draws
from domain.kernel.shape import catalogue
from domain.kernel.terms import Seat

__all__ = [
    "BattleJoined",
    "BattleRolled",
    "Die",
    "DieBent",
    "FarmersTaken",
    "FightingEnded",
    "HitsSpent",
    "UnitsLost",
    "UnitsRetreated",
]


@dataclass(frozen=True, slots=True)
class HistoryBegun:
    ruleset: str


@dataclass(frozen=True, slots=True)
class RoundBegun:
    round: int
    title: str
    years: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    round: int
    last: bool


@dataclass(frozen=True, slots=True)
class OrderChanged:
    """The order of the round changed. It includes slots that were already played."""

    order: tuple[str, ...]
    place: int = -1
    """Index of the slot being played; -1 before the first, and always in older games."""


@dataclass(frozen=True, slots=True)
class TurnBegun:
    nation: str
    """Or the person whose turn it is."""
    place: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question was asked. It replaces the one that was answered."""

    seat: Seat
    kind: str
    clause: str
    nation: str
    area: str
    havens: tuple[str, ...]
    agenda: tuple[str, ...]


# -- growth, arrivals, moves ------------------------------------------------------------------------------------------


@draws(Draw("face", "die", 6))
@dataclass(frozen=True, slots=True)
class GrowthRolled:
    nation: str
    area: str
    face: int
    modifier: int
    result: int
    grows: bool
    because: Mapping[str, int] = field(default_factory=dict)
    """The parts of the modifier by reason: ``farmers``, or an episode; empty in older games."""


@dataclass(frozen=True, slots=True)
class GrowthLost:
    """A growth roll succeeded without a new unit: no counter, no fitting unit, or declined by the owner (FRO-D40)."""

    nation: str
    area: str
    why: str = ""
    """``declined``, ``no-counter``; empty in older games."""


@dataclass(frozen=True, slots=True)
class UnitsPlaced:
    nation: str
    area: str
    units: Mapping[str, int]
    why: str


@dataclass(frozen=True, slots=True)
class UnitsReadied:
    """A move phase began. ``steps`` are the steps of the units by area and kind; units that are not listed have none."""

    nation: str
    steps: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class UnitsMarched:
    nation: str
    kind: str
    count: int
    area: str
    to: str
    halted: int
    """Number of units that stop there. The others have ``left`` steps left."""
    left: int
    came: str
    """The group's earlier values: its origin, its steps, whether it had been ferried."""
    had: int
    was_ferried: bool
    ferried: bool


@dataclass(frozen=True, slots=True)
class MovesEnded:
    nation: str


# -- persons, honors, points, standing orders --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PersonPlaced:
    person: str
    area: str


@dataclass(frozen=True, slots=True)
class PersonMoved:
    person: str
    area: str
    to: str
    before: str
    """The area of the person before their last step."""


@dataclass(frozen=True, slots=True)
class PersonRemoved:
    person: str
    area: str


@dataclass(frozen=True, slots=True)
class TokenGiven:
    token: str
    nation: str


@dataclass(frozen=True, slots=True)
class TokenTaken:
    token: str
    nation: str


@dataclass(frozen=True, slots=True)
class PointsScored:
    round: int
    nation: str
    reason: str
    clause: str
    points: int
    area: str


@dataclass(frozen=True, slots=True)
class StanceSet:
    seat: Seat
    nation: str
    stance: str


@dataclass(frozen=True, slots=True)
class RefugesSet:
    seat: Seat
    nation: str
    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LossesSet:
    seat: Seat
    nation: str
    own: str
    enemy: str


@dataclass(frozen=True, slots=True)
class WizardsSet:
    seat: Seat
    nation: str
    policy: str


@dataclass(frozen=True, slots=True)
class GrowthSet:
    seat: Seat
    nation: str
    growth: str


@dataclass(frozen=True, slots=True)
class WithdrawalSet:
    seat: Seat
    nation: str
    withdrawal: str


SECRET = (StanceSet, RefugesSet, LossesSet, WizardsSet, GrowthSet, WithdrawalSet)
"""Only their owner can read these."""

OPEN = frozenset((*SECRET, RoundBegun, RoundEnded, OrderChanged, TurnBegun, UnitsReadied, UnitsMarched, MovesEnded))
"""Events that reveal nothing about the standing orders of others."""

_ROUNDS = (HistoryBegun, RoundBegun, RoundEnded, OrderChanged, TurnBegun, Asked)
_UNITS = (GrowthRolled, GrowthLost, UnitsPlaced, UnitsReadied, UnitsMarched, MovesEnded)
_BATTLES = (BattleJoined, DieBent, BattleRolled, UnitsLost, HitsSpent, FarmersTaken, UnitsRetreated, FightingEnded)
_HISTORY = (PersonPlaced, PersonMoved, PersonRemoved, TokenGiven, TokenTaken, PointsScored)
EVENTS: dict[str, type[Any]] = catalogue(*_ROUNDS, *_UNITS, *_BATTLES, *_HISTORY, *SECRET)
