"""Push notifications to devices: one for each question at its time, one at the end; retried while useful."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric import ec

from service.instance.push_key import push_key
from service.notifications import full_games
from service.notifications.email import mailbox
from service.notifications.email.content import Desk, news
from service.notifications.email.mailbox import Mailbox, after_quiet
from service.notifications.game_subscriptions import leave_everywhere
from service.notifications.preferences import preferences_of
from service.notifications.push import push_message
from service.notifications.push.device import FAILING, REFUSED, BadDevice, Device, forget, is_living, target
from service.notifications.push.encryption import contact_of, sealed, vouched
from service.notifications.push.push_message import URGENCY, Notice
from service.notifications.webhooks.addresses import Reach
from service.notifications.webhooks.retries import retries
from service.notifications.webhooks.sender import TOO_BUSY, Answered, Sender
from service.process.logs import logger
from service.projections.positions.cache import Positions
from service.projections.positions.visibility import Resignations
from service.store.ports.outbox import Owed, Subscription, Told
from workers.notifications.deliveries import Post, Verdict, log_attempt
from workers.notifications.reminders import due_at, put_off, stands

THERE = 2 * 60_000
"""Milliseconds for which a player who has moved in a game is assumed to be watching it."""

TRIED, LATEST = 24 * 3_600_000, 3_600_000
"""Milliseconds for which a notification is retried, and maximum milliseconds between two tries."""

LONGEST = 28 * 24 * 3600
"""Maximum seconds that a push service is asked to store a notification for a device that is off."""

GONE = (404, 410)
"""Responses of a push service for an unknown or unsubscribed device (RFC 8030)."""

NOT_LET_IN = (401, 403)
"""Responses of a push service that has another key, or wants more identification."""

REMEMBERED = 64
"""Games whose position is cached: notifications are about many games, each rarely."""

log = logger("push")


@dataclass(frozen=True, slots=True)
class Time:
    """When a notification was due, and until when it is useful; milliseconds by the store's clock."""

    at: int
    until: int | None = None


class PushDelivery:
    """See `workers.notifications.deliveries.Delivery`. The schedule is the same as for emails: `workers.notifications.reminders`."""

    def __init__(self, post: Post, sender: Sender | None = None) -> None:
        self._store, self._settings = post.store, post.settings
        self._reach = Reach.of(post.settings)
        self._sender = sender or Sender(self._reach, post.settings.webhook_seconds)
        self._soonest = 1000 * next(iter(retries(post.settings)), 5)
        self._resting: dict[str, int] = {}
        """Until when push services have asked to wait, for the duration of this drain."""
        self._desk = Desk(post.store, Positions(post.store, REMEMBERED), Resignations())

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        return push_key(self._settings.push_key_path)

    def deliver(self, owed: Owed, told: Told, subscription: Subscription) -> Verdict:
        device = Device.of(subscription)
        if not is_living(self._store, subscription):
            forget(self._store, [subscription])
            return Verdict(None if owed.what else told)
        what, _, rest = owed.what.partition(":")
        preferences = preferences_of(self._store, subscription.owner)
        box = Mailbox("", verified=True, zone=preferences.zone, quiet=preferences.quiet, reminders=device.reminders)
        on = self._settings.push == "on" and subscription.active
        if not what:
            return put_off(self._store, owed, told, subscription, box if on else None, THERE)
        if not on:
            return Verdict(None)
        match what:
            case mailbox.ASKED | mailbox.HALF | mailbox.TENTH:
                return self._question(owed, subscription, box, what, rest)
            case mailbox.OVER | mailbox.GIVEN_UP:
                return self._news(owed, subscription, box, what, int(rest))
            case full_games.FULL:
                return self._full(owed, subscription, box, full_games.instant_of(rest))
            case push_message.TEST:
                return self._send(
                    push_message.of_test(subscription.id, rest), subscription, Time(self._store.schedule.now())
                )
            case _:  # written by a later release
                return Verdict(None)

    def _question(self, owed: Owed, subscription: Subscription, box: Mailbox, mark: str, question: str) -> Verdict:
        player = subscription.owner
        at = due_at(self._store, owed.game_id, player, box, question, mark, THERE)
        if at is None:
            return Verdict(None)
        if self._store.schedule.now() < at:
            return Verdict(None, at)
        made = push_message.of_question(self._desk, subscription.id, player, box.zone, owed.game_id, mark, question)
        # Writing took a while, and they may have answered in the meantime.
        found = stands(self._store, self._store.lobbies.get(owed.game_id), player, question)
        if made is None or found is None:
            return Verdict(None)
        return self._send(made, subscription, Time(at, found["deadline"]))

    def _news(self, owed: Owed, subscription: Subscription, box: Mailbox, what: str, seq: int) -> Verdict:
        found = news(self._desk, owed.game_id, subscription.owner, seq - 1)
        if found is None or (found.what, found.seq) != (what, seq):
            return Verdict(None)
        at = after_quiet(box, found.at)
        if self._store.schedule.now() < at:
            return Verdict(None, at)
        made = push_message.of_news(self._desk, subscription.id, subscription.owner, owed.game_id, what, seq)
        return Verdict(None) if made is None else self._send(made, subscription, Time(at))

    def _full(self, owed: Owed, subscription: Subscription, box: Mailbox, full: int) -> Verdict:
        at = after_quiet(box, full)
        if self._store.schedule.now() < at:
            return Verdict(None, at)
        made = push_message.of_full_game(self._store, subscription.id, subscription.owner, owed.game_id, owed.what)
        return Verdict(None) if made is None else self._send(made, subscription, Time(at))

    def _send(self, made: Notice, subscription: Subscription, time: Time) -> Verdict:
        """Push a notification; a refused one is retried while it is useful, for at most a day."""
        now, device = self._store.schedule.now(), Device.of(subscription)
        if time.until is not None and now >= time.until:
            return Verdict(None)
        if (until := self._rests(subscription)) > now:
            return Verdict(None, until)
        if not self._is_still(subscription):
            return Verdict(None)
        answered = self._push(made, device, time, now)
        now += answered.milliseconds
        if answered.taken:
            self._note(made, subscription, answered, "delivered", now)
            return Verdict(None)
        if answered.status in GONE:
            forget(self._store, [subscription])
            log.info("device_removed", device=subscription.id)
            return Verdict(None)
        again = now + max(min(max(now - time.at, self._soonest), LATEST), 1000 * answered.wait)
        lasts = again < (time.at + TRIED if time.until is None else min(time.until, time.at + TRIED))
        if made.kind != push_message.TEST and not _is_for_good(answered) and lasts:
            if answered.wait:
                self._resting[subscription.id] = again
            self._note(made, subscription, answered, "failed", now, again)
            return Verdict(None, again, failed=True)
        self._note(made, subscription, answered, "dead", now)
        if answered.status in NOT_LET_IN:
            self._stop(subscription, REFUSED)
        elif again >= time.at + TRIED and not self._has_taken(subscription, time.at):
            self._stop(subscription, FAILING)
        return Verdict(None, failed=True)

    def _push(self, made: Notice, device: Device, time: Time, now: int) -> Answered:
        try:
            where = target(device.endpoint, self._reach)
            body = sealed(device, made.body)
        except BadDevice:
            return Answered("forbidden-address", None, 0)  # the operator has changed the allowed addresses
        left = LONGEST if time.until is None else max(0, (time.until - now) // 1000)
        headers: Mapping[str, str] = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(min(left, LONGEST)),
            "Topic": made.topic(device.endpoint),
            "Urgency": URGENCY[made.kind],
            **vouched(self._key, where, contact_of(self._settings), now // 1000),
        }
        return self._sender.post(where, headers, body)

    def _is_still(self, subscription: Subscription) -> bool:
        """Whether the device is still the player's, checked at the last moment: another player may use the browser now."""
        known = self._store.subscriptions.get(subscription.id)
        return (
            known is not None and known.owner == subscription.owner and known.active and is_living(self._store, known)
        )

    def _rests(self, subscription: Subscription) -> int:
        """Until when nothing is sent, or 0: its push service is busy, or its owner has reached the rate limit."""
        until, now, rate = (
            self._resting.get(subscription.id, 0),
            self._store.schedule.now(),
            self._settings.rate_webhooks,
        )
        if until > now or not rate:
            return until
        allowed, _, seconds = self._store.accounts.allow(f"words:{subscription.owner}", rate, rate / 60)
        return 0 if allowed else now + 1000 * max(1, seconds)

    def _has_taken(self, subscription: Subscription, since: int) -> bool:
        noted = self._store.subscriptions.noted(subscription.id)
        return any(each["at"] >= since and each["state"] == "delivered" for each in noted)

    def _stop(self, subscription: Subscription, why: str) -> None:
        while (now := self._store.subscriptions.get(subscription.id)) is not None and now.owner == subscription.owner:
            off = dataclasses.replace(Device.of(now), stopped=why)
            if self._store.subscriptions.change(dataclasses.replace(now, active=False, terms=off.terms()), now):
                leave_everywhere(self._store, now)
                log.info("device_disabled", device=now.id, reason=why)
                return

    def _note(
        self,
        made: Notice,
        subscription: Subscription,
        answered: Answered,
        state: str,
        now: int,
        again: int | None = None,
    ) -> None:
        noted = {
            "id": made.id,
            "kind": made.kind,
            "game": made.game,
            "at": now,
            "state": state,
            "reason": answered.reason,
            "status": answered.status,
            "again": again,
        }
        if self._is_still(subscription):
            self._store.subscriptions.note(subscription.id, noted, dead=state == "dead")
            about = {"about": made.kind, "reason": answered.reason, "status": answered.status}
            log_attempt(
                self._store, subscription, made.game, made.seq, state, duration_ms=answered.milliseconds, **about
            )


def _is_for_good(answered: Answered) -> bool:
    """Whether a retry is useless, because the push service has understood and refuses."""
    return answered.status is not None and 400 <= answered.status < 500 and answered.status not in (*TOO_BUSY, 408)
