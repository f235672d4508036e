"""Undo as a part of the table: a seat asks to return the game to its state before a commit.

Nothing leaves the log. Undo resets the state of the game and its questions. Seats, chat, agreements at the table, and
the dice are not reset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.kernel.lifecycle import SeatResigned, Table
from domain.kernel.settings import Setting
from domain.kernel.shape import catalogue
from domain.kernel.terms import Option, Question, Seat, Seq
from domain.table.part import PLACE, Moment, Part
from domain.table.undo import deciding
from domain.table.undo.memory import (
    CONSENT,
    FREE,
    KEY,
    OFF,
    UNDONES,
    AnswerUndo,
    Request,
    RequestUndo,
    UndoAgreed,
    UndoDeclined,
    Undoing,
    Undone,
    UndoRequested,
)

SHOWN = 16
"""Number of undone ranges in the view."""


class UndoPart(Part[Undoing]):
    """A seat undoes alone if no one else has acted since and no secret was revealed; otherwise by consent."""

    key = KEY
    memory = Undoing
    settings = (
        Setting(
            "undo",
            "Whether players can undo moves. `consent`: the affected seats must agree. `free`: consent is needed only for "
            "chance and secrets. `off`: no undo.",
            CONSENT,
            (CONSENT, FREE, OFF),
        ),
    )
    commands = catalogue(RequestUndo, AnswerUndo)
    events = catalogue(UndoRequested, UndoAgreed, UndoDeclined, Undone)
    unasked = ("request_undo",)
    moving = ("undone",)
    questions = (KEY,)
    asks: Mapping[str, str | Sequence[str]] = {
        KEY: "{wishes:seat} asks to undo everything from commit {first} onward. Agree or decline."
    }
    sentences: Mapping[str, str | Sequence[str]] = {
        "undo_requested": "{seat:seat} asks {asked:seats} to undo everything from commit {first} onward.",
        "undo_agreed": "{seat:seat} agrees to the undo.",
        "undo_declined": "{seat:seat} declines the undo.",
        "undone": "{seat:seat} undoes everything from commit {first} onward.",
    }

    def begins(self, chosen: Mapping[str, Any], seats: int) -> Undoing:  # noqa: ARG002
        return Undoing(chosen["undo"])

    def decide(self, memory: Undoing, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        if isinstance(command, AnswerUndo):
            return deciding.answered(memory, moment, seat, command)
        return deciding.requested(memory, moment, seat, command)

    def evolve(self, memory: Undoing, event: Any, seq: Seq, at: int) -> Undoing:  # noqa: ARG002
        match event:
            case UndoRequested(seat, first, asked, due):
                return replace(memory, request=Request(seat, seq, first, asked, asked, due))
            case UndoAgreed(seat):
                assert memory.request is not None
                waiting = tuple(each for each in memory.request.waiting if each != seat)
                return replace(memory, request=replace(memory.request, waiting=waiting))
            case UndoDeclined():
                assert memory.request is not None
                return replace(memory, request=None, declined=(*memory.declined, memory.request.seat))
            case Undone(_, first):
                others = tuple((begin, by) for begin, by in memory.undone if by < first)
                return Undoing(memory.mode, undone=(*others, (first, seq))[-UNDONES:])
            case SeatResigned(seat) if memory.request is not None and seat in memory.request.waiting:
                return replace(memory, request=None)
            case _:
                return memory

    def awaiting(self, memory: Undoing, table: Table) -> Sequence[Question]:
        request = memory.request
        if request is None or not request.stands(table):
            return ()
        about = {"wishes": request.seat, "first": request.first, "request": request.seq}
        return [Question(-request.seq, PLACE, seat, KEY, "", about) for seat in request.waiting]

    def due(self, memory: Undoing, question: Question) -> int | None:  # noqa: ARG002
        return None if memory.request is None else memory.request.due

    def default(self, memory: Undoing, question: Question) -> AnswerUndo:  # noqa: ARG002
        return AnswerUndo(-question.serial, agree=False)

    def legal(self, memory: Undoing, moment: Moment, seat: Seat) -> Sequence[Option]:
        return [*deciding.wishes(memory, moment, seat), *deciding.answers(memory, moment, seat)]

    def view(self, memory: Undoing) -> Mapping[str, Any]:
        """``mode``, the last undone ranges, and the open request."""
        request = memory.request
        return {
            "mode": memory.mode,
            "undone": [{"first": first, "last": by - 1, "by": by} for first, by in memory.undone[-SHOWN:]],
            "request": None
            if request is None
            else {
                "seat": request.seat,
                "request": request.seq,
                "first": request.first,
                "waiting": list(request.waiting),
                "due": request.due,
            },
        }


UNDO = UndoPart()
