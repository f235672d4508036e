"""Everything a seat may say now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.dice import Dice
from domain.errors import NotAsked, NotNow
from domain.fronela.commands import STANDING, Auto, Command
from domain.fronela.episode.decision import Decision
from domain.fronela.state import State
from domain.fronela.turn import orders
from domain.fronela.turn.sequence import QUESTIONS, STEPS
from domain.terms import SYSTEM, Option, Question, Seat

_STANDING = tuple(STANDING.values())
_AUTO = Option("auto")


def awaiting(state: State) -> Sequence[Question]:
    """The one question that stands."""
    asking = state.asking
    if asking is None or state.ended:
        return ()
    about = {name: value for name, value in (("nation", asking.nation), ("area", asking.area)) if value}
    return (Question(asking.serial, 0, asking.seat, asking.kind, asking.clause, about),)


def legal(state: State, seat: Seat) -> Sequence[Option]:
    """Answers to the seat's question, if it is asked, and the standing orders it may give at any time."""
    standing = () if seat == SYSTEM or state.ended else orders.legal(state.scenario, seat)
    asking = state.asking
    if asking is None or asking.seat != seat or state.ended:
        return standing
    question = QUESTIONS[asking.kind]
    return (*question.legal(state), *((_AUTO,) if question.several else ()), *standing)


def default(state: State) -> Any:
    """What silence means: the usual answer, to all of the question."""
    asking = state.asking
    assert asking is not None
    question = QUESTIONS[asking.kind]
    return Auto() if question.several else question.usual(state)


def decide(state: State, seat: Seat, command: Command, dice: Dice) -> list[Any]:
    """What the command comes to; raises `RuleViolation` where the rules forbid it."""
    if isinstance(command, _STANDING):
        return orders.decide(state, seat, command)
    asking = state.asking
    if asking is None or asking.seat != seat:
        raise NotAsked("It is not your turn.", asked=[] if asking is None else [asking.seat])
    question = QUESTIONS[asking.kind]
    decision = Decision(state, dice, STEPS)
    if isinstance(command, Auto) and question.several:
        while decision.waits:
            question.answer(decision, question.usual(decision.state))
    elif isinstance(command, question.commands):
        question.answer(decision, command)
    else:
        raise NotNow("You are asked something else.", rule=asking.clause, field="type", asked=asking.kind)
    decision.run()
    return decision.events
