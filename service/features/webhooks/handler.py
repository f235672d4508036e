"""Webhook deliveries: one request each, retried for a day, with the results recorded for the owner."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from cachetools import TTLCache

from domain.kernel.terms import PlayerId
from service.core.notifications.deliveries import (
    DeliveryContext,
    DeliveryResult,
    disable,
    has_accepted,
    log_attempt,
    skip_unrelated,
)
from service.core.notifications.lobby_notices import find_lobby_notice, parse_instant
from service.core.notifications.notification import NOTICES, Notification, build_notification, notification_id
from service.core.notifications.preferences import get_preferences
from service.core.notifications.rate import DeliveryRate
from service.core.notifications.recent_commits import CommitContext, GameContext
from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.retries import parse_retries
from service.core.outbound.sender import PostResult, Sender
from service.core.outbound.targets import InvalidTarget, parse_target
from service.features.webhooks.formats import FORMATS
from service.features.webhooks.signatures import build_signature_headers
from service.features.webhooks.webhook import AGAIN, FAILING, GONE, TEST, WebhookTerms
from service.ops.logging import logger
from service.store.ports.outbox import NO_GAME, DeliveryCursor, OutboxEntry, Subscription

ZONE_SECONDS = 5.0
"""Seconds for which the time zone of an owner is cached."""

RESERVED = 16
"""Deliveries that are taken from an owner's rate limit at once, so that not every delivery needs a call."""

NO_MORE = 410
"""The response of a receiver that wants no more deliveries."""

log = logger("webhooks")


@dataclass(frozen=True, slots=True)
class WebhookPayload:
    id: str
    game: str | None
    seq: int | None
    event: str
    media_type: str
    body: bytes
    request_id: str = ""
    """Id of the request that caused its commit, if known."""


class WebhookHandler:
    """See `service.core.notifications.deliveries.DeliveryHandler`."""

    def __init__(self, context: DeliveryContext, sender: Sender | None = None) -> None:
        self._store, self._commits = context.store, context.commits
        self._allowed = AllowedAddresses.from_settings(context.settings)
        self._rate = DeliveryRate(context.store, context.settings.rate_webhooks, RESERVED)
        self._base, self._web = context.settings.public_url, context.settings.web != "off"
        self._retries: Sequence[int] = parse_retries(context.settings)
        self._paused: dict[str, int] = {}
        """Until when receivers have asked to wait, for the duration of this drain; each delivery stores it for longer."""
        self._sender = sender or Sender(self._allowed, context.settings.webhook_seconds)
        self._guard = threading.Lock()
        self._zones: TTLCache[PlayerId, str] = TTLCache(2048, ZONE_SECONDS)

    def deliver(self, entry: OutboxEntry, cursor: DeliveryCursor, subscription: Subscription) -> DeliveryResult:
        webhook = WebhookTerms.from_subscription(subscription)
        if entry.subject:
            return self._deliver_other(entry, webhook, subscription)
        game = self._commits.load_game(entry.game_id)
        if game is None:
            self._store.outbox.leave([entry.game_id], subscription.id)
            return DeliveryResult(cursor)
        if not game.lobby.belongs_to(subscription.owner, game.now):
            # A player whose game it is not, or not yet, must not learn that it exists.
            waits = game.lobby.seating.asks(subscription.owner)
            return skip_unrelated(self._store, entry, cursor, game.position.seq, waits=waits)
        # If the log went back, repeat nothing that was delivered, and deliver what is new.
        seq = min(cursor.seq, game.position.seq)
        happened = self._commits.read_after(game, seq)
        for context in happened:
            payload = self._build_payload(game, context, webhook, subscription)
            if payload is not None and (until := self._paused_until(entry, subscription)):
                return DeliveryResult(cursor, until)
            if payload is not None:
                return self._try(entry, payload, context.commit.seq, cursor, webhook, subscription)
        return DeliveryResult(DeliveryCursor(seq + len(happened)))

    def _paused_until(self, entry: OutboxEntry, subscription: Subscription) -> int:
        """Until when nothing is sent, milliseconds by the store's clock; 0 for now.

        Its receiver has asked to wait, for any game; or its owner has reached the rate limit.
        """
        until, now = self._paused.get(subscription.id, 0), entry.now()
        if until > now:
            return until
        seconds = self._rate.wait(subscription.owner)
        return now + 1000 * seconds if seconds else 0

    def _get_zone(self, owner: PlayerId) -> str:
        with self._guard:
            zone = self._zones.get(owner)
        if zone is None:
            zone = get_preferences(self._store, owner).zone
            with self._guard:
                self._zones[owner] = zone
        return zone

    def _build_payload(
        self, game: GameContext, context: CommitContext, webhook: WebhookTerms, subscription: Subscription
    ) -> WebhookPayload | None:
        """The event of a commit, ready to send; None if this webhook does not get it."""
        seats = game.readable_seats(subscription.owner)
        seat = seats[0] if seats and webhook.reader == "seat" else None
        reader = self._commits.get_reader(game, seat)
        # A time zone reveals where the owner lives: use it only in events that no one else reads.
        own = webhook.reader == "seat" and any(asked.due is not None for asked in context.questions)
        zone = self._get_zone(subscription.owner) if own else "UTC"
        notification = build_notification(subscription.id, game, context, reader, seats, webhook.events, zone)
        if notification is None:
            return None
        seq = context.commit.seq
        made = FORMATS[webhook.format].render(notification, self._build_link(game, seq))
        if made is None:
            return None
        request = game.requests.get(seq, "")
        return WebhookPayload(notification.id, notification.game, seq, notification.events[0], *made, request)

    def _build_link(self, game: GameContext, seq: int) -> str:
        """The page of the game, or without the website its history from the commit; empty if the game is private."""
        if game.lobby.visibility == "private" or not self._base:
            return ""
        if self._web:
            return f"{self._base}/games/{game.config.id}"
        after = f"&after={seq - 1}" if seq > 1 else ""
        return f"{self._base}/v1/games/{game.config.id}/events?digest=turn{after}"

    def _try(
        self,
        entry: OutboxEntry,
        payload: WebhookPayload,
        seq: int,
        cursor: DeliveryCursor,
        webhook: WebhookTerms,
        subscription: Subscription,
    ) -> DeliveryResult:
        attempt = cursor.tries + 1
        response, now, again = self._attempt(entry, payload, attempt, webhook, subscription)
        if response.is_accepted:
            return DeliveryResult(DeliveryCursor(seq))
        since = cursor.since or now
        if again is not None:
            return DeliveryResult(DeliveryCursor(seq - 1, attempt, since), again, failed=True)
        if response.status != NO_MORE and not has_accepted(self._store, subscription, since):
            self._disable(subscription, FAILING)
        return DeliveryResult(DeliveryCursor(seq), failed=True)

    def _attempt(
        self,
        entry: OutboxEntry,
        payload: WebhookPayload,
        attempt: int,
        webhook: WebhookTerms,
        subscription: Subscription,
    ) -> tuple[PostResult, int, int | None]:
        """Try to deliver, and record the result. Returns the response, its time, and when to retry if that makes sense."""
        response, now = self._send(entry, payload, webhook)
        state, again = "delivered" if response.is_accepted else "dead", None
        if not response.is_accepted and response.status != NO_MORE and attempt <= len(self._retries):
            state, again = "failed", now + 1000 * max(self._retries[attempt - 1], response.retry_after)
            if response.retry_after:
                self._paused[subscription.id] = again
        self._record(subscription, payload, response, now, attempt, state, again)
        if response.status == NO_MORE:
            self._disable(subscription, GONE)
        return response, now, again

    def _disable(self, subscription: Subscription, why: str) -> None:
        if disable(self._store, subscription, why):
            log.info("webhook_disabled", webhook=subscription.id, reason=why)

    def _deliver_other(self, entry: OutboxEntry, webhook: WebhookTerms, subscription: Subscription) -> DeliveryResult:
        """Deliveries that are not for new commits. A test, or a repeated event, is tried once, and recorded."""
        what, _, rest = entry.subject.partition(":")
        if what in NOTICES:
            return self._deliver_notice(entry, what, parse_instant(rest), webhook, subscription)
        payload = None
        if what == TEST and entry.game_id == NO_GAME:
            form, body = FORMATS[webhook.format].render_test(subscription.id, entry.now())
            payload = WebhookPayload(rest, None, None, "test", form, body)
        elif what == AGAIN and rest.isdecimal():
            payload = self._redeliver(entry, int(rest), webhook, subscription)
        if payload is None:
            return DeliveryResult(None)
        response, now = self._send(entry, payload, webhook)
        self._record(subscription, payload, response, now, 1, "delivered" if response.is_accepted else "failed")
        return DeliveryResult(None, failed=not response.is_accepted)

    def _deliver_notice(
        self, entry: OutboxEntry, what: str, at: int, webhook: WebhookTerms, subscription: Subscription
    ) -> DeliveryResult:
        """Report something about a game that has not started; retried like other events."""
        payload = self._build_notice(entry, what, at, webhook, subscription)
        if payload is None:
            return DeliveryResult(None)
        if until := self._paused_until(entry, subscription):
            return DeliveryResult(None, until)
        attempt = 1 + sum(each["id"] == payload.id for each in self._store.subscriptions.noted(subscription.id))
        response, _, again = self._attempt(entry, payload, attempt, webhook, subscription)
        return DeliveryResult(None, again, failed=not response.is_accepted)

    def _build_notice(
        self, entry: OutboxEntry, what: str, at: int, webhook: WebhookTerms, subscription: Subscription
    ) -> WebhookPayload | None:
        event, own = NOTICES[what], webhook.reader == "seat"
        if not subscription.active or event not in webhook.events:
            return None
        found = find_lobby_notice(self._store, what, entry.game_id, subscription.owner, own=own)
        if found is None:
            return None
        id_ = notification_id(subscription.id, entry.game_id, entry.subject)
        seat, head = found.lobby.seat_of(subscription.owner) if own else None, (found.lobby.kind, found.heading)
        notification = Notification(id_, entry.game_id, *head, 0, at, seat, (event,), None, (), None, found.text)
        made = FORMATS[webhook.format].render(notification)
        return None if made is None else WebhookPayload(id_, entry.game_id, None, event, *made)

    def _redeliver(
        self, entry: OutboxEntry, seq: int, webhook: WebhookTerms, subscription: Subscription
    ) -> WebhookPayload | None:
        """The event of a commit again, as its reader may read it now; None if the game is no longer theirs."""
        game = self._commits.load_game(entry.game_id)
        if game is None or not game.lobby.belongs_to(subscription.owner, game.now):
            return None
        commits = self._commits.read_after(game, seq - 1)
        return self._build_payload(game, commits[0], webhook, subscription) if commits else None

    def _send(self, entry: OutboxEntry, payload: WebhookPayload, webhook: WebhookTerms) -> tuple[PostResult, int]:
        now = entry.now()
        try:
            target = parse_target(webhook.url, self._allowed)
        except InvalidTarget:
            return PostResult("forbidden-address", None, 0), now  # the operator has changed the allowed addresses
        headers = build_signature_headers(webhook.active_secrets(now), payload.id, now // 1000, payload.body)
        response = self._sender.post(target, {"Content-Type": payload.media_type, **headers}, payload.body)
        return response, now + response.milliseconds

    def _record(
        self,
        subscription: Subscription,
        payload: WebhookPayload,
        response: PostResult,
        now: int,
        attempt: int,
        state: str,
        again: int | None = None,
    ) -> None:
        delivery = {
            "id": payload.id,
            "game": payload.game,
            "seq": payload.seq,
            "event": payload.event,
            "at": now,
            "attempt": attempt,
            "state": state,
            "reason": response.reason,
            "status": response.status,
            "milliseconds": response.milliseconds,
            "again": again,
        }
        self._store.subscriptions.note(subscription.id, delivery, dead=state == "dead")
        about = {name: delivery[name] for name in ("attempt", "reason", "status")}
        about |= {"about": payload.event, "duration_ms": response.milliseconds}
        log_attempt(self._store, subscription, payload.game, payload.seq, state, payload.request_id, **about)
