"""The interface of the kinds of deliveries, such as webhooks.

To add a kind, write a class with `DeliveryHandler`'s method, and name it in `Feature.deliveries` of its feature.
Subscriptions of that kind (`service.store.ports.outbox.Subscription`) are created elsewhere and subscribed to games
(`service.core.notifications.game_subscriptions`).
The class gets the pending delivery of one subscription for one game: ``entry.cursor`` is its progress, `RecentCommits` has the
later events. It returns the new progress. To be called again at an instant without a new commit (another try, an email
that waits for the player's own answer, the time of a digest) it sets ``retry_at``; until then it is not called for this
game, whatever is appended. It may be called twice for the same events after a worker was killed, and must give both the
same id for the receiver. It runs in its own thread and must limit its time, because the other deliveries of its
subscription wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from domain.kernel.terms import GameId, Seq
from service.core import tracing
from service.core.notifications.game_subscriptions import unsubscribe_all
from service.core.notifications.recent_commits import RecentCommits
from service.core.tracing import Span
from service.ops.logging import logger
from service.ops.metrics.catalogue import kind_of_delivery
from service.ops.settings import Settings
from service.store.ports.outbox import DeliveryCursor, OutboxEntry, Subscription
from service.store.redis.store import Store

log = logger("deliveries")


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """Shared by all kinds of deliveries."""

    store: Store
    settings: Settings
    commits: RecentCommits


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """Result of a delivery."""

    cursor: DeliveryCursor | None
    """The new progress; None for a delivery that is not for commits."""
    retry_at: int | None = None
    """When to call again, milliseconds by the store's clock; None: as soon as there is something new."""
    failed: bool = False
    """The receiver failed: its other deliveries wait a little; other receivers are unaffected."""


UNRELATED_MILLISECONDS = 60_000
"""Milliseconds for which a subscription may wait for its owner to get a seat: players subscribe before they take one."""


def skip_unrelated(
    store: Store, entry: OutboxEntry, cursor: DeliveryCursor, seq: Seq, *, waits: bool = False
) -> DeliveryResult:
    """The verdict on commits up to ``seq`` if the game is not the owner's, or not yet: they are skipped.

    Such a subscription counts towards the limit of the game, so it ends after a while, unless its owner ``waits`` for a
    requested seat.
    """
    now = store.schedule.now()
    since = int(cursor.note) if cursor.note.isdecimal() else now
    if now - since >= UNRELATED_MILLISECONDS and not waits:
        store.outbox.leave([entry.game_id], entry.subscription)
    return DeliveryResult(DeliveryCursor(seq, note=str(since)))


def log_attempt(
    store: Store,
    subscription: Subscription,
    game: str | None,
    seq: int | None,
    state: str,
    request: str | None = None,
    /,
    **about: Any,
) -> None:
    """Log an attempt to deliver something of a commit, with the id of the causing request; never with an address."""
    if request is None:
        request = store.outbox.caused(GameId(game), seq) if game and seq else ""
    where = {
        "kind": kind_of_delivery(subscription.kind),
        "subscription": subscription.id,
        "game": game,
        "seq": seq,
        "request_id": request,
    }
    if tracing.is_on() and request:
        spent = about.get("duration_ms", 0) / 1000
        of = {"game": game or "", "seq": seq or 0, "subscription": subscription.id, "state": state}
        tracing.record(Span(f"deliver {where['kind']}", request, "client", spent, of, failed=state != "delivered"))
    if state == "delivered":
        log.info("delivery_succeeded", **where, **about)
    else:
        log.warning("delivery_failed", state=state, **where, **about)


def has_accepted(store: Store, subscription: Subscription, since: int) -> bool:
    """Whether the receiver has accepted a delivery since an instant."""
    noted = store.subscriptions.noted(subscription.id)
    return any(each["at"] >= since and each["state"] == "delivered" for each in noted)


def disable(store: Store, subscription: Subscription, why: str) -> bool:
    """Disable a subscription and remove it from all games, until its owner enables it. False if it is gone."""
    while (now := store.subscriptions.get(subscription.id)) is not None and now.owner == subscription.owner:
        if store.subscriptions.change(replace(now, active=False, terms={**now.terms, "stopped": why}), now):
            unsubscribe_all(store, now)
            return True
    return False


def attempt_document(noted: Mapping[str, Any]) -> dict[str, Any]:
    """A stored attempt in its public form. The store calls the time of the next attempt ``again``."""
    return {**{name: value for name, value in noted.items() if name != "again"}, "next_attempt_at": noted.get("again")}


def parse_seq(what: str) -> int:
    """The commit that caused a notification (``<kind>:<question or seq>``); 0 if none."""
    first = what.partition(":")[2].partition(":")[0]
    return int(first) if first.isdecimal() else 0


class DeliveryHandler(Protocol):
    """One kind of delivery."""

    def deliver(self, entry: OutboxEntry, cursor: DeliveryCursor, subscription: Subscription) -> DeliveryResult:
        """Deliver at least one pending message; ``cursor`` is the progress.

        For deliveries not for commits (``entry.what``), ``cursor`` has no meaning. Raises `StoreDown`, `BrokenLog` and
        `UnknownEvent`; then it is tried again.
        """
