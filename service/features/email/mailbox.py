"""A player's email address and schedule, stored outside the log as the terms of a subscription."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from domain.kernel.terms import PlayerId
from service.core.http.context.tokens import digest_of
from service.core.notifications.kinds import EMAIL
from service.core.notifications.preferences import get_preferences
from service.core.notifications.schedule import ASKED, MINUTE, ReminderSchedule
from service.core.pace.zones import zone_of
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

LATER, DAILY, OFF = "later", "daily", "off"
"""Besides `ASKED`, which is email for each question: only after some minutes without an answer; once a day; never."""

CONFIRM, DAY = "confirm", "daily"
"""Outbox entries that are not commits: the email that confirms an address, and the daily email."""
BOUNCED, UNSUBSCRIBED = "bounced", "unsubscribed"
"""Why email was stopped."""

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
    """As in `ReminderSchedule`. This and the zone come from the player's preferences (`service.core.notifications.preferences`)."""
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
    def schedule(self) -> ReminderSchedule:
        """When the player gets email about single questions, if `follows_commits`."""
        return ReminderSchedule(
            self.zone, self.quiet, self.reminders, self.minutes * MINUTE if self.when == LATER else 0
        )

    @property
    def address_hash(self) -> str:
        """Binds links in emails to this address. They become invalid when the address changes."""
        return digest_of(self.address)[:16]


def find_mailbox(store: Store, player_id: PlayerId) -> Subscription | None:
    """The email subscription of a player; None if they have set no address."""
    return next((each for each in store.subscriptions.of([player_id]) if each.kind == EMAIL), None)


def load_mailbox(store: Store, subscription: Subscription) -> Mailbox:
    """The mailbox of a subscription, with the player's time zone and quiet hours."""
    preferences = get_preferences(store, subscription.owner)
    return dataclasses.replace(Mailbox.from_subscription(subscription), zone=preferences.zone, quiet=preferences.quiet)


def next_daily_email(box: Mailbox, after: int) -> int:
    """When the next daily email is due, after an instant."""
    zone = zone_of(box.zone)
    day = datetime.fromtimestamp(after / 1000, UTC).astimezone(zone).date()
    while True:
        at = int(datetime.combine(day, time(box.hour), zone).timestamp() * 1000)
        if at > after:
            return at
        day += timedelta(days=1)
