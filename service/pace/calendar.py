"""The calendar of a game: which real instants its days end at, and with them when every question in it is due.

Everything is computed from the pace and the instant at which the game started, never from what has happened meanwhile: a
day that is turned late moves no later one. Only `zoneinfo` and the tzdata package are asked, never the host's own zones.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from domain.terms import SYSTEM, Question

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
"""Milliseconds."""

LEAST, MOST = MINUTE, 31 * DAY
"""How long the day of a game may be that somebody makes; the calendar itself can do with any."""

A_DURATION = "An ISO 8601 duration in whole weeks, days, hours, minutes or seconds, such as PT24H."
A_TIME = "A time of day from 00:00 to 23:59, such as 18:00."
"""The messages for a text that is not one of these."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
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

    Raises `ValueError` saying what would be right: for years and months as well, which have no one length, and for
    fractions.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(A_DURATION)
    return sum(int(number) * _UNITS[unit] for unit, number in found.groupdict().items() if number)


def time_of_day(text: str) -> time:
    """The time that ``18:00`` stands for; raises `ValueError` saying what would be right."""
    if _TIME.fullmatch(text) is None:
        raise ValueError(A_TIME)
    return time.fromisoformat(text)


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """The time zone of this name in the tzdata package; raises `ValueError` naming what is like it."""
    if name not in _zones():
        near = difflib.get_close_matches(name, sorted(_zones()), n=1)
        example = f"; perhaps {near[0]}?" if near else ", such as Europe/Sofia."
        raise ValueError(f"There is no such time zone: it is a name of the IANA time zone database{example}")
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


def faults(pace: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with the calendar that somebody asks for: what would be right, by field."""
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
    "day": "how long a day of the game lasts, such as PT24H",
    "at": "when it ends, such as 18:00",
    "zone": "the time zone of that time, such as Europe/Sofia",
}


def _fitting_day(text: str) -> None:
    if not LEAST <= milliseconds(text) <= MOST:
        raise ValueError("A day of the game lasts from PT1M to P31D.")


# -- planning ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Calendar:
    """When the days of one game end.

    A day of whole 24 hours ends at the same time of day in its zone, whatever the clocks do: a time that they leave out
    is counted with the offset from before the gap (03:30 becomes 04:30), and of a time that comes twice it is the first
    (RFC 5545); a date that the zone leaves out is no day of the game. A day of any other length is that many real hours.
    The first day ends at the first of these instants that leaves it at least half its length.
    """

    day: int
    """Milliseconds."""
    at: time
    zone: ZoneInfo
    start: int
    """When the game started, milliseconds of Unix time."""

    @classmethod
    def of(cls, pace: Mapping[str, Any], start: int) -> Calendar:
        """The calendar of a pace; raises `ValueError` for one that this release cannot read."""
        day = milliseconds(pace["day"])
        if day <= 0:
            raise ValueError("a day that takes no time")
        return cls(day, time_of_day(pace["at"]), zone_of(pace["zone"]), start)

    def end(self, day: int) -> int:
        """The instant at which a day ends, counted from 1; the game's start for any before."""
        if day < 1:
            return self.start
        least = self.start + self.day // 2
        if self.day % DAY:
            anchor = self._instant(self._local(self.start))
            return anchor + (day - 1 - (anchor - least) // self.day) * self.day
        first = self._local(least) - timedelta(days=1)  # a time in a gap may fall on the next date
        while self._instant(first) < least:
            first += timedelta(days=1)
        days = (day - 1) * (self.day // DAY)
        found = self._instant(first + timedelta(days=days))
        # A zone that goes over the date line leaves a date out: as many real days must have passed all the same.
        lost = days - round((found - self._instant(first)) / DAY)
        return self._instant(first + timedelta(days=days + lost)) if lost > 0 else found

    def due(self, question: Question) -> int:
        """When a question is due: SYSTEM's when the day ends, a seat's when its share of the day does.

        Seat i of n in turn order has until i/n of the day; what is asked before the first turn has half the first share.
        A seat that is asked in another's turn (`interrupts`) may be asked at the last moment of that turn's share: it has
        half of the following share besides. Before the first turn that is a quarter of the first share, after the half
        that every question then has. The end of the day is never passed.
        """
        day = question.about["day"]
        return self.share(question, self.end(day - 1), self.end(day))

    @staticmethod
    def share(question: Question, begins: int, ends: int) -> int:
        """When a question is due in a day that begins and ends at these instants."""
        about = question.about
        if question.seat == SYSTEM:
            return ends
        place, of = about["place"], about["of"]
        quarters = 4 * place or 2
        if about.get("interrupts"):
            quarters += 2 if place else 1
        return int(begins + (ends - begins) * min(quarters, 4 * of) // (4 * of))

    def _local(self, instant: int) -> date:
        return (_EPOCH + instant * _MILLISECOND).astimezone(self.zone).date()

    def _instant(self, local: date) -> int:
        return (datetime.combine(local, self.at, self.zone) - _EPOCH) // _MILLISECOND
