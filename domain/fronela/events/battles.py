"""What can happen in a combat phase, and to units that are lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.play.draws import Draw, draws


@dataclass(frozen=True, slots=True)
class BattleJoined:
    """A battle round began."""

    area: str
    attacker: str
    defender: str
    number: int
    attackers: Mapping[str, int] = field(default_factory=dict)
    """The units of the attacker there, by kind; empty of a person, and in older games."""
    defenders: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DieBent:
    nation: str
    area: str
    side: str
    die: int
    by: int


@dataclass(frozen=True, slots=True)
class Die:
    """One combat die: what it showed, what was added, what that makes."""

    face: int
    modifier: int
    result: int
    because: Mapping[str, int] = field(default_factory=dict)
    """What the modifier is the sum of: ``terrain``, ``unit``, ``defence``, ``wizards``, or an episode; empty in older games."""


@draws(Draw("attack[].face", "die", 6), Draw("defence[].face", "die", 6))
@dataclass(frozen=True, slots=True)
class BattleRolled:
    area: str
    attacker: str
    defender: str
    attack: tuple[Die, ...]
    defence: tuple[Die, ...]
    dealt: int
    """Hits on the defender."""
    suffered: int
    """Hits on the attacker."""


@dataclass(frozen=True, slots=True)
class UnitsLost:
    nation: str
    area: str
    kind: str
    count: int
    came: str
    fled: bool
    by: str
    """The nation or person that killed them, if anybody did."""
    why: str
    """``battle``, ``farmers``, ``no-retreat``, ``overpopulation``, ``event``"""
    hits: int = 0
    """How many hits of the battle round this takes."""
    cause: str = ""
    """Which episode takes them, where the reason is ``event``; empty in older games."""
    room: int = -1
    """How many of their kind can stay there, where the reason is ``overpopulation``; -1 in older games."""


@dataclass(frozen=True, slots=True)
class HitsSpent:
    """Hits were lost: more than the nation's units, or too few for a giant (FRO-D18)."""

    nation: str
    area: str
    hits: int = 0
    why: str = ""
    """``beyond``, ``tough``; empty of a person, and in older games."""


@dataclass(frozen=True, slots=True)
class FarmersTaken:
    """Malkioni took over farmers, ``joined`` of them as counters of their own (FRO-D06)."""

    nation: str
    area: str
    count: int
    by: str
    joined: int


@dataclass(frozen=True, slots=True)
class UnitsRetreated:
    nation: str
    area: str
    kind: str
    count: int
    came: str
    to: str
    why: str
    """``special``, ``chosen``, ``forced``"""


@dataclass(frozen=True, slots=True)
class FightingEnded:
    nation: str
    held: Mapping[str, str] = field(default_factory=dict)
    """Who holds each area where battle was joined in this phase, an empty text for nobody; empty in older games."""
