"""Commands to the clocks of a table, and their events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.kernel.terms import QuestionId, Seat, Seq


@dataclass(frozen=True, slots=True)
class GiveTime:
    """Give another seat with a pending question more hours to answer."""

    seat: Seat
    hours: int


@dataclass(frozen=True, slots=True)
class TimeGiven:
    seat: Seat
    question: QuestionId
    hours: int
    due: int
    """The new deadline, milliseconds of Unix time."""
    by: Seat | None = None
    """The seat that gave it. None if the table did."""


@dataclass(frozen=True, slots=True)
class ClocksStopped:
    seat: Seat | None
    """None for the whole table."""
    why: str


@dataclass(frozen=True, slots=True)
class ClocksStarted:
    seat: Seat | None
    why: str
    due: Mapping[QuestionId, int] = field(default_factory=dict)
    """New deadlines of the questions whose clocks continue, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class ReserveBegun:
    """The hours of a question are over, and the seat's reserve time is running."""

    seat: Seat
    question: QuestionId
    left: int
    """Milliseconds."""
    due: int


@dataclass(frozen=True, slots=True)
class ReserveChanged:
    """A question was answered, which changed the seat's reserve time."""

    seat: Seat
    question: QuestionId
    kept: int
    """The unused part of the reserve, milliseconds."""
    left: int
    """The reserve, including the time added for the answer."""


@dataclass(frozen=True, slots=True)
class ReserveSetBack:
    """The reserve time was corrected because answers were undone, or because that undo was itself undone."""

    seat: Seat
    first: Seq
    """All commits from this one on."""
    left: int
    """Milliseconds."""
    question: QuestionId | None = None
    """The question that is asked again and uses the reserve, as it did when it was answered."""
    due: int | None = None
    """Its deadline, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class TimeCounted:
    """A seat undid its own answer and has the question again. The time since then counts against it."""

    seat: Seat
    question: QuestionId
    due: int
    """The deadline, milliseconds of Unix time."""
    eased: bool = False
    """Whether the deadline is later than before, now or at an earlier repetition. Granted once per question."""
