"""The pending question, the legal commands of a seat, and the default on a timeout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter, is_
from typing import Any

from domain.games.fronela.commands import Auto, Done
from domain.games.fronela.phases.battlefield import contested
from domain.games.fronela.state import Asking, FronelaState, notes
from domain.games.fronela.turn import orders
from domain.games.fronela.turn.sequence import QUESTIONS
from domain.kernel.dice import Dice
from domain.kernel.terms import SYSTEM, Option, Question, Seat

_PASS = Option("pass_nations")
_SHORT = {Auto: Option("auto"), Done: Option("done")}


def awaiting(state: FronelaState) -> Sequence[Question]:
    """The pending question. The same object is returned while the question and the map stay the same."""
    asking = state.asking
    if asking is None or state.ended:
        return ()
    known, turn = notes(state), state.turn
    before: tuple[Asking, str, tuple[Question]] | None = known.get(awaiting)
    if before is not None and before[0] is asking and before[1] == turn:
        return before[2]
    standing = (_question(state, asking),)
    known[awaiting] = asking, turn, standing
    return standing


def _question(state: FronelaState, asking: Asking) -> Question:
    settled = asking.kind == "battle" and asking.area not in contested(state)
    area = "" if settled else asking.area
    about = {name: value for name, value in (("nation", asking.nation), ("area", area)) if value}
    return Question(asking.serial, 0, asking.seat, asking.kind, asking.clause, about)


def legal(state: FronelaState, seat: Seat) -> Sequence[Option]:
    """Answers to the seat's pending question, and the standing orders that it may give at any time."""
    standing = () if seat == SYSTEM or state.ended else orders.legal(state.scenario, seat)
    asking = state.asking
    if asking is None or asking.seat != seat or state.ended:
        return standing
    known, now = notes(state), _parts(state)
    before: tuple[Any, tuple[Option, ...]] | None = known.get(legal)
    if before is not None and all(map(is_, before[0], now)):
        return before[1]
    options = (*_answers(state, seat), *standing)
    known[legal] = now, options
    return options


_parts = attrgetter("asking", "order", "place", "battle", "fought", "grown", "pool")
"""Parts of the state that answers depend on, in addition to the map. Orders and points do not change them."""


def _answers(state: FronelaState, seat: Seat) -> Iterator[Option]:
    assert state.asking is not None
    question = QUESTIONS[state.asking.kind]
    yield from question.legal(state, seat)
    yield from (_SHORT[kind] for kind in shortcuts(state))
    if question.idle(state) is not None:
        yield _PASS


def shortcuts(state: FronelaState) -> tuple[type[Any], ...]:
    """The commands that answer the rest of the question by default (FRO-D57). SYSTEM needs none."""
    assert state.asking is not None
    if state.asking.seat == SYSTEM:
        return ()
    question = QUESTIONS[state.asking.kind]
    if state.tables.reads("auto_and_done") == "where-several":
        return (Auto,) if question.several else ()
    return (Auto,) if Done in question.commands else (Auto, Done)


def default(state: FronelaState, seat: Seat, dice: Dice) -> Any:
    assert state.asking is not None
    return QUESTIONS[state.asking.kind].default(state, seat, dice)
