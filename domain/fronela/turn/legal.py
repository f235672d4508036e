"""The question that stands, what a seat may say now, and what silence means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.dice import Dice
from domain.fronela.state import State
from domain.fronela.turn import orders
from domain.fronela.turn.sequence import QUESTIONS
from domain.terms import SYSTEM, Option, Question, Seat

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
    return (*question.legal(state, seat), *((_AUTO,) if question.several else ()), *standing)


def default(state: State, seat: Seat, dice: Dice) -> Any:
    """The command that silence stands for."""
    assert state.asking is not None
    return QUESTIONS[state.asking.kind].default(state, seat, dice)
