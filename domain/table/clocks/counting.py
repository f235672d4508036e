"""Time counted by the clocks of a table, and the resulting events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from domain.kernel.record import Clock, OpenQuestion
from domain.kernel.terms import DAY, HOUR, QuestionId, Seat, Seq
from domain.table.clocks.events import ClocksStarted, ReserveChanged, ReserveSetBack, TimeCounted, TimeGiven
from domain.table.clocks.memory import ClocksMemory, ReserveEffect, reserve_of, resume, standing, stopped_seats
from domain.table.feature import Moment

FAR = 5 * 366 * DAY
"""Milliseconds. A question with a later deadline gets no more time, because no clock could count it.

A year of hours on one day of the week takes seven years.
"""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An undo that a command has caused."""

    seat: Seat
    """The seat that requested it."""
    first: Seq
    """Everything from this commit on is undone."""
    agreed: bool
    """Whether others had to agree."""
    again: Mapping[QuestionId, QuestionId]
    """The questions of the game that are asked again: new id by former id."""
    spans: Mapping[QuestionId, tuple[int, int]]
    """Start and end of the remaining time of each of them that has a clock, by its former id."""


def is_far(asked: OpenQuestion, at: int) -> bool:
    """Whether a question has so much time left at an instant that it gets no more."""
    return asked.due is not None and asked.due - at > FAR


def clock_at(memory: ClocksMemory, moment: Moment) -> Clock:
    """The clock of the pace, with the table's stops."""
    assert moment.clock is not None
    return moment.clock.stood(memory.stops) if memory.stops else moment.clock


def running(moment: Moment, seat: Seat) -> Iterator[OpenQuestion]:
    """The game's questions to a seat with running clocks."""
    return (
        asked
        for asked in moment.position.asked
        if asked.question.seat == seat and asked.due is not None and asked.by_game
    )


def hours_given(memory: ClocksMemory, asked: OpenQuestion) -> int:
    """Hours given for a question so far."""
    question, hours = memory.gifts[asked.question.seat - 1]
    return hours if question == asked.id else 0


def give(memory: ClocksMemory, moment: Moment, asked: OpenQuestion, hours: int, by: Seat | None) -> TimeGiven | None:
    """The gift of so many hours. None if the clock ends before, or already runs for too long."""
    assert asked.due is not None
    if is_far(asked, moment.at):
        return None
    due = clock_at(memory, moment).later(asked, max(asked.due, moment.at), hours * HOUR)
    return TimeGiven(asked.question.seat, asked.id, hours, due, by) if due > asked.due else None


def end_stop(memory: ClocksMemory, moment: Moment, seat: Seat | None, why: str) -> ClocksStarted:
    """The end of a stop, with the new deadlines of its questions."""
    after = resume(memory, seat, why, moment.at)
    stand, stood, clock = stopped_seats(after), clock_at(memory, moment), clock_at(after, moment)
    due = {}
    for asked in moment.position.asked:
        if asked.held is not None and asked.question.seat not in stand:
            left = stood.between(asked, asked.held.since, max(asked.held.since, asked.held.due))
            due[asked.id] = clock.later(asked, moment.at, left)
    return ClocksStarted(seat, why, due)


def change_reserve(
    memory: ClocksMemory, moment: Moment, answered: Seat | None, asked: OpenQuestion
) -> ReserveChanged | None:
    """The change of the asked seat's reserve by an answer."""
    seat = asked.question.seat
    reserve = kept = memory.reserves[seat - 1]
    if memory.spending[seat - 1] == asked.id:
        since, due = (moment.at, asked.due) if asked.held is None else (asked.held.since, asked.held.due)
        kept = 0 if due is None or due <= since else min(reserve, clock_at(memory, moment).between(asked, since, due))
    left = min(memory.bank, kept + memory.increment) if seat == answered else kept
    return None if left == reserve and kept == reserve else ReserveChanged(seat, asked.id, kept, left)


def set_back_reserve(memory: ClocksMemory, moment: Moment, seat: Seat, taken: TakenBack) -> ReserveSetBack | None:
    """The correction of a seat's reserve when commits are undone.

    Time added by the answers is removed; used time stays used. A question that used the reserve before these commits
    and is asked again continues to use it. Otherwise the seat would get the remaining time twice: as the question's own
    time and as reserve.
    """
    stood, stand = standing(memory, seat, moment.seq), standing(memory, seat, taken.first)
    left = reserve_of(memory, seat, stand)
    late = [change for change in memory.changes if change.seat == seat and change.seq >= taken.first]
    # A gift of time can save the whole reserve of a question, which then leaves no change behind.
    late.append(ReserveEffect(moment.seq, seat, spent=memory.spending[seat - 1], began=memory.began[seat - 1]))
    stands = {asked.id: asked for asked in moment.position.asked}
    for change in late:
        asked = stands.get(taken.again.get(QuestionId(change.spent), QuestionId("")))
        if asked is not None and change.began < taken.first:
            question, hours = memory.gifts[seat - 1]
            given = hours * HOUR if question == change.spent else 0
            due = _due_again(memory, moment, asked, left + given, taken)
            return ReserveSetBack(seat, taken.first, left, asked.id, due)
    return None if stood == stand else ReserveSetBack(seat, taken.first, left)


def _due_again(memory: ClocksMemory, moment: Moment, asked: OpenQuestion, most: int, taken: TakenBack) -> int | None:
    """The deadline of a question that uses a reserve again, with at most this much reserve left.

    A seat that did not undo, or did not undo alone, has at least an hour.
    """
    due = asked.due if asked.held is None else asked.held.due
    if due is None or due <= moment.at:
        return due
    clock, least = clock_at(memory, moment), HOUR if taken.agreed or taken.seat != asked.question.seat else 0
    left = clock.between(asked, moment.at, due)
    return due if left <= most else clock.later(asked, moment.at, max(min(left, least), most))


def count_again(memory: ClocksMemory, moment: Moment, taken: TakenBack, old: QuestionId) -> TimeCounted | None:
    """The deadline of a question that is asked again because its own seat, alone, has undone the answer.

    The time since the answer counts as if there had been no answer. The seat keeps at least an hour, or the time it had
    left if that was less. This minimum is granted once per question, however often it is asked again and from whichever
    commit. Otherwise a player could repeat it and never have to play.
    """
    asked, (since, until) = moment.position.question(taken.again[old]), taken.spans[old]
    if asked is None or asked.question.seat != taken.seat:
        return None
    fresh = _commit_of(old) > memory.eased[taken.seat - 1]
    now = min(moment.at, stopped_seats(memory).get(taken.seat, moment.at))
    if fresh and now <= since:
        return None
    clock = clock_at(memory, moment)
    stops = [(max(since, first), min(now, last)) for first, last in memory.stops]
    had = _between(clock, asked, since, until)
    passed = _between(clock, asked, since, now) - sum(_between(clock, asked, first, last) for first, last in stops)
    due = clock.later(asked, moment.at, min(had, max(0, had - passed, HOUR if fresh else 0)))
    # Uses only instants, which an auditor can read from the log; the log does not record the clock's count.
    stood = moment.at - now + sum(max(0, last - first) for first, last in stops)
    return TimeCounted(taken.seat, asked.id, due, not fresh or due > until + stood)


def _commit_of(question: QuestionId) -> int:
    """The commit that asked a question, from its id."""
    return int(question.partition(":")[0])


def _between(clock: Clock, asked: OpenQuestion, first: int, last: int) -> int:
    return clock.between(asked, first, last) if last > first else 0
