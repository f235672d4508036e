"""Wizards, who change dice before they are rolled (FRO-D03, FRO-D04)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import BendDie, Done
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.phases.battlefield import standing
from domain.games.fronela.phases.dice import ATTACK, DEFENCE, bent, throws
from domain.games.fronela.state import AreaBattle, FronelaState, count, groups, orders_in_silence
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Integer, Option, Seat


class NoSuchDie(RuleViolation):
    """A wizard can change only one of the dice that are about to be rolled."""

    code = "no-such-die"
    rule = "FRO-D03"


def attack_wizards(decision: FronelaDecision, _: str) -> None:
    _ask_wizards(decision, ATTACK)


def defence_wizards(decision: FronelaDecision, _: str) -> None:
    _ask_wizards(decision, DEFENCE)


def wizards(state: FronelaState, area: str, who: str) -> int:
    """The number of a side's wizards. Only Malkioni have any."""
    return count(groups(state, area, who), "wizard") if who in state.tables.nations else 0


def _bender(battle: AreaBattle, side: str) -> str:
    return battle.attacker if side == ATTACK else battle.defender


def bends(state: FronelaState, side: str) -> list[tuple[str, int, int]]:
    """The changes that one wizard of a side can make: whose dice, the number of dice, and the amount (FRO-D04)."""
    battle = standing(state)
    assert battle is not None
    attack = throws(state, battle.area, battle.attacker, ATTACK)
    if side == ATTACK:
        soldiers = sum(throw.kind == "soldier" for throw in attack)
        return [(ATTACK, soldiers, 1)] if soldiers else []
    defence = throws(state, battle.area, battle.defender, DEFENCE)
    return [(whose, len(dice), by) for whose, dice, by in ((ATTACK, attack, -1), (DEFENCE, defence, 1)) if dice]


def unused(state: FronelaState, battle: AreaBattle, side: str) -> int:
    """The number of a side's wizards that have not yet changed a die in this round."""
    used = sum((bend.side, bend.by) == (ATTACK, 1) for bend in battle.bends)
    if side == DEFENCE:
        used = len(battle.bends) - used
    return wizards(state, battle.area, _bender(battle, side)) - used


def _ask_wizards(decision: FronelaDecision, side: str) -> None:
    state = decision.state
    battle = standing(state)
    if battle is None or unused(state, battle, side) <= 0 or not bends(state, side):
        return
    who = _bender(battle, side)
    orders = state.orders.get(who)
    if side == DEFENCE and orders is not None and orders.wizards:
        while orders.wizards != "rest" and unused(decision.state, battle, side) > 0:
            decision.happen(_bend(decision.state, side, automatic_bend(decision.state, side, orders.wizards)))
            battle = standing(decision.state) or battle
        return
    decision.ask(seat_of(state, who), side + "_wizards", "FRO-D03", nation=who, area=battle.area)


def automatic_bend(state: FronelaState, side: str, policy: str = "weaken") -> BendDie:
    """The default change: one more on the weakest own die, or one less on the enemy's best die (7.8)."""
    battle = standing(state)
    assert battle is not None
    choices = {whose: number for whose, number, _ in bends(state, side)}
    whose = DEFENCE if side == DEFENCE and (policy == "strengthen" or ATTACK not in choices) else ATTACK
    if whose not in choices:
        whose = ATTACK
    who = battle.attacker if whose == ATTACK else battle.defender
    now = bent(battle, whose, throws(state, battle.area, who, whose))[: choices[whose]]
    best = max(now) if side == DEFENCE and whose == ATTACK else min(now)
    return BendDie(whose, now.index(best) + 1)


def _bend(state: FronelaState, side: str, command: BendDie) -> ev.DieBent:
    battle = standing(state)
    assert battle is not None
    for whose, number, by in bends(state, side):
        if command.side == whose:
            if not 1 <= command.die <= number:
                raise NoSuchDie(
                    f"There {'is only 1 die' if number == 1 else f'are only {number} dice'} on this side.",
                    field="die",
                    dice=number,
                )
            return ev.DieBent(_bender(battle, side), battle.area, whose, command.die, by)
    raise NoSuchDie(_untouched(side), field="side", dice=0)


def _untouched(side: str) -> str:
    if side == ATTACK:
        return "Wizards who attack can only strengthen the dice of soldiers beside them."
    return "There are no such dice for your wizards to touch."


class Wizards(FronelaQuestionKind):
    """Each wizard of one side may change one die."""

    commands = (BendDie, Done)
    several = True

    def __init__(self, side: str) -> None:
        self._side = side

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        options = [
            Option("bend_die", {"side": whose}, (Integer("die", 1, number),))
            for whose, number, _ in bends(state, self._side)
        ]
        return [*options, Option("done")]

    def usual(self, state: FronelaState) -> Any:
        battle = state.battle
        assert battle is not None
        policy = orders_in_silence(state, battle.defender).wizards if self._side == DEFENCE else ""
        return Done() if policy == "rest" else automatic_bend(state, self._side, policy or "weaken")

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        if isinstance(command, Done):
            decision.close()
            return
        decision.happen(_bend(decision.state, self._side, command))
        battle = decision.state.battle
        assert battle is not None
        if unused(decision.state, battle, self._side) <= 0:
            decision.close()
