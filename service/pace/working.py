"""Working time: what a clock counts that stands on some days of the week, on holidays, and while a game is paused."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from service.pace.zones import begins, left_out, local_date, zone_of

WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""The days of the week as a pace names them."""

LONGEST = 20 * 366 * 86_400_000
"""Milliseconds; nobody's clock runs for longer."""

A_DATE = "Must be a date, YYYY-MM-DD, such as 2026-12-24."
"""What is said of a text that is none."""

Stop = tuple[int, int]
"""From when to when all clocks of a game stood, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """The time that clocks count: all but the dates that are off in a zone, and but the stops.

    A date lasts from the first instant at which the zone's clocks show it to the first at which they show a later one. What
    would be over at the very instant at which clocks are stopped is over when they go again, so that nothing is ever due
    while they stand.
    """

    zone: ZoneInfo
    weekends: frozenset[int] = frozenset()
    """Days of the week, Monday 0."""
    holidays: tuple[int, ...] = ()
    """Ordinals of dates, in order and on no weekend."""
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
        """How many working dates there have been, up to this one."""
        weeks, rest = divmod(day, 7)
        worked = 7 * weeks + rest - len(self.weekends) * weeks - sum(each < rest for each in self.weekends)
        return worked - bisect_right(self.holidays, day)

    def later(self, at: int, by: int = 0) -> int:
        """The instant at which so many milliseconds of working time have passed since another, and time is counted."""
        if by > LONGEST:
            raise OverflowError("longer than anybody's clock runs")
        for first, last in self._pieces(at):
            if last - first > by:
                return first + by
            by -= last - first
        raise AssertionError

    def between(self, first: int, last: int) -> int:
        """How many milliseconds of working time there are from one instant to another; below 0 if that is earlier."""
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
        """The pieces of working time from an instant on: each from when to when."""
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
    """Whether clocks stand on some dates by a pace."""
    return bool(pace.get("weekends") or pace.get("holidays"))


def working_time(pace: Mapping[str, Any], stops: Sequence[Stop] = ()) -> WorkingTime:
    """The working time of a pace that has a ``zone``; raises `ValueError` for what this release cannot read."""
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
    """The date that ``2026-12-24`` stands for; raises `ValueError` saying what would be right."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = date.min
    if found.isoformat() != text or not date(1970, 1, 1) <= found < date(9000, 1, 1):
        raise ValueError(A_DATE)
    return found


def faults(pace: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with the days off of a pace whose fields have their types: what would be right, by field."""
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
