"""Queries that the rules send to the episodes of a round. Each names the subject and the type of the answer."""

from __future__ import annotations

from dataclasses import dataclass

from domain.games.fronela.scenarios.tables import ArrivingNation
from domain.games.fronela.state import Group


@dataclass(frozen=True, slots=True)
class Steps:
    """Number of steps of a unit that may move: int."""

    nation: str
    kind: str


@dataclass(frozen=True, slots=True)
class GrowthBonus:
    """Bonus to a growth roll: int."""

    nation: str
    area: str


@dataclass(frozen=True, slots=True)
class DieBonus:
    """Bonus to a combat die: int."""

    fighter: str
    area: str
    die: int
    """1 for the fighter's first die."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """Maximum number of units of a kind in an area: int."""

    nation: str
    kind: str
    area: str


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The nation's arrivals in this round: tuple of Arrival."""

    nation: str


@dataclass(frozen=True, slots=True)
class ArrivalAreas:
    """Possible areas of an arrival, best first: tuple of areas."""

    arrival: ArrivingNation


@dataclass(frozen=True, slots=True)
class Crossings:
    """Further areas to which a group can step although they are not adjacent: tuple of areas."""

    nation: str
    area: str
    group: Group


@dataclass(frozen=True, slots=True)
class Barred:
    """The clause that forbids the nation this step or retreat: str, empty for none."""

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
