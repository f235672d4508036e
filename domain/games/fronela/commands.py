"""The commands of Fronela. Episodes add their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from domain.kernel.shape import catalogue


@dataclass(frozen=True, slots=True)
class TurnRound:
    """End the round and begin the next (FRO-02). Only the game itself sends this command."""


@dataclass(frozen=True, slots=True)
class Grow:
    """Choose the new unit of a successful growth roll."""

    area: str
    kind: str


@dataclass(frozen=True, slots=True)
class Place:
    """Choose the area for a unit from an event of the round."""

    area: str


@dataclass(frozen=True, slots=True)
class March:
    """Move some units of one group by one step."""

    area: str
    unit: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Go:
    """Move units all the way to an area that they can reach without being stopped (FRO-D56)."""

    area: str
    unit: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Done:
    """End the answer: choose no more units, dice or areas, or none at all.

    Mandatory decisions are made as after a timeout, and battles are fought to the end of the combat phase (FRO-D57).
    """


@dataclass(frozen=True, slots=True)
class Auto:
    """Give the default answer to the rest of the question, as after a timeout."""


@dataclass(frozen=True, slots=True)
class PassNations:
    """Pass this nation, and the nations of the same player that follow in the round (FRO-D59).

    Passing stops before every mandatory decision, and is refused if one is pending. Mandatory decisions are:

    * growth, a unit to place, a fleet to land, Harrek's ride;
    * a nation that will have to fight because it is among other nations;
    * units in excess that can still move;
    * any other question, a question to another player, and the end of the round.
    """


@dataclass(frozen=True, slots=True)
class Fight:
    """Fight the next battle round here (FRO-10)."""

    area: str
    against: str


MOST_ROUNDS = 20
"""Maximum number of battle rounds per command. Nearly every battle ends earlier."""


@dataclass(frozen=True, slots=True)
class FightOn:
    """Fight several battle rounds here: at most ``rounds``, and until ``until`` (FRO-D61).

    ``over``: one side is gone. ``outnumbered``: one side is gone, or the attackers have fewer dice than the defenders.
    The first round is always fought. Questions in between are asked, and the rounds continue after the answer.
    """

    area: str
    against: str
    until: str
    rounds: int


@dataclass(frozen=True, slots=True)
class Retreat:
    """Withdraw some units from the battle."""

    unit: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Take:
    """Remove units for hits (FRO-15). The active player decides."""

    unit: str
    count: int


@dataclass(frozen=True, slots=True)
class BendDie:
    """Let a wizard change one die before the roll (FRO-D03). ``side`` is the owner of the die."""

    side: str
    die: int


# -- standing orders, at any time -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetStance:
    """Set how a nation answers an attack: ``ask``, ``hold``, ``retreat_if_outnumbered``, ``always_retreat``."""

    nation: str
    stance: str


@dataclass(frozen=True, slots=True)
class SetRefuges:
    """Set the areas to which a nation retreats if possible, best first."""

    nation: str
    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetLosses:
    """Set the kinds of unit that a nation loses first, and those it kills first, if its player can choose."""

    nation: str
    own: str
    enemy: str


@dataclass(frozen=True, slots=True)
class SetWizards:
    """Set how a nation's wizards defend: ``ask``, ``weaken``, ``strengthen``, ``rest``."""

    nation: str
    policy: str


@dataclass(frozen=True, slots=True)
class SetGrowth:
    """Set whether a nation, or ``all`` your nations, grow: ``grow``, ``decline`` (FRO-D54)."""

    nation: str
    growth: str


@dataclass(frozen=True, slots=True)
class SetWithdrawal:
    """Set when a nation that attacks withdraws after a battle round: ``ask``, ``if_outnumbered``, ``always`` (FRO-D61)."""

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
"""Commands that a seat may send at any time, with or without a pending question."""
COMMANDS: dict[str, type[Any]] = (
    catalogue(TurnRound, Grow, Place, March, Go, Done, Auto, PassNations, Fight, FightOn, Retreat, Take, BendDie)
    | STANDING
)
