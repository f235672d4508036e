"""Push notifications to devices: one for each question at its time, one at the end; retried while useful."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric import ec

from service.core.notifications import schedule
from service.core.notifications.deliveries import DeliveryContext, DeliveryResult, disable, has_accepted, log_attempt
from service.core.notifications.lobby_notices import LOBBY_NOTICES
from service.core.notifications.preferences import get_preferences
from service.core.notifications.questions import MessageContext
from service.core.notifications.rate import DeliveryRate
from service.core.notifications.reminders import (
    ABOUT_GAMES,
    find_due_instant,
    find_pending_question,
    schedule_reminders,
)
from service.core.notifications.schedule import ReminderSchedule
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.retries import MAX_RETRY_TIME, parse_retries, plan_retry
from service.core.outbound.sender import TOO_BUSY, PostResult, Sender
from service.features.push import push_message
from service.features.push.device import (
    FAILING,
    REFUSED,
    DeviceTerms,
    InvalidDevice,
    delete_devices,
    has_valid_token,
    parse_endpoint,
)
from service.features.push.encryption import build_vapid_headers, choose_contact, encrypt
from service.features.push.push_message import URGENCY, PushMessage
from service.ops.keys.push_key import push_key
from service.ops.logging import logger
from service.store.ports.outbox import DeliveryCursor, OutboxEntry, Subscription

ONLINE_MILLISECONDS = 2 * 60_000
"""Milliseconds for which a player who has moved in a game is assumed to be watching it."""

MAX_TTL = 28 * 24 * 3600
"""Maximum seconds that a push service is asked to store a notification for a device that is off."""

GONE = (404, 410)
"""Responses of a push service for an unknown or unsubscribed device (RFC 8030)."""

UNAUTHORIZED = (401, 403)
"""Responses of a push service that has another key, or wants more identification."""

log = logger("push")


@dataclass(frozen=True, slots=True)
class DeliveryWindow:
    """When a notification was due, and until when it is useful; milliseconds by the store's clock."""

    at: int
    until: int | None = None


class PushHandler:
    """See `service.core.notifications.deliveries.DeliveryHandler`. The schedule is the same as for emails: `service.core.notifications.reminders`."""

    def __init__(self, context: DeliveryContext, sender: Sender | None = None) -> None:
        self._store, self._settings = context.store, context.settings
        self._allowed = AllowedAddresses.from_settings(context.settings)
        self._sender = sender or Sender(self._allowed, context.settings.webhook_seconds)
        self._soonest = 1000 * next(iter(parse_retries(context.settings)), 5)
        self._rate = DeliveryRate(context.store, context.settings.rate_webhooks)
        self._paused: dict[str, int] = {}
        """Until when push services have asked to wait, for the duration of this drain."""
        self._context = MessageContext.create(context.store)

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        return push_key(self._settings.push_key_path)

    def deliver(self, entry: OutboxEntry, cursor: DeliveryCursor, subscription: Subscription) -> DeliveryResult:
        device = DeviceTerms.from_subscription(subscription)
        if not has_valid_token(self._store, subscription):
            delete_devices(self._store, [subscription])
            return DeliveryResult(None if entry.subject else cursor)
        what, _, rest = entry.subject.partition(":")
        preferences = get_preferences(self._store, subscription.owner)
        plan = ReminderSchedule(preferences.zone, preferences.quiet, device.reminders)
        on = self._settings.push == "on" and subscription.active
        if not what:
            return schedule_reminders(
                self._store, entry, cursor, subscription, plan if on else None, ONLINE_MILLISECONDS
            )
        if not on:
            return DeliveryResult(None)
        match what:
            case _ if what in ABOUT_GAMES:
                return self._deliver_about_game(entry, subscription, plan, what, rest)
            case push_message.TEST:
                return self._send(
                    push_message.build_test(subscription.id, rest),
                    subscription,
                    DeliveryWindow(self._store.schedule.now()),
                )
            case push_message.SIGN_IN:
                made = push_message.build_sign_in(subscription.id, rest)
                return self._send(made, subscription, DeliveryWindow(int(rest)))
            case _:  # written by a later release
                return DeliveryResult(None)

    def _deliver_about_game(
        self, entry: OutboxEntry, subscription: Subscription, plan: ReminderSchedule, what: str, rest: str
    ) -> DeliveryResult:
        context, device, player, game = self._context, subscription.id, subscription.owner, entry.game_id
        at = find_due_instant(context, entry, player, plan, ONLINE_MILLISECONDS)
        if at is None:
            return DeliveryResult(None)
        if self._store.schedule.now() < at:
            return DeliveryResult(None, at)
        until = None
        match what:
            case _ if what in LOBBY_NOTICES:
                made = push_message.build_lobby_notice(self._store, device, player, game, entry.subject)
            case schedule.OVER | schedule.SEAT_VACANT:
                made = push_message.build_status_change(context, device, player, game, what, int(rest))
            case _:
                made = push_message.build_question(context, device, player, plan.zone, game, what, rest)
                # Writing took a while, and they may have answered in the meantime.
                found = find_pending_question(self._store, self._store.lobbies.get(game), player, rest)
                if found is None:
                    return DeliveryResult(None)
                until = found["deadline"]
        return DeliveryResult(None) if made is None else self._send(made, subscription, DeliveryWindow(at, until))

    def _send(self, made: PushMessage, subscription: Subscription, time: DeliveryWindow) -> DeliveryResult:
        """Push a notification; a refused one is retried while it is useful, for at most a day."""
        now, device = self._store.schedule.now(), DeviceTerms.from_subscription(subscription)
        if time.until is not None and now >= time.until:
            return DeliveryResult(None)
        if (until := self._paused_until(subscription)) > now:
            return DeliveryResult(None, until)
        if not self._is_still_valid(subscription):
            return DeliveryResult(None)
        response = self._push(made, device, time, now)
        now += response.milliseconds
        if response.is_accepted:
            self._record(made, subscription, response, "delivered", now)
            return DeliveryResult(None)
        if response.status in GONE:
            delete_devices(self._store, [subscription])
            log.info("device_removed", device=subscription.id)
            return DeliveryResult(None)
        again = max(plan_retry(time.at, now, self._soonest), now + 1000 * response.retry_after)
        lasts = again < (time.at + MAX_RETRY_TIME if time.until is None else min(time.until, time.at + MAX_RETRY_TIME))
        if made.kind != push_message.TEST and not _is_permanent(response) and lasts:
            if response.retry_after:
                self._paused[subscription.id] = again
            self._record(made, subscription, response, "failed", now, again)
            return DeliveryResult(None, again, failed=True)
        self._record(made, subscription, response, "dead", now)
        if response.status in UNAUTHORIZED:
            self._disable(subscription, REFUSED)
        elif again >= time.at + MAX_RETRY_TIME and not has_accepted(self._store, subscription, time.at):
            self._disable(subscription, FAILING)
        return DeliveryResult(None, failed=True)

    def _push(self, made: PushMessage, device: DeviceTerms, time: DeliveryWindow, now: int) -> PostResult:
        try:
            where = parse_endpoint(device.endpoint, self._allowed)
            body = encrypt(device, made.body)
        except InvalidDevice:
            return PostResult("forbidden-address", None, 0)  # the operator has changed the allowed addresses
        left = MAX_TTL if time.until is None else max(0, (time.until - now) // 1000)
        headers: Mapping[str, str] = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(min(left, MAX_TTL)),
            "Topic": made.topic(device.endpoint),
            "Urgency": URGENCY[made.kind],
            **build_vapid_headers(self._key, where, choose_contact(self._settings), now // 1000),
        }
        return self._sender.post(where, headers, body)

    def _is_still_valid(self, subscription: Subscription) -> bool:
        """Whether the device is still the player's, checked at the last moment: another player may use the browser now."""
        known = self._store.subscriptions.get(subscription.id)
        return (
            known is not None
            and known.owner == subscription.owner
            and known.active
            and has_valid_token(self._store, known)
        )

    def _paused_until(self, subscription: Subscription) -> int:
        """Until when nothing is sent, or 0: its push service is busy, or its owner has reached the rate limit."""
        until, now = self._paused.get(subscription.id, 0), self._store.schedule.now()
        if until > now:
            return until
        seconds = self._rate.wait(subscription.owner)
        return now + 1000 * seconds if seconds else 0

    def _disable(self, subscription: Subscription, why: str) -> None:
        if disable(self._store, subscription, why):
            log.info("device_disabled", device=subscription.id, reason=why)

    def _record(
        self,
        made: PushMessage,
        subscription: Subscription,
        response: PostResult,
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
            "reason": response.reason,
            "status": response.status,
            "again": again,
        }
        if self._is_still_valid(subscription):
            self._store.subscriptions.note(subscription.id, noted, dead=state == "dead")
            about = {"about": made.kind, "reason": response.reason, "status": response.status}
            log_attempt(
                self._store, subscription, made.game, made.seq, state, duration_ms=response.milliseconds, **about
            )


def _is_permanent(response: PostResult) -> bool:
    """Whether a retry is useless, because the push service has understood and refuses."""
    return response.status is not None and 400 <= response.status < 500 and response.status not in (*TOO_BUSY, 408)
