"""Requests from one part of a table to another. A part returns them among the events of its `decide` or `react`.

A request is not an event and is not logged. The part that grants it turns it into events at the same place. For
example, a vote that has passed returns ``[VoteCarried(…), StopClocks(None, "vote")]``, and the log contains
``vote_carried, clocks_stopped``.
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.kernel.record import Asked
from domain.kernel.terms import DAY, Seat

FAR = 5 * 366 * DAY
"""Milliseconds. A question with a later deadline gets no more time, because no clock could count it.

A year of hours on one day of the week takes seven years.
"""


def is_far(asked: Asked, at: int) -> bool:
    """Whether a question has so much time left at an instant that it gets no more."""
    return asked.due is not None and asked.due - at > FAR


@dataclass(frozen=True, slots=True)
class StopClocks:
    """Stop counting time, for the whole table or one seat. Has no effect if it is already stopped."""

    seat: Seat | None
    """None for the whole table. A calendar allows only that: clocks of single seats continue."""
    why: str
    """The requesting part's reason. A stop ends by the reason that it began with."""


@dataclass(frozen=True, slots=True)
class StartClocks:
    """End the stop of that reason. Each question has the time it had left, unless another stop applies to it."""

    seat: Seat | None
    why: str


@dataclass(frozen=True, slots=True)
class MoreTime:
    """More hours for the questions of a seat with running clocks. No effect without one, or beyond `FAR`."""

    seat: Seat
    hours: int


@dataclass(frozen=True, slots=True)
class AskPlayers:
    """The players decide whether a player who requested a vacant seat gets it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GiveSeat:
    """The player who requested a vacant seat gets it."""

    seat: Seat


Request = StopClocks | StartClocks | MoreTime | AskPlayers | GiveSeat
