"""Whether commits are undone at once, who must agree, and the effect of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.kernel.errors import AlreadyAnswered
from domain.kernel.lifecycle import Table
from domain.kernel.record import NO_COMMIT, Bars, Position
from domain.kernel.terms import HOUR, SYSTEM, Integer, OneOf, Option, Seat, Seq
from domain.table.part import Moment
from domain.table.undo.memory import (
    FREE,
    KEY,
    OFF,
    AnswerUndo,
    NobodyToAsk,
    NotThatFar,
    NoUndo,
    RequestUndo,
    UndoAgreed,
    UndoAsked,
    UndoDeclined,
    Undoing,
    Undone,
    UndoRequested,
)
from domain.table.votes.upgrading import upgrade_of

REACH = 64
"""Number of commits that a seat may undo, counted back from the last that showed it anything."""
FURTHEST = 128
"""The total limit, including commits not shown to the seat. `domain.kernel.record.KEPT` is larger."""
LONGEST = 24
"""Hours in which the others must answer, in a game with a clock."""


def taking_back(position: Position, command: Mapping[str, Any]) -> Seq | None:
    """The first commit that a command, as JSON, undoes if granted. None if it cannot be undone."""
    if position.bars is None or position.table is None:
        return None
    request, first = position.table.memories[KEY].request, None
    if command.get("type") == "request_undo":
        first = command.get("seq")
    elif command.get("type") == "answer_undo" and request is not None:
        first = request.first
    return Seq(first) if type(first) is int and max(1, position.seq - FURTHEST) < first <= position.seq else None


def requested(memory: Undoing, moment: Moment, seat: Seat, command: RequestUndo) -> Sequence[Any]:
    position, first = moment.position, Seq(command.seq)
    if memory.mode == OFF or position.bars is None:
        raise NoUndo("Undo is disabled in this game.")
    reach = _reach(moment, seat)
    if first not in reach or position.seq - first >= FURTHEST:
        raise NotThatFar(
            f"You can undo from commits {reach.start} to {reach.stop - 1}." if reach else "There is nothing to undo.",
            field="seq",
            first=reach.start,
            last=reach.stop - 1,
        )
    concerned = _concerned(memory.mode, position.bars, moment.table, seat, first)
    if concerned is None:
        raise NobodyToAsk(
            "Undo needs consent, because dice, draws or secrets were revealed since, or you have not acted. There is no other player to agree."
        )
    if not concerned:
        return [Undone(seat, first, position.seq)]
    if not _may_ask(memory, moment.table, seat):
        raise UndoAsked("An undo request is already open, or this one was declined and no one has moved since.")
    return [UndoRequested(seat, first, concerned, _deadline(moment))]


def _reach(moment: Moment, seat: Seat) -> range:
    """The commits that the seat may name. Derived from what it was shown, so that they reveal nothing else.

    A calendar day that is over does not begin again, and decisions by rules that the players have left are not undone.
    """
    last, bars = moment.position.etag(seat), moment.position.bars
    first = max(2, last - REACH + 1, _left_behind(moment.table) + 1)
    if bars is not None and moment.table.pace.get("mode") == "calendar":
        first = max(first, bars.acted[SYSTEM] + 1)
    return range(first, max(first, last + 1))


def _left_behind(table: Table) -> Seq:
    """The last commit that was decided by rules which the players have left."""
    upgraded = upgrade_of(table)
    return NO_COMMIT if upgraded is None else upgraded.seq


def _concerned(mode: str, bars: Bars, table: Table, seat: Seat, first: Seq) -> tuple[Seat, ...] | None:
    """The seats that must agree. Empty if no one must; None if someone must and no one can.

    The seat knows all of this from its own history: a commit that showed it nothing counts as one that revealed a
    secret.
    """
    players = _players(table, seat)
    if first <= max(bars.told, bars.hidden[seat]) or bars.acted[seat] < first:
        return players or None
    if mode == FREE:
        return ()
    return tuple(other for other in players if bars.acted[other] >= first)


def _players(table: Table, seat: Seat) -> tuple[Seat, ...]:
    """The other seats with players, who can be asked."""
    return tuple(other for other in table.players if other != seat)


def _may_ask(memory: Undoing, table: Table, seat: Seat) -> bool:
    asks = memory.request is not None and memory.request.stands(table)
    return not asks and seat not in memory.declined


def _deadline(moment: Moment) -> int | None:
    """A day, or the time of a question of the game if that is shorter. None in a game without a clock."""
    pace = moment.table.pace
    if pace.get("mode", "free") == "free":
        return None
    hours: int = min(LONGEST, pace.get("hours", LONGEST))
    return moment.at + hours * HOUR


def wishes(memory: Undoing, moment: Moment, seat: Seat) -> Iterator[Option]:
    """Every commit that the seat may name."""
    bars, table = moment.position.bars, moment.table
    if memory.mode == OFF or bars is None:
        return
    reach = _reach(moment, seat)
    lowest, highest = max(reach.start, moment.position.seq - FURTHEST + 1), reach.stop - 1
    if not _may_ask(memory, table, seat) or not _players(table, seat):
        lowest = next(
            (seq for seq in range(lowest, highest + 1) if _at_once(memory, bars, table, seat, seq)), highest + 1
        )
        highest = min(highest, bars.acted[seat])
    if lowest <= highest:
        yield Option("request_undo", {}, (Integer("seq", lowest, highest),))


def _at_once(memory: Undoing, bars: Bars, table: Table, seat: Seat, seq: int) -> bool:
    return _concerned(memory.mode, bars, table, seat, Seq(seq)) == ()


def answered(memory: Undoing, moment: Moment, seat: Seat, command: AnswerUndo) -> Sequence[Any]:
    request = memory.request
    if request is None or request.seq != command.request or not request.stands(moment.table):
        raise AlreadyAnswered("This undo request is no longer open.", field="request")
    if seat not in request.waiting:
        raise AlreadyAnswered(
            "This undo request does not need your answer, or you have already answered.", field="request"
        )
    if not command.agree:
        return [UndoDeclined(seat, request.seq)]
    if len(request.waiting) > 1:
        return [UndoAgreed(seat, request.seq)]
    if moment.position.seq - request.first >= FURTHEST:
        raise NotThatFar("Too many commits have followed. This undo request is now too old.", field="request")
    if request.first <= _left_behind(moment.table):
        raise NotThatFar("The players have agreed to other rules since then.", field="request")
    return [
        UndoAgreed(seat, request.seq),
        Undone(request.seat, request.first, moment.position.seq, request.asked),
    ]


def answers(memory: Undoing, moment: Moment, seat: Seat) -> Iterator[Option]:
    request = memory.request
    if request is None or seat not in request.waiting or not request.stands(moment.table):
        return
    far = moment.position.seq - request.first >= FURTHEST or request.first <= _left_behind(moment.table)
    far = far and len(request.waiting) == 1
    yield Option("answer_undo", {"request": request.seq}, (OneOf("agree", (False,) if far else (True, False)),))
