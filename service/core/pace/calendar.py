"""The calendar of a game: when its days end, and so when every question in it is due.

Everything follows from the pace and the start of the game, not from later events: a day that is ended late does not
delay the next one. Uses only `zoneinfo` and the tzdata package, never the host's time zones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from domain.kernel.terms import SYSTEM, Question
from service.core.pace.working import Stop, WorkingTime, has_days_off, working_time
from service.core.pace.zones import instant_of, local_date, zone_of

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
"""Milliseconds."""

LEAST, MOST = MINUTE, 31 * DAY
"""Minimum and maximum length of a day of a new game; the calendar itself works with any length."""

A_DURATION = "Must be an ISO 8601 duration in whole weeks, days, hours, minutes or seconds, such as PT24H."
A_TIME = "Must be a time of day from 00:00 to 23:59, such as 18:00."
"""The messages for an invalid text."""

_DURATION = re.compile(
    r"P(?:(?P<weeks>\d{1,4})W|(?=[\dT])(?:(?P<days>\d{1,4})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,6})H)?(?:(?P<minutes>\d{1,6})M)?(?:(?P<seconds>\d{1,8})S)?)?)",
    re.ASCII,
)
_UNITS = {"weeks": 7 * DAY, "days": DAY, "hours": HOUR, "minutes": MINUTE, "seconds": SECOND}
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d", re.ASCII)


# -- reading a pace ---------------------------------------------------------------------------------------------------


def milliseconds(text: str) -> int:
    """The length of an ISO 8601 duration in weeks, or in days, hours, minutes and seconds (``PT24H``, ``P1DT12H``).

    Raises `ValueError` with the expected form: also for years and months, which have no fixed length, and for
    fractions.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(A_DURATION)
    return sum(int(number) * _UNITS[unit] for unit, number in found.groupdict().items() if number)


def time_of_day(text: str) -> time:
    """The time in a text such as ``18:00``; raises `ValueError` with the expected form."""
    if _TIME.fullmatch(text) is None:
        raise ValueError(A_TIME)
    return time.fromisoformat(text)


def faults(pace: Mapping[str, Any]) -> dict[str, str]:
    """Errors in a requested calendar: the expected form, by field."""
    wrong: dict[str, str] = {}
    checks: dict[str, Callable[[str], object]] = {"day": _fitting_day, "at": time_of_day, "zone": zone_of}
    for name, check in checks.items():
        if name not in pace:
            wrong[name] = f"A calendar needs its {name}: {_EXAMPLES[name]}."
            continue
        try:
            check(pace[name])
        except ValueError as error:
            wrong[name] = str(error)
    return wrong


_EXAMPLES = {
    "day": "the length of a day of the game, such as PT24H",
    "at": "the time at which days end, such as 18:00",
    "zone": "the time zone of `at`, such as Europe/Sofia",
}


def _fitting_day(text: str) -> None:
    if not LEAST <= milliseconds(text) <= MOST:
        raise ValueError("A day of the game must last from PT1M to P31D.")


# -- planning ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Calendar:
    """When the days of one game end.

    A day of whole 24 hours ends at the same time of day in its zone, even when clocks change: a time in a gap uses the
    offset from before the gap (03:30 becomes 04:30), and of a time that occurs twice the first one counts (RFC 5545); a
    date that the zone skips is no day of the game. A day of any other length is that many real hours.
    The first day ends at the first of these instants that leaves it at least half its length.
    With days off, all of this is counted in working time: dates that are off are no days of the game, and the shares of
    a day are counted without them. After a stop of all clocks, the current day has at least as much time as it had
    left, and the later ones follow it.
    """

    day: int
    """Milliseconds."""
    at: time
    zone: ZoneInfo
    start: int
    """When the game started, milliseconds of Unix time."""
    working: WorkingTime | None = None
    """The time that counts, if that is not all of it."""

    @classmethod
    def of(cls, pace: Mapping[str, Any], start: int, stops: Sequence[Stop] = ()) -> Calendar:
        """The calendar of a pace, after these stops; raises `ValueError` for one that this release cannot read."""
        day = milliseconds(pace["day"])
        if day <= 0:
            raise ValueError("a day that takes no time")
        working = working_time(pace, stops) if stops or has_days_off(pace) else None
        return cls(day, time_of_day(pace["at"]), zone_of(pace["zone"]), start, working)

    def end(self, day: int) -> int:
        """The instant at which a day ends, counted from 1; the game's start for any number below."""
        if day < 1:
            return self.start
        if self.working is not None:
            return self._end_of_working_day(day, self.working)
        least = self.start + self.day // 2
        if self.day % DAY:
            anchor = self._instant(self._local(self.start))
            return anchor + (day - 1 - (anchor - least) // self.day) * self.day
        first = self._local(least) - timedelta(days=1)  # a time in a gap may fall on the next date
        while self._instant(first) < least:
            first += timedelta(days=1)
        days = (day - 1) * (self.day // DAY)
        found = self._instant(first + timedelta(days=days))
        # A zone that crosses the date line skips a date: the same number of real days must still pass.
        lost = days - round((found - self._instant(first)) / DAY)
        return self._instant(first + timedelta(days=days + lost)) if lost > 0 else found

    def due(self, question: Question) -> int:
        """When a question is due: SYSTEM's at the end of the day, a seat's at the end of its share.

        Seat i of n in turn order has until i/n of the day; questions before the first turn have half the first share.
        A question in another seat's turn (`interrupts`) may be asked at the last moment of that turn's share: it gets
        half of the following share in addition. Before the first turn that is a quarter of the first share, after the
        half that every question then has. Never later than the end of the day.
        """
        day = question.about["day"]
        return self.share(question, self.end(day - 1), self.end(day))

    def share(self, question: Question, begins: int, ends: int) -> int:
        """When a question is due in a day with this beginning and end."""
        about = question.about
        if question.seat == SYSTEM:
            return ends
        place, of = about["place"], about["of"]
        quarters = 4 * place or 2
        if about.get("interrupts"):
            quarters += 2 if place else 1
        quarters = min(quarters, 4 * of)
        if self.working is None:
            return int(begins + (ends - begins) * quarters // (4 * of))
        worked = self.working.between(begins, ends)
        return min(ends, self.working.later(begins, worked * quarters // (4 * of)))

    def _end_of_working_day(self, day: int, working: WorkingTime) -> int:
        if not self.day % DAY:
            working = replace(working, stops=())  # the first days include them
            first, on = next(each for each in reversed(_first_days(self)) if each[0] <= day)
            return working.later(self.ends_on(working.after(on, (day - first) * (self.day // DAY))))
        first_date = self._local(self.start).toordinal()
        anchor = working.between(self.start, self.ends_on(working.after(first_date - 1, 1)))
        return working.later(self.start, anchor + (day - 1 - (anchor - self.day // 2) // self.day) * self.day)

    def ends_on(self, day: int) -> int:
        """When a day of the game ends on the date of an ordinal."""
        return self._instant(date.fromordinal(day))

    def _local(self, instant: int) -> date:
        return local_date(self.zone, instant)

    def _instant(self, local: date) -> int:
        return instant_of(self.zone, local, self.at)


@lru_cache(maxsize=1024)
def _first_days(calendar: Calendar) -> tuple[tuple[int, int], ...]:
    """The first day of the game, and each whose end a stop has moved, with the ordinal of the date on which it ends."""
    assert calendar.working is not None
    working, days = replace(calendar.working, stops=()), calendar.day // DAY
    firsts = [(1, _first_date(calendar, working, working.later(calendar.start, calendar.day // 2)))]
    for stopped, started in calendar.working.stops:
        day, on = firsts[-1]
        while working.later(calendar.ends_on(on)) <= stopped:
            day, on = day + 1, working.after(on, days)
        left = working.between(stopped, working.later(calendar.ends_on(on)))
        firsts.append((day, _first_date(calendar, working, working.later(started, left))))
    return tuple(firsts)


def _first_date(calendar: Calendar, working: WorkingTime, least: int) -> int:
    """The ordinal of the first date that is not off and whose day ends at an instant or later."""
    day = working.after(
        local_date(calendar.zone, least).toordinal() - 2, 1
    )  # a time in a gap may fall on the next date
    while calendar.ends_on(day) < least:
        day = working.after(day, 1)
    return day
