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
"""As what deadlines stand in a calendar: as events, which all programs show, or as tasks, which some do."""

REFRESH = timedelta(minutes=30)
"""How often programs may look again."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A question with its deadline; instants are milliseconds of Unix time."""

    id: str
    """Its own for ever, and in all calendars."""
    title: str
    text: str
    asked: int
    due: int
    link: str = ""


def as_calendar(name: str, deadlines: Iterable[Deadline], form: str) -> bytes:
    """The calendar, UTF-8, of ``EVENTS`` or of ``TASKS``. The same deadlines make the same bytes."""
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", "-//Oracle Wheel//Deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", name)
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    for deadline in deadlines:
        calendar.add_component(_component(deadline, form))
    if (
        not calendar.subcomponents
    ):  # a calendar has one component at least (RFC 5545, 3.6), and some programs refuse one that has none
        calendar.add_component(_universal())
    written: bytes = calendar.to_ical()
    return written


def _component(deadline: Deadline, form: str) -> Component:
    from icalendar import Event, Todo

    component = Event() if form == EVENTS else Todo()
    component.add("uid", deadline.id)
    # What a calendar says of an event changes with the event alone: another stamp would make each reading a new one.
    component.add("dtstamp", _instant(deadline.asked))
    if form == EVENTS:
        component.add("dtstart", _instant(deadline.due))
        component.add("transp", "TRANSPARENT")
    else:
        component.add("due", _instant(deadline.due))
        component.add("status", "NEEDS-ACTION")
    component.add("summary", deadline.title)
    component.add("description", deadline.text)
    if deadline.link:
        component.add("url", deadline.link)
    return component


def _universal() -> Component:
    """The time zone UTC: it says nothing that is not so, and no program shows it."""
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


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC)
