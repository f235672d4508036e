"""What a player can say in Fronela; episodes add their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from domain.shape import catalogue


@dataclass(frozen=True, slots=True)
class TurnRound:
    """SYSTEM: the round ends and the next begins (FRO-02)."""


@dataclass(frozen=True, slots=True)
class Grow:
    """The new unit of a growth roll that succeeded."""

    area: str
    kind: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a unit of a round's event comes to."""

    area: str


@dataclass(frozen=True, slots=True)
class March:
    """One step of some units of one group."""

    area: str
    unit: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Go:
    """Some units go all the way to an area that they reach without being stopped (FRO-D56)."""

    area: str
    unit: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Done:
    """The end of the answer: no more units, dice or areas are chosen, or none at all.

    Where something must be done it is done in the usual way, battles to the end of the combat phase (FRO-D57).
    """


@dataclass(frozen=True, slots=True)
class Auto:
    """The usual answer to all that is left of the question, as silence would give it."""


@dataclass(frozen=True, slots=True)
class PassNations:
    """Nothing is done for this nation, nor for those of the same player that follow it in the round (FRO-D59).

    It stops before anything that must be done, and is refused where something must be done now: a choice of what grows,
    a unit to place, a fleet to land, Harrek's ride; a nation that stands among others, so that it will have to fight; a
    nation that would lose units as too many while they can still move; any other question, one that is put to somebody
    else, and the end of the round.
    """


@dataclass(frozen=True, slots=True)
class Fight:
    """The next battle round is fought here (FRO-10)."""

    area: str
    against: str


MOST_ROUNDS = 20
"""So many battle rounds can be ordered at once; nearly every battle is over before."""


@dataclass(frozen=True, slots=True)
class FightOn:
    """Battle rounds are fought here one after another: at most so many, and no longer than ``until`` (FRO-D61).

    ``over``: one side is gone; ``outnumbered``: that too, or the attackers have fewer dice than the defenders. The first
    round is fought in any case. Questions that come between are put, and it goes on when they are answered.
    """

    area: str
    against: str
    until: str
    rounds: int


@dataclass(frozen=True, slots=True)
class Retreat:
    """Some units leave the battle."""

    unit: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Take:
    """The active player removes units for hits (FRO-15)."""

    unit: str
    count: int


@dataclass(frozen=True, slots=True)
class BendDie:
    """A wizard changes one die before the roll (FRO-D03): ``side`` is whose die it is."""

    side: str
    die: int


# -- standing orders, at any time -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetStance:
    """How a nation that is attacked answers: ``ask``, ``hold``, ``retreat_if_outnumbered``, ``always_retreat``."""

    nation: str
    stance: str


@dataclass(frozen=True, slots=True)
class SetRefuges:
    """The areas to which a nation retreats if it can, the best first."""

    nation: str
    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetLosses:
    """Which kinds of unit a nation loses first, and which it kills first, where its player may choose."""

    nation: str
    own: str
    enemy: str


@dataclass(frozen=True, slots=True)
class SetWizards:
    """What a nation's wizards do in defence: ``ask``, ``weaken``, ``strengthen``, ``rest``."""

    nation: str
    policy: str


@dataclass(frozen=True, slots=True)
class SetGrowth:
    """Whether a nation, or ``all`` of one's own, grows: ``grow``, ``decline`` (FRO-D54)."""

    nation: str
    growth: str


@dataclass(frozen=True, slots=True)
class SetWithdrawal:
    """When a nation that attacks goes back after a battle round: ``ask``, ``if_outnumbered``, ``always`` (FRO-D61)."""

    nation: str
    withdrawal: str


Command = (
    TurnRound
    | Grow
    | Place
    | March
    | Go
    | Done
    | Auto
    | PassNations
    | Fight
    | FightOn
    | Retreat
    | Take
    | BendDie
    | SetStance
    | SetRefuges
    | SetLosses
    | SetWizards
    | SetGrowth
    | SetWithdrawal
)
STANDING: dict[str, type[Any]] = catalogue(SetStance, SetRefuges, SetLosses, SetWizards, SetGrowth, SetWithdrawal)
"""Commands that a seat may send at any time, asked or not."""
COMMANDS: dict[str, type[Any]] = (
    catalogue(TurnRound, Grow, Place, March, Go, Done, Auto, PassNations, Fight, FightOn, Retreat, Take, BendDie)
    | STANDING
)
