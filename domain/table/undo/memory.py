"""Commands and events of undo, and the table's memory of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from domain.kernel.errors import RuleViolation
from domain.kernel.lifecycle import Table, remembering
from domain.kernel.record import Asked, Clock
from domain.kernel.terms import HOUR, SYSTEM, Seat, Seq

KEY = "undo"
CONSENT, FREE, OFF = "consent", "free", "off"

LEAST = HOUR
"""Minimum time in milliseconds for a question that is asked again after others have agreed."""
UNDONES = 256
"""Number of undone ranges that are remembered."""


class NoUndo(RuleViolation):
    """The game does not allow undo."""

    code = "no-undo"


class NotThatFar(RuleViolation):
    """There is no such commit to undo, or it is too far back."""

    code = "not-that-far"


class NobodyToAsk(RuleViolation):
    """Undo needs the consent of other players, and there are none."""

    code = "nobody-to-ask"


class UndoAsked(RuleViolation):
    """Another request to undo is open, or the others have just declined one of this seat."""

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
    """The seats that must agree."""
    due: int | None = None
    """The deadline, milliseconds of Unix time. No answer counts as no."""


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
    """The seat that requested it."""
    first: Seq
    last: Seq
    """The last undone commit. All commits from ``first`` to ``last`` are undone."""
    agreed: tuple[Seat, ...] = ()
    """The seats that were asked; empty if no consent was needed."""


# -- memory -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """A seat's request that others must answer."""

    seat: Seat
    seq: Seq
    """The commit of the request."""
    first: Seq
    asked: tuple[Seat, ...]
    waiting: tuple[Seat, ...]
    """The seats that have not answered."""
    due: int | None = None

    def stands(self, table: Table) -> bool:
        """Whether all seats involved still have players."""
        return all(table.is_played(seat) for seat in (self.seat, *self.waiting))


@dataclass(frozen=True, slots=True)
class Undoing:
    mode: str
    request: Request | None = None
    declined: tuple[Seat, ...] = ()
    """Seats whose request was declined since the game last continued. They cannot ask again before it continues."""
    undone: tuple[tuple[Seq, Seq], ...] = ()
    """Ranges that are undone and have not been restored: each from a commit to the one that undid it."""


def memory_of(table: Table | None) -> Undoing | None:
    """The table's memory of undo. None in a game without it."""
    memory: Undoing | None = None if table is None else table.memories.get(KEY)
    return memory


def can_take_back(table: Table) -> bool:
    """Whether commits can be undone in this game at all."""
    memory = memory_of(table)
    return memory is not None and memory.mode != OFF


def played_on(table: Table) -> Table:
    """The table after events of the game: open requests to undo lapse."""
    memory = memory_of(table)
    if memory is None or (memory.request is None and not memory.declined):
        return table
    return remembering(table, {**table.memories, KEY: replace(memory, request=None, declined=())})


def due_again(clock: Clock, again: Asked, left: tuple[int, int], at: int, least: int) -> int:
    """The new deadline of a question asked again: its remaining time between two instants, or the minimum."""
    if again.question.seat == SYSTEM and left[1] <= left[0]:
        return at
    time = clock.between(again, left[0], max(left)) if left[1] > left[0] else 0
    return clock.later(again, at, max(time, least))


def dated(asked: Asked, due: int | None) -> Asked:
    """A question with another deadline; unchanged without one."""
    if due is None:
        return asked
    return replace(asked, due=due) if asked.held is None else replace(asked, held=replace(asked.held, due=due))


def taken_back(memory: Undoing, seq: int) -> int | None:
    """The commit that undid this one. None if it is not undone."""
    return next((by for first, by in reversed(memory.undone) if first <= seq < by), None)
