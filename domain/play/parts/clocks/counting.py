"""What is counted by the clocks of a table, and the events that come of it."""

from __future__ import annotations

from collections.abc import Iterator

from domain.play.parts.clocks.events import ClocksStarted, ReserveChanged, TimeGiven
from domain.play.parts.clocks.memory import ClocksMemory, gone_on, halts
from domain.play.parts.part import Moment
from domain.play.parts.requests import is_far
from domain.play.record import Asked, Clock
from domain.terms import HOUR, Seat


def clock_at(memory: ClocksMemory, moment: Moment) -> Clock:
    """The clock of the pace, as the stops have left it."""
    assert moment.clock is not None
    return moment.clock.stood(memory.stops) if memory.stops else moment.clock


def running(moment: Moment, seat: Seat) -> Iterator[Asked]:
    """The game's questions to a seat whose clocks run."""
    return (
        asked
        for asked in moment.position.asked
        if asked.question.seat == seat and asked.due is not None and asked.by_game
    )


def given_for(memory: ClocksMemory, asked: Asked) -> int:
    """How many hours have been given for a question."""
    question, hours = memory.gifts[asked.question.seat - 1]
    return hours if question == asked.id else 0


def gift(memory: ClocksMemory, moment: Moment, asked: Asked, hours: int, by: Seat | None) -> TimeGiven | None:
    """So many hours more; None where the clock ends before, or runs for too long already."""
    assert asked.due is not None
    if is_far(asked, moment.at):
        return None
    due = clock_at(memory, moment).later(asked, max(asked.due, moment.at), hours * HOUR)
    return TimeGiven(asked.question.seat, asked.id, hours, due, by) if due > asked.due else None


def started(memory: ClocksMemory, moment: Moment, seat: Seat | None, why: str) -> ClocksStarted:
    """The end of a stop: when what it held is due."""
    after = gone_on(memory, seat, why, moment.at)
    stand, stood, clock = halts(after), clock_at(memory, moment), clock_at(after, moment)
    due = {}
    for asked in moment.position.asked:
        if asked.held is not None and asked.question.seat not in stand:
            left = stood.between(asked, asked.held.since, max(asked.held.since, asked.held.due))
            due[asked.id] = clock.later(asked, moment.at, left)
    return ClocksStarted(seat, why, due)


def changed(memory: ClocksMemory, moment: Moment, answered: Seat | None, asked: Asked) -> ReserveChanged | None:
    """What an answer changes of the reserve of the seat that was asked."""
    seat = asked.question.seat
    reserve = kept = memory.reserves[seat - 1]
    if memory.spending[seat - 1] == asked.id:
        since, due = (moment.at, asked.due) if asked.held is None else (asked.held.since, asked.held.due)
        kept = 0 if due is None or due <= since else min(reserve, clock_at(memory, moment).between(asked, since, due))
    left = min(memory.bank, kept + memory.increment) if seat == answered else kept
    return None if left == reserve and kept == reserve else ReserveChanged(seat, asked.id, kept, left)
