"""Webhook deliveries: one request each, retried for a day, with the results recorded for the owner."""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cachetools import TTLCache

from domain.terms import PlayerId
from service.notifications.full_games import FULL, TEXT, find_full, instant_of
from service.notifications.game_subscriptions import leave_everywhere
from service.notifications.notification import GAME_FULL, Word, word_id, word_of
from service.notifications.preferences import preferences_of
from service.notifications.recent_commits import GameNews, Happening
from service.notifications.webhooks.addresses import Reach
from service.notifications.webhooks.formats import rendered, tried
from service.notifications.webhooks.retries import retries
from service.notifications.webhooks.sender import Answered, Sender
from service.notifications.webhooks.signatures import signed
from service.notifications.webhooks.targets import BadTarget, target_of
from service.notifications.webhooks.webhook import AGAIN, FAILING, GONE, TEST, Webhook
from service.process.logs import logger
from service.store.ports.outbox import EVERYWHERE, Owed, Subscription, Told
from workers.notifications.deliveries import Post, Verdict, log_attempt, to_strangers

ZONE_SECONDS = 5.0
"""Seconds for which the time zone of an owner is cached."""

RESERVED = 16
"""Deliveries that are taken from an owner's rate limit at once."""

NO_MORE = 410
"""The response of a receiver that wants no more deliveries."""

log = logger("webhooks")


@dataclass(frozen=True, slots=True)
class Parcel:
    id: str
    game: str | None
    seq: int | None
    event: str
    form: str
    body: bytes
    request: str = ""
    """Id of the request that caused its commit, if known."""


class WebhookDelivery:
    """See `workers.notifications.deliveries.Delivery`."""

    def __init__(self, post: Post, sender: Sender | None = None) -> None:
        self._store, self._news = post.store, post.news
        self._reach, self._rate = Reach.of(post.settings), post.settings.rate_webhooks
        self._base, self._web = post.settings.public_url, post.settings.web != "off"
        self._retries: Sequence[int] = retries(post.settings)
        self._resting: dict[str, int] = {}
        """Until when receivers have asked to wait, for the duration of this drain; each delivery stores it for longer."""
        self._sender = sender or Sender(self._reach, post.settings.webhook_seconds)
        self._guard = threading.Lock()
        self._reserved: Counter[PlayerId] = Counter()
        """Deliveries that owners have left from a reservation of their rate limit."""
        self._zones: TTLCache[PlayerId, str] = TTLCache(2048, ZONE_SECONDS)

    def deliver(self, owed: Owed, told: Told, subscription: Subscription) -> Verdict:
        webhook = Webhook.of(subscription)
        if owed.what:
            return self._besides(owed, webhook, subscription)
        game = self._news.of(owed.game_id)
        if game is None:
            self._store.outbox.leave([owed.game_id], subscription.id)
            return Verdict(told)
        if not game.lobby.belongs_to(subscription.owner, game.now):
            # A player whose game it is not, or not yet, must not learn that it exists.
            waits = game.lobby.seating.asks(subscription.owner)
            return to_strangers(self._store, owed, told, game.position.seq, waits=waits)
        # If the log went back, repeat nothing that was delivered, and deliver what is new.
        seq = min(told.seq, game.position.seq)
        happened = self._news.since(game, seq)
        for happening in happened:
            parcel = self._parcel(game, happening, webhook, subscription)
            if parcel is not None and (until := self._rests(owed, subscription)):
                return Verdict(told, until)
            if parcel is not None:
                return self._try(owed, parcel, happening.commit.seq, told, webhook, subscription)
        return Verdict(Told(seq + len(happened)))

    def _rests(self, owed: Owed, subscription: Subscription) -> int:
        """Until when nothing is sent, milliseconds by the store's clock; 0 for now.

        Its receiver has asked to wait, for any game; or its owner has reached the rate limit, which protects third
        parties from a player of endless games with bots.
        """
        until, now = self._resting.get(subscription.id, 0), owed.now()
        if until > now:
            return until
        if not self._rate:
            return 0
        owner = subscription.owner
        with self._guard:
            if self._reserved[owner]:
                self._reserved[owner] -= 1
                return 0
        # A minute's limit is large: reserve several at once, so that not every delivery needs a call.
        some = max(1, min(RESERVED, self._rate // 30))
        bucket, per_second = f"words:{owner}", self._rate / 60
        allowed, _, seconds = self._store.accounts.allow(bucket, self._rate, per_second, some)
        if allowed:
            with self._guard:
                self._reserved[owner] += some - 1
            return 0
        if some > 1:
            allowed, _, seconds = self._store.accounts.allow(bucket, self._rate, per_second)
        return 0 if allowed else now + 1000 * max(1, seconds)

    def _zone(self, owner: PlayerId) -> str:
        with self._guard:
            zone = self._zones.get(owner)
        if zone is None:
            zone = preferences_of(self._store, owner).zone
            with self._guard:
                self._zones[owner] = zone
        return zone

    def _parcel(
        self, game: GameNews, happening: Happening, webhook: Webhook, subscription: Subscription
    ) -> Parcel | None:
        """The event of a commit, ready to send; None if this webhook does not get it."""
        seats = game.seats(subscription.owner)
        seat = seats[0] if seats and webhook.reader == "seat" else None
        reader = self._news.reader(game, seat)
        # A time zone reveals where the owner lives: use it only in events that no one else reads.
        own = webhook.reader == "seat" and any(asked.due is not None for asked in happening.asked)
        zone = self._zone(subscription.owner) if own else "UTC"
        word = word_of(subscription.id, game, happening, reader, seats, webhook.events, zone)
        if word is None:
            return None
        seq = happening.commit.seq
        return _packed(word, webhook.format, self._link(game, seq), game.requests.get(seq, ""))

    def _link(self, game: GameNews, seq: int) -> str:
        """The page of the game, or without the website its history from the commit; empty if the game is private."""
        if game.lobby.visibility == "private" or not self._base:
            return ""
        if self._web:
            return f"{self._base}/games/{game.facts.id}"
        after = f"&after={seq - 1}" if seq > 1 else ""
        return f"{self._base}/v1/games/{game.facts.id}/events?digest=turn{after}"

    def _try(
        self, owed: Owed, parcel: Parcel, seq: int, told: Told, webhook: Webhook, subscription: Subscription
    ) -> Verdict:
        answered, now = self._send(owed, parcel, webhook)
        attempt = told.tries + 1
        if answered.taken:
            self._note(subscription, parcel, answered, now, attempt, "delivered")
            return Verdict(Told(seq))
        since = told.since or now
        if answered.status != NO_MORE and attempt <= len(self._retries):
            again = now + 1000 * max(self._retries[attempt - 1], answered.wait)
            if answered.wait:
                self._resting[subscription.id] = again
            self._note(subscription, parcel, answered, now, attempt, "failed", again)
            return Verdict(Told(seq - 1, attempt, since), again, failed=True)
        self._note(subscription, parcel, answered, now, attempt, "dead")
        if answered.status == NO_MORE:
            self._stop(subscription, GONE)
        elif not self._has_taken(subscription, since):
            self._stop(subscription, FAILING)
        return Verdict(Told(seq), failed=True)

    def _has_taken(self, subscription: Subscription, since: int) -> bool:
        noted = self._store.subscriptions.noted(subscription.id)
        return any(each["at"] >= since and each["state"] == "delivered" for each in noted)

    def _stop(self, subscription: Subscription, why: str) -> None:
        """Disable it, and unsubscribe it from all games, until its owner enables it."""
        while True:
            now = self._store.subscriptions.get(subscription.id)
            if now is None:
                return
            off = dataclasses.replace(Webhook.of(now), stopped=why)
            if self._store.subscriptions.change(dataclasses.replace(now, active=False, terms=off.terms()), now):
                break
        leave_everywhere(self._store, now)
        log.info("webhook_disabled", webhook=now.id, reason=why)

    def _besides(self, owed: Owed, webhook: Webhook, subscription: Subscription) -> Verdict:
        """Deliveries that are not for new commits. A test, or a repeated event, is tried once, and recorded."""
        what, _, rest = owed.what.partition(":")
        if what == FULL:
            return self._full(owed, instant_of(rest), webhook, subscription)
        parcel = None
        if what == TEST and owed.game_id == EVERYWHERE:
            form, body = tried(webhook.format, subscription.id, owed.now())
            parcel = Parcel(rest, None, None, "test", form, body)
        elif what == AGAIN and rest.isdecimal():
            parcel = self._again(owed, int(rest), webhook, subscription)
        if parcel is None:
            return Verdict(None)
        answered, now = self._send(owed, parcel, webhook)
        self._note(subscription, parcel, answered, now, 1, "delivered" if answered.taken else "failed")
        return Verdict(None, failed=not answered.taken)

    def _full(self, owed: Owed, at: int, webhook: Webhook, subscription: Subscription) -> Verdict:
        """Report to the creator of a game that its last seat is taken; retried like other events."""
        parcel = self._full_parcel(owed, at, webhook, subscription)
        if parcel is None:
            return Verdict(None)
        if until := self._rests(owed, subscription):
            return Verdict(None, until)
        attempt = 1 + sum(each["id"] == parcel.id for each in self._store.subscriptions.noted(subscription.id))
        answered, now = self._send(owed, parcel, webhook)
        if answered.taken:
            self._note(subscription, parcel, answered, now, attempt, "delivered")
            return Verdict(None)
        if answered.status != NO_MORE and attempt <= len(self._retries):
            again = now + 1000 * max(self._retries[attempt - 1], answered.wait)
            self._note(subscription, parcel, answered, now, attempt, "failed", again)
            return Verdict(None, again, failed=True)
        self._note(subscription, parcel, answered, now, attempt, "dead")
        if answered.status == NO_MORE:
            self._stop(subscription, GONE)
        return Verdict(None, failed=True)

    def _full_parcel(self, owed: Owed, at: int, webhook: Webhook, subscription: Subscription) -> Parcel | None:
        if not subscription.active or GAME_FULL not in webhook.events:
            return None
        found = find_full(self._store, owed.game_id, subscription.owner, own=webhook.reader == "seat")
        if found is None:
            return None
        id_ = word_id(subscription.id, owed.game_id, owed.what)
        seat = found.lobby.seat_of(subscription.owner) if webhook.reader == "seat" else None
        word = Word(id_, owed.game_id, found.lobby.kind, found.title, 0, at, seat, (GAME_FULL,), None, (), None, TEXT)
        made = rendered(webhook.format, word)
        return None if made is None else Parcel(id_, owed.game_id, None, GAME_FULL, *made)

    def _again(self, owed: Owed, seq: int, webhook: Webhook, subscription: Subscription) -> Parcel | None:
        """The event of a commit again, as its reader may read it now; None if the game is no longer theirs."""
        game = self._news.of(owed.game_id)
        if game is None or not game.lobby.belongs_to(subscription.owner, game.now):
            return None
        return next((self._parcel(game, each, webhook, subscription) for each in self._news.since(game, seq - 1)), None)

    def _send(self, owed: Owed, parcel: Parcel, webhook: Webhook) -> tuple[Answered, int]:
        now = owed.now()
        try:
            target = target_of(webhook.url, self._reach)
        except BadTarget:
            return Answered("forbidden-address", None, 0), now  # the operator has changed the allowed addresses
        headers = signed(webhook.signing(now), parcel.id, now // 1000, parcel.body)
        answered = self._sender.post(target, {"Content-Type": parcel.form, **headers}, parcel.body)
        return answered, now + answered.milliseconds

    def _note(
        self,
        subscription: Subscription,
        parcel: Parcel,
        answered: Answered,
        now: int,
        attempt: int,
        state: str,
        again: int | None = None,
    ) -> None:
        delivery = {
            "id": parcel.id,
            "game": parcel.game,
            "seq": parcel.seq,
            "event": parcel.event,
            "at": now,
            "attempt": attempt,
            "state": state,
            "reason": answered.reason,
            "status": answered.status,
            "milliseconds": answered.milliseconds,
            "again": again,
        }
        self._store.subscriptions.note(subscription.id, delivery, dead=state == "dead")
        about = {name: delivery[name] for name in ("attempt", "reason", "status")}
        log_attempt(
            self._store,
            subscription,
            parcel.game,
            parcel.seq,
            state,
            parcel.request,
            about=parcel.event,
            duration_ms=answered.milliseconds,
            **about,
        )


def _packed(word: Word, format_: str, link: str, request: str) -> Parcel | None:
    made = rendered(format_, word, link)
    return None if made is None else Parcel(word.id, word.game, word.seq, word.events[0], *made, request)
