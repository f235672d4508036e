"""When a player is notified of a question: when it is asked, at half and at a tenth of its time, outside their quiet hours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from service.core.pace.calendar import time_of_day
from service.core.pace.clock import elapsed
from service.core.pace.zones import zone_of

ASKED, HALF, TENTH = "asked", "half", "tenth"
"""Outbox entries for a question, before its id: it is asked, and the reminders at half and a tenth of its time."""
OVER, SEAT_VACANT = "over", "vacant"
"""Outbox entries for a game, before the seq: the game is over; a bot plays for the player and the seat is vacant."""

FREE_PACE: Mapping[str, Any] = {"mode": "free"}
"""The pace in which every hour counts."""

MINUTE = 60_000
MIN_INTERVAL = 10 * MINUTE
"""Minimum milliseconds between two notifications of the same question."""


@dataclass(frozen=True, slots=True)
class ReminderSchedule:
    """When one receiver of a player is notified of questions."""

    zone: str = "UTC"
    quiet: tuple[str, str] | None = None
    """Start and end of the quiet hours (``22:00``, ``08:00``, in the time zone), in which nothing is sent."""
    reminders: bool = True
    delay: int = 0
    """Milliseconds that the player has for an answer before the first notification."""


def plan_times(
    schedule: ReminderSchedule, since: int, due: int | None, patience: int = 0, pace: Mapping[str, Any] = FREE_PACE
) -> Mapping[str, int]:
    """When to notify of a question asked at ``since``, by mark, if it is still pending. Milliseconds of Unix time.

    ``patience`` is how many milliseconds the player is assumed to be online. The reminders follow the time that the
    ``pace`` counts. What is due in quiet hours is sent at their end. What would follow another notification within
    `MIN_INTERVAL` is omitted.
    """
    wanted = {ASKED: since + max(patience, schedule.delay)}
    if schedule.reminders and due is not None:
        wanted |= {HALF: elapsed(pace, since, due, 5), TENTH: elapsed(pace, since, due, 9)}
    found: dict[str, int] = {}
    last = -MIN_INTERVAL
    for name, planned in sorted(wanted.items(), key=lambda item: item[1]):
        at = skip_quiet_hours(schedule, planned)
        if at - last >= MIN_INTERVAL and (due is None or at < due):
            found[name] = last = at
    return found


def skip_quiet_hours(schedule: ReminderSchedule, instant: int) -> int:
    """The instant, or the end of the quiet hours that contain it."""
    if schedule.quiet is None:
        return instant
    begin, end = map(time_of_day, schedule.quiet)
    zone = zone_of(schedule.zone)
    then = datetime.fromtimestamp(instant / 1000, UTC).astimezone(zone)
    clock = then.time().replace(second=0, microsecond=0)
    within = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not within or begin == end:
        return instant
    day = then.date() + timedelta(days=1 if clock >= end else 0)
    return int(datetime.combine(day, end, zone).timestamp() * 1000)
