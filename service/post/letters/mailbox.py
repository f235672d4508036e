"""Where a player's letters go and when they want them; it lies beside the log, as the terms of a subscription."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from domain.terms import PlayerId
from service.pace.calendar import time_of_day
from service.pace.clock import elapsed
from service.pace.zones import zone_of
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

KIND = "letters"
"""The kind of such a subscription."""

ASKED, LATER, DAILY, OFF = "asked", "later", "daily", "off"
"""A letter when they are asked; if they have not answered after so many minutes; one a day; none."""

CONFIRM, DAY = "confirm", "daily"
"""What is put into the outbox besides commits: the letter that asks whether an address is theirs, and that of a day."""
HALF, TENTH = "half", "tenth"
"""And of a question, before its id: ``asked``, and the reminders at half and at a tenth of its time."""
OVER, GIVEN_UP = "over", "vacant"
"""And of a game, before the commit: that it is over; that a bot plays on for a player whose seat is on offer."""
BOUNCED, UNSUBSCRIBED = "bounced", "unsubscribed"
"""Why letters were stopped."""

FREE: Mapping[str, Any] = {"mode": "free"}
"""The pace that counts all the time there is."""

MINUTE = 60_000
APART = 10 * MINUTE
"""Milliseconds that lie between two letters about the same question at least."""

MOST_BOUNCES = 3
"""Bounces in a row after which no more email goes to an address."""


@dataclass(frozen=True, slots=True)
class Mailbox:
    """An address, and when letters go there."""

    address: str
    verified: bool = False
    """Whether somebody who reads what comes there has said that they want it."""
    when: str = ASKED
    minutes: int = 60
    """For `LATER`."""
    hour: int = 8
    """For `DAILY`: the hour in their zone."""
    zone: str = "UTC"
    quiet: tuple[str, str] | None = None
    """From when to when (``22:00``, ``08:00``, in their zone) no letters go. This and the zone are the player's own
    (`service.post.preferences`)."""
    reminders: bool = True
    stopped: str = ""
    """Why no letters go any more: `BOUNCED`, `UNSUBSCRIBED`; until the player sets the address anew."""
    bounces: int = 0
    leave: str = ""
    """What the address in each letter is made secret by that stops them. It can do nothing else, and so it stands here as it is."""

    @staticmethod
    def of(subscription: Subscription) -> Mailbox:
        """The mailbox that stands in a subscription's terms; fields of a later release are left out."""
        known = {each.name for each in dataclasses.fields(Mailbox)}
        terms = {name: value for name, value in subscription.terms.items() if name in known}
        quiet = terms.get("quiet")
        return Mailbox(**{**terms, "quiet": tuple(quiet) if quiet else None})

    def terms(self) -> Mapping[str, Any]:
        """As a subscription keeps it."""
        return {**dataclasses.asdict(self), "quiet": list(self.quiet) if self.quiet else None}

    @property
    def open(self) -> bool:
        """Whether letters about games go there."""
        return self.verified and not self.stopped and self.when != OFF

    @property
    def listens(self) -> bool:
        """Whether it is told of each commit; the letter of a day looks by itself."""
        return self.open and self.when in (ASKED, LATER)

    @property
    def mark(self) -> str:
        """What a link in a letter to this address hangs on: another address, and it leads nowhere."""
        return hashlib.sha256(self.address.encode()).hexdigest()[:16]


def mailbox_of(store: Store, player_id: PlayerId) -> Subscription | None:
    """The subscription of a player's letters; None if they have given no address."""
    return next((each for each in store.subscriptions.of([player_id]) if each.kind == KIND), None)


def marks(
    box: Mailbox, since: int, due: int | None, patience: int = 0, pace: Mapping[str, Any] = FREE
) -> Mapping[str, int]:
    """When letters go about a question that was asked at ``since`` (milliseconds of Unix time), if it still stands then.

    ``patience`` is for how many milliseconds whoever is asked is believed to be there. Half and a tenth are of the time that
    the ``pace`` counts. What falls into quiet hours goes when they end, and what would follow another letter at once does not go.
    """
    if not box.listens:
        return {}
    wanted = {ASKED: since + max(patience, box.minutes * MINUTE if box.when == LATER else 0)}
    if box.reminders and due is not None:
        wanted |= {HALF: elapsed(pace, since, due, 5), TENTH: elapsed(pace, since, due, 9)}
    found: dict[str, int] = {}
    last = -APART
    for name, planned in sorted(wanted.items(), key=lambda item: item[1]):
        at = after_quiet(box, planned)
        if at - last >= APART and (due is None or at < due):
            found[name] = last = at
    return found


def after_quiet(box: Mailbox, instant: int) -> int:
    """The instant, or the end of the quiet hours in which it lies."""
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


def next_day(box: Mailbox, after: int) -> int:
    """When the next letter of a day goes, later than an instant."""
    zone = zone_of(box.zone)
    day = datetime.fromtimestamp(after / 1000, UTC).astimezone(zone).date()
    while True:
        at = _milliseconds(datetime.combine(day, time(box.hour), zone))
        if at > after:
            return at
        day += timedelta(days=1)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
