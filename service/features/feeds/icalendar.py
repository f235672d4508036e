"""Deadlines as a calendar (RFC 5545), which calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icalendar import Component

MEDIA_TYPE = "text/calendar"
EVENTS, TASKS = "events", "tasks"
FORMS = (EVENTS, TASKS)
"""How a calendar lists deadlines: as events, which all programs show, or as tasks, which some programs show."""

REFRESH = timedelta(minutes=30)
"""How often calendar programs may poll."""


@dataclass(frozen=True, slots=True)
class CalendarDeadline:
    """A question with a deadline. Instants are milliseconds of Unix time."""

    id: str
    """Permanent, and unique across all calendars."""
    title: str
    text: str
    asked: int
    due: int
    link: str = ""


def render_calendar(name: str, deadlines: Iterable[CalendarDeadline], form: str) -> bytes:
    """The calendar as UTF-8. ``form`` is ``EVENTS`` or ``TASKS``. The same deadlines give the same bytes."""
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", "-//Oracle Wheel//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    for deadline in deadlines:
        calendar.add_component(_build_component(deadline, form))
    if (
        not calendar.subcomponents
    ):  # RFC 5545, 3.6: a calendar has at least one component, and some programs reject an empty one
        calendar.add_component(_build_utc_timezone())
    written: bytes = calendar.to_ical()
    return written


def _build_component(deadline: CalendarDeadline, form: str) -> Component:
    from icalendar import Event, Todo

    component = Event() if form == EVENTS else Todo()
    component.add("uid", deadline.id)
    # The stamp changes only with the event; a newer stamp would make every read look like a change.
    component.add("dtstamp", _to_datetime(deadline.asked))
    if form == EVENTS:
        component.add("dtstart", _to_datetime(deadline.due))
        component.add("transp", "TRANSPARENT")
    else:
        component.add("due", _to_datetime(deadline.due))
        component.add("status", "NEEDS-ACTION")
    component.add("summary", deadline.title)
    component.add("description", deadline.text)
    if deadline.link:
        component.add("url", deadline.link)
    return component


def _build_utc_timezone() -> Component:
    """The time zone UTC, as a filler component that is always correct and that no program displays."""
    from icalendar import Timezone, TimezoneStandard

    standard = TimezoneStandard()
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001 - local time, as the RFC asks it of a zone
    standard.add("tzname", "UTC")
    standard.add("tzoffsetfrom", timedelta(0))
    standard.add("tzoffsetto", timedelta(0))
    zone = Timezone()
    zone.add("tzid", "Etc/UTC")
    zone.add_component(standard)
    return zone


def _to_datetime(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC)
