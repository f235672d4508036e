"""Combat dice: how many each side throws, what is added, and what they hit (FRO-12 to FRO-14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.dice import Dice
from domain.fronela.episode.queries import DieBonus
from domain.fronela.episode.registry import adjusted, live
from domain.fronela.episode.socket import Fighter
from domain.fronela.events import Die
from domain.fronela.scenarios.tables import STEEP, Nation
from domain.fronela.state import Battle, Group, State, groups

HITS_ON = 5
ATTACK, DEFENCE = "attack", "defence"


@dataclass(frozen=True, slots=True)
class Throw:
    """A die that is about to be thrown."""

    kind: str
    """What throws it."""
    modifier: int
    """Of terrain, of what it is, of persons; wizards come on top."""


def fighter(state: State, who: str) -> Fighter | None:
    """The person of this name who fights, if it is one."""
    for episode in live(state):
        person = episode.fighter(who)
        if person is not None:
            return person
    return None


def throws(state: State, area: str, who: str, side: str) -> list[Throw]:
    """The dice of one side before any wizard touches them: soldiers' dice first."""
    slope = -1 if side == ATTACK and state.tables.areas[area].terrain in STEEP else 0
    person = None if who in state.tables.nations else fighter(state, who)
    if person is not None:
        number, plus = person.dice(state)
        plain = [("person", plus)] * number
    else:
        nation = state.tables.nations[who]
        plain = _units_dice(nation, groups(state, area, who), side)
    if not live(state):
        return [Throw(kind, plus + slope) for kind, plus in plain]
    return [
        Throw(kind, adjusted(state, DieBonus(who, area, place), plus + slope))
        for place, (kind, plus) in enumerate(plain, 1)
    ]


def _units_dice(nation: Nation, stack: Sequence[Group], side: str) -> list[tuple[str, int]]:
    dice = []
    for kind, unit in nation.units.items():
        number = unit.dice * sum(group.count for group in stack if group.kind == kind)
        dice += [(kind, unit.modifier + (unit.defence if side == DEFENCE else 0))] * number
    return dice


def bent(battle: Battle, side: str, plain: Sequence[Throw]) -> list[int]:
    """The modifiers of a side's dice with every wizard's change."""
    modifiers = [throw.modifier for throw in plain]
    for bend in battle.bends:
        if bend.side == side:
            modifiers[bend.die - 1] += bend.by
    return modifiers


def thrown(modifiers: Sequence[int], dice: Dice) -> tuple[Die, ...]:
    """The dice of one side, thrown."""
    faces = [dice.roll(6) for _ in modifiers]
    return tuple(Die(face, plus, face + plus) for face, plus in zip(faces, modifiers, strict=True))


def hits(rolled: Sequence[Die]) -> int:
    """How many of them are 5 or more; there is no hit by a bare 6 (FRO-D02)."""
    return sum(die.result >= HITS_ON for die in rolled)


def can_hit(plain: Sequence[Throw], attacking_wizards: int, defending_wizards: int) -> bool:
    """Whether the attacker has a way left to hit in spite of the wizards (FRO-D05)."""
    reach = sum(6 + throw.modifier - (HITS_ON - 1) for throw in plain)
    return reach + (attacking_wizards if plain else 0) > defending_wizards
