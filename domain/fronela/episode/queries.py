"""What rules ask the episodes of a round: each query names what its answer is adjusted for, and of which type it is."""

from __future__ import annotations

from dataclasses import dataclass

from domain.fronela.scenarios.tables import Arrival
from domain.fronela.state import Group


@dataclass(frozen=True, slots=True)
class Steps:
    """How many steps a unit has that may move: int."""

    nation: str
    kind: str


@dataclass(frozen=True, slots=True)
class GrowthBonus:
    """What is added to a growth roll: int."""

    nation: str
    area: str


@dataclass(frozen=True, slots=True)
class DieBonus:
    """What is added to a combat die: int."""

    fighter: str
    area: str
    die: int
    """1 for the fighter's first."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """How many units of a kind may stay: int."""

    nation: str
    kind: str
    area: str


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Who arrives for the nation in this round: tuple of Arrival."""

    nation: str


@dataclass(frozen=True, slots=True)
class ArrivalAreas:
    """Where an arrival may come to, the best first: tuple of areas."""

    arrival: Arrival


@dataclass(frozen=True, slots=True)
class Crossings:
    """Where else a group can step to, not being adjacent: tuple of areas."""

    nation: str
    area: str
    group: Group


@dataclass(frozen=True, slots=True)
class Barred:
    """Which clause forbids the nation this step or retreat: str, empty for none."""

    nation: str
    area: str
    to: str


@dataclass(frozen=True, slots=True)
class SpecialRetreat:
    """Whether the nation may leave before the first roll: bool."""

    nation: str
    area: str
    attacker: str


Query = Steps | GrowthBonus | DieBonus | Maximum | Arrivals | ArrivalAreas | Crossings | Barred | SpecialRetreat
