"""The opponents of the active nation or person (FRO-19), and whether a defender stays."""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.fronela.phases.dice import ATTACK, DEFENCE, fighter, throws
from domain.games.fronela.state import AreaBattle, FronelaState, areas_of, noted, others


def contested(state: FronelaState) -> Mapping[str, tuple[str, ...]]:
    """The areas with opponents of the active nation or person, and those opponents."""
    return _foes(state, state.turn)


@noted
def _foes(state: FronelaState, who: str) -> Mapping[str, tuple[str, ...]]:
    if who in state.tables.nations:
        return {area: tuple(foes) for area in areas_of(state, who) if (foes := others(state, area, who))}
    person = fighter(state, who)
    return person.foes(state) if person is not None else {}


def opposed(state: FronelaState, area: str, foe: str) -> bool:
    """Whether the active side and this opponent are both in the area."""
    return foe in contested(state).get(area, ())


def standing(state: FronelaState) -> AreaBattle | None:
    """The battle of this round; None unless both sides still have units there."""
    battle = state.battle
    return battle if battle is not None and opposed(state, battle.area, battle.defender) else None


def holds_out(state: FronelaState, battle: AreaBattle, stance: str) -> bool:
    """Whether a defender with this stance stays."""
    return stance == "hold" or (stance == "retreat_if_outnumbered" and not outnumbered(state, battle))


def outnumbered(state: FronelaState, battle: AreaBattle) -> bool:
    """Whether the defender has fewer dice."""
    return _lead(state, battle) > 0


def attackers_outnumbered(state: FronelaState, battle: AreaBattle) -> bool:
    """Whether the attacker has fewer dice."""
    return _lead(state, battle) < 0


def _lead(state: FronelaState, battle: AreaBattle) -> int:
    """The attacker's dice minus the defender's."""
    attack = throws(state, battle.area, battle.attacker, ATTACK)
    return len(attack) - len(throws(state, battle.area, battle.defender, DEFENCE))
