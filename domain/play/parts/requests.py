"""What one part of a table may ask of another, which it does not know: values beside the events that its `decide` or `react` answers with.

A request is no event and stands in no log. The part that grants it makes the events of it, at its place among the others; so
a vote that has passed answers ``[VoteCarried(…), StopClocks(None, "vote")]``, and the log holds ``vote_carried, clocks_stopped``.
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.play.record import Asked
from domain.terms import DAY, Seat

FAR = 5 * 366 * DAY
"""Milliseconds: a question that is due still later gets no more time, or no clock could count it (a year of hours that run on one day
of the week lasts for seven)."""


def is_far(asked: Asked, at: int) -> bool:
    """Whether a question has so much time at an instant that it gets no more."""
    return asked.due is not None and asked.due - at > FAR


@dataclass(frozen=True, slots=True)
class StopClocks:
    """No time is counted from now on: of the whole table, or of one seat. Nothing comes of it where it is so already."""

    seat: Seat | None
    """None for the whole table. By a calendar only that is possible: one seat's clock goes on."""
    why: str
    """A word of the asking part's own; a stop ends by the word that it began with."""


@dataclass(frozen=True, slots=True)
class StartClocks:
    """The stop of that word is over: each question has as much time as it had left, unless another stop holds it."""

    seat: Seat | None
    why: str


@dataclass(frozen=True, slots=True)
class MoreTime:
    """So many hours more for the questions to a seat whose clocks run; nothing comes of it where none does, or where that is `FAR`."""

    seat: Seat
    hours: int


@dataclass(frozen=True, slots=True)
class AskPlayers:
    """The players decide whether somebody who asks for a vacant seat gets it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GiveSeat:
    """Whoever has asked for a vacant seat has it from now on."""

    seat: Seat


Request = StopClocks | StartClocks | MoreTime | AskPlayers | GiveSeat
