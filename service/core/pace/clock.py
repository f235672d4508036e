"""The clock of a pace: when a question is due. Workers set deadlines with it, and auditors recompute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.kernel.record import Clock, OpenQuestion
from domain.kernel.terms import SYSTEM, Question
from domain.table.settle import no_clock
from service.core.pace.calendar import HOUR, SECOND, Calendar
from service.core.pace.working import Stop, WorkingTime, has_days_off, working_time


def clock_of(pace: Mapping[str, Any], started: int) -> Clock:
    """The clock of the pace of a game that started at an instant (milliseconds of Unix time).

    ``{"mode": "free"}`` has no deadlines; ``{"mode": "per_question", "hours": n}`` gives each question so long. In
    both, SYSTEM's questions are due at once. In ``{"mode": "calendar", "day", "at", "zone"}`` days end at instants that
    are fixed from the start (`service.core.pace.calendar`), when SYSTEM ends the day. Both may have ``"weekends": [days of
    the week]`` and ``"holidays": [dates]`` on which no time is counted, in their ``zone`` (`service.core.pace.working`). In
    any pace, with ``"bot_seconds": n`` bots wait so long after the last commit, so that players can watch them. Raises
    `ValueError` for a pace that this release does not know.
    """
    match pace.get("mode", "free"):
        case "free":
            return no_clock
        case "per_question":
            working = working_time(pace) if has_days_off(pace) else None
            return PerQuestion(_whole(pace["hours"]) * HOUR, working)
        case "calendar":
            return ByCalendar(pace, started, Calendar.of(pace, started))
        case unknown:
            raise ValueError(f"there is no pace {unknown!r}")


@dataclass(frozen=True, slots=True)
class PerQuestion:
    """The same time for each question."""

    patience: int
    """Milliseconds."""
    working: WorkingTime | None
    """The time that counts, if that is not all of it."""

    def __call__(self, question: Question, at: int, /) -> int:
        return at if question.seat == SYSTEM else self._later(at, self.patience)

    def later(self, asked: OpenQuestion, at: int, by: int, /) -> int:  # noqa: ARG002 - every question is alike
        return self._later(at, by)

    def between(self, asked: OpenQuestion, first: int, last: int, /) -> int:  # noqa: ARG002
        return last - first if self.working is None else self.working.between(first, last)

    def stood(self, stops: Sequence[Stop], /) -> PerQuestion:  # noqa: ARG002 - what is asked later has all its time
        return self

    def _later(self, at: int, by: int) -> int:
        return at + by if self.working is None else self.working.later(at, by)


@dataclass(frozen=True, slots=True)
class ByCalendar:
    """Days with ends that are fixed from the start, except for stops."""

    pace: Mapping[str, Any]
    started: int
    calendar: Calendar

    def __call__(self, question: Question, at: int, /) -> int:  # noqa: ARG002 - when it is asked moves nothing
        return self.calendar.due(question)

    def later(self, asked: OpenQuestion, at: int, by: int, /) -> int:
        """Later by ``by``, but no later than the end of the day; SYSTEM's questions at its end."""
        ends = self.calendar.end(asked.question.about["day"])
        return ends if asked.question.seat == SYSTEM else min(ends, self._working.later(at, by))

    def between(self, asked: OpenQuestion, first: int, last: int, /) -> int:  # noqa: ARG002
        return self._working.between(first, last)

    def stood(self, stops: Sequence[Stop], /) -> ByCalendar:
        return ByCalendar(self.pace, self.started, Calendar.of(self.pace, self.started, stops))

    @property
    def _working(self) -> WorkingTime:
        return self.calendar.working or working_time(self.pace)


def waits_out_outages(pace: Mapping[str, Any]) -> bool:
    """Whether deadlines that passed in an outage are put off; those of a calendar are fixed."""
    return pace.get("mode") != "calendar"


def made_up(pace: Mapping[str, Any], due: int, since: int, until: int) -> int:
    """Milliseconds to put a deadline off, so that players lose no counted time to an outage."""
    if not has_days_off(pace):
        return until - since
    working = working_time(pace)
    return working.later(due, working.between(since, until)) - due


def elapsed(pace: Mapping[str, Any], since: int, due: int, tenths: int) -> int:
    """The instant after so many tenths of the counted time between two instants."""
    if not has_days_off(pace):
        return since + (due - since) * tenths // 10
    working = working_time(pace)
    return working.later(since, working.between(since, due) * tenths // 10)


def bot_wait(pace: Mapping[str, Any]) -> int:
    """Milliseconds that bots wait after the last commit."""
    return _whole(pace.get("bot_seconds", 0)) * SECOND


def _whole(number: Any) -> int:
    """An integer from a log, which may come from anyone: a string times an hour would fill the memory."""
    if type(number) is not int:
        raise ValueError("a pace counts in whole numbers")
    return number
