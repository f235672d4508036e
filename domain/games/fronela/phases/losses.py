"""Losses: the active player chooses the units that are lost on both sides (FRO-15, FRO-D18)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Take
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.phases.dice import fighter
from domain.games.fronela.phases.malkioni import KILL_ORDER, LOSS_ORDERS
from domain.games.fronela.phases.movement.naming import NoSuchUnits, by_name, called, name, some
from domain.games.fronela.state import (
    NO_ORDERS,
    AreaBattle,
    FronelaState,
    Group,
    Orders,
    count,
    groups,
    orders_in_silence,
    size,
)
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Integer, Option, Seat


class TooManyLosses(RuleViolation):
    """More units are named than there are hits."""

    code = "too-many-losses"
    rule = "FRO-D18"


def defender_losses(decision: FronelaDecision, _: str) -> None:
    battle = decision.state.battle
    if battle is not None and battle.dealt:
        _losses(decision, "defender_losses")


def attacker_losses(decision: FronelaDecision, _: str) -> None:
    """The attacker's losses. A person handles hits in its own way."""
    battle = decision.state.battle
    if battle is None or not battle.suffered:
        return
    person = fighter(decision.state, battle.attacker) if battle.attacker not in decision.state.tables.nations else None
    if person is not None:
        person.suffer(decision, battle.suffered)
    else:
        _losses(decision, "attacker_losses")


def _side(battle: AreaBattle, kind: str) -> tuple[str, str, int]:
    """The side that loses units, its opponent, and the number of remaining hits."""
    if kind == "defender_losses":
        return battle.defender, battle.attacker, battle.dealt
    return battle.attacker, battle.defender, battle.suffered


def _losses(decision: FronelaDecision, kind: str) -> None:
    state = decision.state
    assert state.battle is not None
    loser, _, _ = _side(state.battle, kind)
    wish = _wish(state.orders.get(state.turn, NO_ORDERS), kind)
    while _remove_forced(decision, kind):
        if not wish:
            clause = "FRO-15"
            decision.ask(seat_of(state, state.turn), kind, clause, nation=loser, area=state.battle.area)
            return
        _take(decision, kind, usual_loss(decision.state, kind, wish))


def _wish(orders: Orders, kind: str) -> str:
    """The loss order that applies; empty if the orders do not set one."""
    return orders.enemy_losses if kind == "defender_losses" else orders.own_losses


def _remove_forced(decision: FronelaDecision, kind: str) -> bool:
    """Remove the units that are lost without a choice. Returns whether a choice is left."""
    state = decision.state
    assert state.battle is not None
    loser, killer, hits = _side(state.battle, kind)
    stack = groups(state, state.battle.area, loser)
    if not hits:
        return False
    toughness = max(state.tables.nations[loser].units[group.kind].hits for group in stack)
    if toughness > hits:
        decision.happen(ev.HitsSpent(loser, state.battle.area, hits, "tough"))
        return False
    if toughness == 1 and len(stack) > 1 and hits < size(stack):
        names = tuple(by_name(state, stack))
        if len(names) > 1:
            return True
        _take(decision, kind, Take(names[0], hits))  # units of one name leave no choice (FRO-D58)
        return False
    for group in stack:
        number = min(group.count, hits // toughness)
        _remove(decision, loser, killer, group, number, number * toughness)
        hits -= number * toughness
    if hits:
        decision.happen(ev.HitsSpent(loser, state.battle.area, hits, "beyond"))
    return False


def _remove(decision: FronelaDecision, loser: str, killer: str, group: Group, number: int, hits: int) -> None:
    battle = decision.state.battle
    assert battle is not None
    decision.happen(
        ev.UnitsLost(loser, battle.area, group.kind, number, group.came, group.fled, killer, "battle", hits)
    )


def _take(decision: FronelaDecision, kind: str, command: Take) -> None:
    state = decision.state
    assert state.battle is not None
    loser, killer, hits = _side(state.battle, kind)
    try:
        meant = called(state, groups(state, state.battle.area, loser), command.unit, command.count)
    except NoSuchUnits as violation:
        violation.rule = "FRO-D18"
        raise
    if command.count > hits:
        sentence = f"{hits} {'hit is' if hits == 1 else 'hits are'} left to take."
        raise TooManyLosses(sentence, field="count", hits=hits, asked=command.count)
    for group in some(sorted(meant, key=lambda group: not group.fled), command.count):
        _remove(decision, loser, killer, group, group.count, group.count)


def usual_loss(state: FronelaState, kind: str, wish: str = "usual") -> Take:
    """One unit to lose: by the order if there is one, otherwise by FRO-D18."""
    assert state.battle is not None
    loser, _, _ = _side(state.battle, kind)
    stack = groups(state, state.battle.area, loser)
    usual = KILL_ORDER if kind == "defender_losses" else LOSS_ORDERS
    order = usual if wish == "usual" else tuple(wish.split(","))
    last_soldier = wish == "usual" and kind == "attacker_losses" and count(stack, "soldier") == 1

    def rank(group: Group) -> int:
        if last_soldier and group.kind == "soldier":
            return len(order) + 1
        caste = "lord" if group.kind == "lord_death" else group.kind
        return order.index(caste) if caste in order else len(order)

    # Units that came from elsewhere and have retreated cannot retreat again, so they are lost first.
    return Take(name(state, min(stack, key=lambda group: (rank(group), not group.fled))), 1)


class Losses(FronelaQuestionKind):
    """The active player removes units until the hits are used up."""

    commands = (Take,)
    several = True

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        assert state.battle is not None
        loser, _, hits = _side(state.battle, self._kind)
        return [
            Option("take", {"unit": unit}, (Integer("count", 1, min(hits, size(meant))),))
            for unit, meant in by_name(state, groups(state, state.battle.area, loser)).items()
        ]

    def usual(self, state: FronelaState) -> Any:
        return usual_loss(state, self._kind, _wish(orders_in_silence(state, state.turn), self._kind) or "usual")

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        _take(decision, self._kind, command)
        if not _remove_forced(decision, self._kind):
            decision.close()
