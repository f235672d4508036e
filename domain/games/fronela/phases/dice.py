"""Combat dice: the number per side, the modifiers, and the hits (FRO-12 to FRO-14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from domain.games.fronela.episode_api.queries import DieBonus
from domain.games.fronela.episode_api.registry import answering, live, shares
from domain.games.fronela.episode_api.socket import Fighter
from domain.games.fronela.events import Die
from domain.games.fronela.scenarios.tables import STEEP, Nation
from domain.games.fronela.state import AreaBattle, FronelaState, Group, count, groups
from domain.kernel.dice import Dice

HITS_ON = 5
ATTACK, DEFENCE = "attack", "defence"


@dataclass(frozen=True, slots=True)
class Throw:
    """A die about to be rolled."""

    kind: str
    """The unit that rolls it."""
    because: Mapping[str, int]
    """The modifiers by reason: ``terrain``, ``unit``, ``defence``, persons. ``wizards`` are added later."""

    @property
    def modifier(self) -> int:
        return sum(self.because.values())


def fighter(state: FronelaState, who: str) -> Fighter | None:
    """The fighter with this name; None if no fighter has it."""
    for episode in live(state):
        person = episode.fighter(who)
        if person is not None:
            return person
    return None


def throws(state: FronelaState, area: str, who: str, side: str) -> list[Throw]:
    """The dice of one side before wizards change them, soldiers' dice first."""
    slope = -1 if side == ATTACK and state.tables.areas[area].terrain in STEEP else 0
    person = None if who in state.tables.nations else fighter(state, who)
    if person is not None:
        number, plus = person.dice(state)
        plain = [_throw("person", plus, 0, slope)] * number
    else:
        nation = state.tables.nations[who]
        plain = _units_dice(nation, groups(state, area, who), side, slope)
    if not answering(state, DieBonus):
        return plain
    return [
        Throw(throw.kind, {**throw.because, **shares(state, DieBonus(who, area, place), throw.modifier)})
        for place, throw in enumerate(plain, 1)
    ]


def _units_dice(nation: Nation, stack: Sequence[Group], side: str, slope: int) -> list[Throw]:
    dice: list[Throw] = []
    for kind, unit in nation.units.items():
        number = unit.dice * count(stack, kind) if unit.dice else 0
        if number:
            dice += [_throw(kind, unit.modifier, unit.defence if side == DEFENCE else 0, slope)] * number
    return dice


@lru_cache(maxsize=256)
def _throw(kind: str, unit: int, defence: int, terrain: int) -> Throw:
    """A die of the kind with its modifiers by reason. Zero modifiers are omitted."""
    added = {"unit": unit, "defence": defence, "terrain": terrain}
    return Throw(kind, {reason: by for reason, by in added.items() if by})


def bent(battle: AreaBattle, side: str, plain: Sequence[Throw]) -> list[int]:
    """The modifiers of a side's dice, including all changes by wizards."""
    return [throw.modifier for throw in with_wizards(battle, side, plain)]


def with_wizards(battle: AreaBattle, side: str, plain: Sequence[Throw]) -> list[Throw]:
    """A side's dice, including all changes by wizards."""
    if not battle.bends:
        return list(plain)
    changes = [0 for _ in plain]
    for bend in battle.bends:
        if bend.side == side:
            changes[bend.die - 1] += bend.by
    return [
        Throw(throw.kind, {**throw.because, "wizards": by}) if by else throw
        for throw, by in zip(plain, changes, strict=True)
    ]


def thrown(throws: Sequence[Throw], dice: Dice) -> tuple[Die, ...]:
    faces = [dice.roll(6) for _ in throws]
    return tuple(
        Die(face, throw.modifier, face + throw.modifier, throw.because)
        for face, throw in zip(faces, throws, strict=True)
    )


def hits(rolled: Sequence[Die]) -> int:
    """The number of results of 5 or more. A bare 6 does not hit on its own (FRO-D02)."""
    return sum(die.result >= HITS_ON for die in rolled)


def can_hit(plain: Sequence[Throw], attacking_wizards: int, defending_wizards: int) -> bool:
    """Whether the attacker can still hit in spite of the wizards (FRO-D05)."""
    reach = sum(6 + throw.modifier - (HITS_ON - 1) for throw in plain)
    return reach + (attacking_wizards if plain else 0) > defending_wizards
