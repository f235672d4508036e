"""Time zones from the tzdata package only, and when the dates of a zone begin."""

from __future__ import annotations

import difflib
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """The time zone of this name in the tzdata package; raises `ValueError` with a similar name."""
    if name not in _zones():
        near = difflib.get_close_matches(name, sorted(_zones()), n=1)
        example = f"; perhaps {near[0]}?" if near else ", such as Europe/Sofia."
        raise ValueError(f"Unknown time zone. Use a name of the IANA time zone database{example}")
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


def local_date(zone: ZoneInfo, instant: int) -> date:
    """The date that the clocks of a zone show at an instant, milliseconds of Unix time."""
    return (EPOCH + instant * MILLISECOND).astimezone(zone).date()


def instant_of(zone: ZoneInfo, local: date, at: time) -> int:
    """The instant of a date and time.

    Of a time that occurs twice the first one, of a time in a gap with the offset from before the gap (RFC 5545).
    """
    return (datetime.combine(local, at, zone) - EPOCH) // MILLISECOND


@lru_cache(maxsize=8192)
def begins(zone: ZoneInfo, ordinal: int) -> int:
    """The first instant at which the clocks of a zone show the date of this ordinal, or a later one."""
    day = date.fromordinal(ordinal)
    found = instant_of(zone, day, time())
    earliest = (datetime.combine(day, time(fold=1), zone) - EPOCH) // MILLISECOND
    if earliest >= found:
        return found
    # The clocks skip this midnight: the date begins when they are put forward.
    while earliest + 1 < found:
        middle = (earliest + found) // 2
        if local_date(zone, middle) >= day:
            found = middle
        else:
            earliest = middle
    return found


@lru_cache(maxsize=1024)
def left_out(zone: ZoneInfo) -> tuple[int, ...]:
    """The dates since 1970, as ordinals, that a zone has skipped by crossing the date line."""
    found = []
    for year in range(1970, 2038):
        first, last = date(year, 1, 1).toordinal(), date(year + 1, 1, 1).toordinal()
        if begins(zone, last) - begins(zone, first) > (last - first - 1) * 86_400_000 + 43_200_000:
            continue
        found += [each for each in range(first, last) if begins(zone, each) == begins(zone, each + 1)]
    return tuple(found)
