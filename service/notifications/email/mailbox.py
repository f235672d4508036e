"""A player's email address and schedule, stored outside the log as the terms of a subscription."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from domain.kernel.terms import PlayerId
from service.core.pace.calendar import time_of_day
from service.core.pace.clock import elapsed
from service.core.pace.zones import zone_of
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

KIND = "letters"
"""Kind of the subscription."""

ASKED, LATER, DAILY, OFF = "asked", "later", "daily", "off"
"""Email for each question; only after some minutes without an answer; once a day; never."""

CONFIRM, DAY = "confirm", "daily"
"""Outbox entries that are not commits: the email that confirms an address, and the daily email."""
HALF, TENTH = "half", "tenth"
"""Outbox entries for a question, before its id: ``asked``, and the reminders at half and a tenth of its time."""
OVER, SEAT_VACANT = "over", "vacant"
"""Outbox entries for a game, before the seq: the game is over; a bot plays for the player and the seat is vacant."""
BOUNCED, UNSUBSCRIBED = "bounced", "unsubscribed"
"""Why email was stopped."""

FREE_PACE: Mapping[str, Any] = {"mode": "free"}
"""The pace in which every hour counts."""

MINUTE = 60_000
MIN_INTERVAL = 10 * MINUTE
"""Minimum milliseconds between two emails about the same question."""

MAX_BOUNCES = 3
"""Number of bounces in a row after which no more email goes to an address."""


@dataclass(frozen=True, slots=True)
class Mailbox:
    """An address and its schedule."""

    address: str
    verified: bool = False
    """Whether the owner of the address has confirmed it."""
    when: str = ASKED
    minutes: int = 60
    """For `LATER`."""
    hour: int = 8
    """For `DAILY`: the hour in the player's time zone."""
    zone: str = "UTC"
    quiet: tuple[str, str] | None = None
    """Start and end of the quiet hours (``22:00``, ``08:00``, in their time zone), in which no email is sent. This and the zone
    come from the player's preferences (`service.notifications.preferences`)."""
    reminders: bool = True
    stopped: str = ""
    """Why email was stopped: `BOUNCED` or `UNSUBSCRIBED`. Empty again when the player sets the address again."""
    bounces: int = 0
    leave: str = ""
    """The secret of the unsubscribe link in each email. It permits nothing else, so it is stored in plain text."""

    @staticmethod
    def from_subscription(subscription: Subscription) -> Mailbox:
        """The mailbox from a subscription's terms. Ignores fields of later releases."""
        known = {each.name for each in dataclasses.fields(Mailbox)}
        terms = {name: value for name, value in subscription.terms.items() if name in known}
        quiet = terms.get("quiet")
        return Mailbox(**{**terms, "quiet": tuple(quiet) if quiet else None})

    def terms(self) -> Mapping[str, Any]:
        """The terms of the subscription."""
        return {**dataclasses.asdict(self), "quiet": list(self.quiet) if self.quiet else None}

    @property
    def is_open(self) -> bool:
        """Whether email about games is sent."""
        return self.verified and not self.stopped and self.when != OFF

    @property
    def follows_commits(self) -> bool:
        """Whether it gets an outbox entry for each commit. The daily email reads the games itself."""
        return self.is_open and self.when in (ASKED, LATER)

    @property
    def address_hash(self) -> str:
        """Binds links in emails to this address. They become invalid when the address changes."""
        return hashlib.sha256(self.address.encode()).hexdigest()[:16]


def find_mailbox(store: Store, player_id: PlayerId) -> Subscription | None:
    """The email subscription of a player; None if they have set no address."""
    return next((each for each in store.subscriptions.of([player_id]) if each.kind == KIND), None)


def schedule_emails(
    box: Mailbox, since: int, due: int | None, patience: int = 0, pace: Mapping[str, Any] = FREE_PACE
) -> Mapping[str, int]:
    """When to send the emails about a question asked at ``since``, by mark, if it is still pending. Milliseconds of Unix time.

    ``patience`` is how many milliseconds the player is assumed to be online. The reminders follow the time that the
    ``pace`` counts. Email due in quiet hours is sent at their end. Email that would follow another within `MIN_INTERVAL` is
    omitted.
    """
    if not box.follows_commits:
        return {}
    wanted = {ASKED: since + max(patience, box.minutes * MINUTE if box.when == LATER else 0)}
    if box.reminders and due is not None:
        wanted |= {HALF: elapsed(pace, since, due, 5), TENTH: elapsed(pace, since, due, 9)}
    found: dict[str, int] = {}
    last = -MIN_INTERVAL
    for name, planned in sorted(wanted.items(), key=lambda item: item[1]):
        at = skip_quiet_hours(box, planned)
        if at - last >= MIN_INTERVAL and (due is None or at < due):
            found[name] = last = at
    return found


def skip_quiet_hours(box: Mailbox, instant: int) -> int:
    """The instant, or the end of the quiet hours that contain it."""
    if box.quiet is None:
        return instant
    begin, end = map(time_of_day, box.quiet)
    zone = zone_of(box.zone)
    then = datetime.fromtimestamp(instant / 1000, UTC).astimezone(zone)
    clock = then.time().replace(second=0, microsecond=0)
    within = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not within or begin == end:
        return instant
    day = then.date() + timedelta(days=1 if clock >= end else 0)
    return _milliseconds(datetime.combine(day, end, zone))


def next_daily_email(box: Mailbox, after: int) -> int:
    """When the next daily email is due, after an instant."""
    zone = zone_of(box.zone)
    day = datetime.fromtimestamp(after / 1000, UTC).astimezone(zone).date()
    while True:
        at = _milliseconds(datetime.combine(day, time(box.hour), zone))
        if at > after:
            return at
        day += timedelta(days=1)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
