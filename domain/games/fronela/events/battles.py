"""The events of a combat phase, and losses of units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.kernel.draws import Draw, draws


@dataclass(frozen=True, slots=True)
class BattleJoined:
    """A battle round began."""

    area: str
    attacker: str
    defender: str
    number: int
    attackers: Mapping[str, int] = field(default_factory=dict)
    """The attacker's units there, by kind; empty for a person, and in older games."""
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
    """One combat die: its face, the modifier, and the sum of both."""

    face: int
    modifier: int
    result: int
    because: Mapping[str, int] = field(default_factory=dict)
    """The parts of the modifier by reason: ``terrain``, ``unit``, ``defence``, ``wizards``, or an episode; empty in older games."""


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
    """The nation or person that killed them; empty if no one did."""
    why: str
    """``battle``, ``farmers``, ``no-retreat``, ``overpopulation``, ``event``"""
    hits: int = 0
    """Number of hits of the battle round that this uses."""
    cause: str = ""
    """The episode that removes them, if the reason is ``event``; empty in older games."""
    room: int = -1
    """The maximum of their kind there, if the reason is ``overpopulation``; -1 in older games."""


@dataclass(frozen=True, slots=True)
class HitsSpent:
    """Hits were lost: more than the nation's units, or too few for a giant (FRO-D18)."""

    nation: str
    area: str
    hits: int = 0
    why: str = ""
    """``beyond``, ``tough``; empty for a person, and in older games."""


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
    """The holder of each area with a battle in this phase, empty for none; empty in older games."""
