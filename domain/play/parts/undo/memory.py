"""What is said and what happens when commits are taken back, and what the table remembers of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from domain.errors import RuleViolation
from domain.play.record import Asked, Clock
from domain.play.table import Table, remembering
from domain.terms import HOUR, SYSTEM, Seat, Seq

KEY = "undo"
CONSENT, FREE, OFF = "consent", "free", "off"

LEAST = HOUR
"""Milliseconds that who is asked again has at least, where others have agreed."""
UNDONES = 256
"""Stretches that are remembered to have been taken back."""


class NoUndo(RuleViolation):
    """Nothing is taken back in this game."""

    code = "no-undo"


class NotThatFar(RuleViolation):
    """There is no such commit to take back, or it lies too far back."""

    code = "not-that-far"


class NobodyToAsk(RuleViolation):
    """It could be taken back with the others' consent only, and bots sit there."""

    code = "nobody-to-ask"


class UndoAsked(RuleViolation):
    """The others are being asked about another such wish, or have only just declined one of this seat's."""

    code = "undo-asked"


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestUndo:
    """Ask to undo the commit ``seq`` and all later ones."""

    seq: int


@dataclass(frozen=True, slots=True)
class AnswerUndo:
    """Answer a request to undo. ``request`` is the commit of the request."""

    request: int
    agree: bool


# -- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UndoRequested:
    seat: Seat
    first: Seq
    asked: tuple[Seat, ...]
    """Who must agree."""
    due: int | None = None
    """By when, milliseconds of Unix time; silence is no."""


@dataclass(frozen=True, slots=True)
class UndoAgreed:
    seat: Seat
    request: Seq


@dataclass(frozen=True, slots=True)
class UndoDeclined:
    seat: Seat
    request: Seq


@dataclass(frozen=True, slots=True)
class Undone:
    """The game was reset to its state before the commit ``first``."""

    seat: Seat
    """Who had asked for it."""
    first: Seq
    last: Seq
    """Both, and all between, are taken back."""
    agreed: tuple[Seat, ...] = ()
    """Who was asked; nobody where nothing stood against it."""


# -- memory -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """A seat's wish that others are asked about."""

    seat: Seat
    seq: Seq
    """The commit in which it asked."""
    first: Seq
    asked: tuple[Seat, ...]
    waiting: tuple[Seat, ...]
    """Who has not answered."""
    due: int | None = None

    def stands(self, table: Table) -> bool:
        """Whether players have all the seats that it is between."""
        return all(table.is_played(seat) for seat in (self.seat, *self.waiting))


@dataclass(frozen=True, slots=True)
class Undoing:
    mode: str
    request: Request | None = None
    declined: tuple[Seat, ...] = ()
    """Whose wish was declined since the game was last played on: they do not ask again before that."""
    undone: tuple[tuple[Seq, Seq], ...] = ()
    """What is taken back and has not been brought about again: each from a commit up to the one that took it back."""


def memory_of(table: Table | None) -> Undoing | None:
    """What the table remembers of what was taken back; None for one at which nothing is."""
    memory: Undoing | None = None if table is None else table.memories.get(KEY)
    return memory


def can_take_back(table: Table) -> bool:
    """Whether commits can be taken back at all in this game."""
    memory = memory_of(table)
    return memory is not None and memory.mode != OFF


def played_on(table: Table) -> Table:
    """The table after events of the game's: whoever was asked whether commits may be taken back has let it go on."""
    memory = memory_of(table)
    if memory is None or (memory.request is None and not memory.declined):
        return table
    return remembering(table, {**table.memories, KEY: replace(memory, request=None, declined=())})


def due_again(clock: Clock, again: Asked, left: tuple[int, int], at: int, least: int) -> int:
    """When a question is due that is asked again: after as much time as there was from one instant to another, or the least."""
    if again.question.seat == SYSTEM and left[1] <= left[0]:
        return at
    time = clock.between(again, left[0], max(left)) if left[1] > left[0] else 0
    return clock.later(again, at, max(time, least))


def dated(asked: Asked, due: int | None) -> Asked:
    """A question with another deadline; as it is without one."""
    if due is None:
        return asked
    return replace(asked, due=due) if asked.held is None else replace(asked, held=replace(asked.held, due=due))


def taken_back(memory: Undoing, seq: int) -> int | None:
    """The commit that took this one back; None if it has not been."""
    return next((by for first, by in reversed(memory.undone) if first <= seq < by), None)
