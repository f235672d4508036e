"""Working time: counted without some days of the week, holidays, and pauses of a game."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from service.core.pace.zones import begins, left_out, local_date, zone_of

WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

LONGEST = 20 * 366 * 86_400_000
"""Milliseconds; no clock runs longer."""

A_DATE = "Must be a date, YYYY-MM-DD, such as 2026-12-24."
"""The message for an invalid date."""

Stop = tuple[int, int]
"""Start and end of a stop of all clocks of a game, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """The time that clocks count: all except the dates that are off in a zone, and the stops.

    A date lasts from the first instant at which the zone's clocks show it to the first at which they show a later one.
    A period that would end at the very instant of a stop ends when the clocks run again, so that nothing is ever due
    during a stop.
    """

    zone: ZoneInfo
    weekends: frozenset[int] = frozenset()
    """Days of the week, Monday 0."""
    holidays: tuple[int, ...] = ()
    """Ordinals of dates, in order, without weekends."""
    stops: tuple[Stop, ...] = ()
    """In order."""

    def is_off(self, day: int) -> bool:
        """Whether the date of an ordinal is off."""
        place = bisect_right(self.holidays, day)
        return (day - 1) % 7 in self.weekends or bool(place and self.holidays[place - 1] == day)

    def after(self, day: int, count: int) -> int:
        """The date so many working dates after a date, all as ordinals."""
        wanted = self._count(day) + count
        while (missing := wanted - self._count(day)) > 0:
            day += missing
        return day

    def _count(self, day: int) -> int:
        weeks, rest = divmod(day, 7)
        worked = 7 * weeks + rest - len(self.weekends) * weeks - sum(each < rest for each in self.weekends)
        return worked - bisect_right(self.holidays, day)

    def later(self, at: int, by: int = 0) -> int:
        """The first counted instant after so many milliseconds of working time since another."""
        if by > LONGEST:
            raise OverflowError("longer than anybody's clock runs")
        for first, last in self._pieces(at):
            if last - first > by:
                return first + by
            by -= last - first
        raise AssertionError

    def between(self, first: int, last: int) -> int:
        """Milliseconds of working time from one instant to another; negative if that is earlier."""
        if last < first:
            return -self.between(last, first)
        if last - first > LONGEST:
            raise OverflowError("longer than anybody's clock runs")
        worked = 0
        for begun, ended in self._pieces(first):
            if begun >= last:
                break
            worked += min(ended, last) - begun
        return worked

    def _pieces(self, at: int) -> Iterator[Stop]:
        day = local_date(self.zone, at).toordinal()
        while begins(self.zone, day + 1) <= at:  # clocks that were put back over midnight show the date before
            day += 1
        first = at
        while True:
            last = begins(self.zone, day + 1)
            if not self.is_off(day):
                yield from self._without_stops(first, last)
            first, day = last, day + 1

    def _without_stops(self, first: int, last: int) -> Iterator[Stop]:
        for stopped, started in self.stops:
            if started <= first or stopped >= last:
                continue
            if first < stopped:
                yield first, stopped
            first = started
        if first < last:
            yield first, last


def has_days_off(pace: Mapping[str, Any]) -> bool:
    return bool(pace.get("weekends") or pace.get("holidays"))


def working_time(pace: Mapping[str, Any], stops: Sequence[Stop] = ()) -> WorkingTime:
    """The working time of a pace that has a ``zone``; raises `ValueError` for one that this release cannot read."""
    working = _working_time(pace["zone"], tuple(pace.get("weekends", ())), tuple(pace.get("holidays", ())))
    return replace(working, stops=tuple(stops)) if stops else working


@lru_cache(maxsize=1024)
def _working_time(zone_name: str, weekends: tuple[str, ...], holidays: tuple[str, ...]) -> WorkingTime:
    zone = zone_of(zone_name)
    off = frozenset(map(WEEK.index, weekends))
    if len(off) == len(WEEK):
        raise ValueError("a pace by which clocks always stand")
    dates = {date_of(text).toordinal() for text in holidays} | set(left_out(zone))
    return WorkingTime(zone, off, tuple(sorted(each for each in dates if (each - 1) % 7 not in off)))


def date_of(text: str) -> date:
    """The date in a text such as ``2026-12-24``; raises `ValueError` with the expected form."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = date.min
    if found.isoformat() != text or not date(1970, 1, 1) <= found < date(9000, 1, 1):
        raise ValueError(A_DATE)
    return found


def faults(pace: Mapping[str, Any]) -> dict[str, str]:
    """Errors in the days off of a pace whose fields have the right types: the expected form, by field."""
    wrong: dict[str, str] = {}
    weekends, holidays = pace.get("weekends", []), pace.get("holidays", [])
    for name, days in (("weekends", weekends), ("holidays", holidays)):
        if len(set(days)) < len(days):
            wrong[name] = "Each day can be listed only once."
    for place, text in enumerate(holidays):
        try:
            date_of(text)
        except ValueError as error:
            wrong[f"holidays/{place}"] = str(error)
    return wrong
