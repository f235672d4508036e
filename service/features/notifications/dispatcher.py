"""Makes due deliveries: to many receivers at once, so that a slow one delays no other owner."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from service.core.accounts.apps import find_connection
from service.core.notifications.deliveries import DeliveryHandler, DeliveryResult
from service.core.notifications.kinds import EMAIL as LETTERS
from service.core.notifications.kinds import PUSH as PUSH_KIND
from service.core.notifications.kinds import WEBHOOK
from service.core.outbound.targets import normalize_host
from service.ops.logging import logger
from service.ops.metrics.catalogue import DELIVERED, FAILED, TOLD, kind_of_delivery
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.ports.outbox import DeliveryCursor, OutboxEntry, Subscription
from service.store.redis.store import Store

LEASE = 5000
"""Milliseconds of a delivery's lease; extended every second while the process runs."""

BATCH_SIZE = 64
"""Deliveries claimed from a partition at once."""

MAX_QUEUED = 16
"""Deliveries of one subscription that wait here for the preceding one; more wait in the outbox."""

RECLAIM_MILLISECONDS = 1000
"""Milliseconds until waiting deliveries in the outbox are claimed again, and until the next one to a failed receiver."""

MAX_RECLAIM_MILLISECONDS = 60_000
"""Maximum milliseconds until waiting deliveries are claimed again, if a subscription has very many."""

UNREADABLE_RETRY_MILLISECONDS = 60_000
"""Milliseconds until a delivery that this release cannot make is retried."""

QUICK, SLOW, EMAIL, PUSH = 32, 16, 4, 16
"""Threads of each pool: quick and slow receivers of webhooks, the mail server, the push services."""

MAX_PARALLEL = 2
"""Simultaneous deliveries in one pool for one owner, and for one host."""

SLOW_AFTER = 1.0
"""Seconds: a receiver whose delivery took longer is served by the slow pool."""

SLOW_FOR = 60.0
"""Seconds after its last slow delivery for which a receiver counts as slow."""

LATE = 224
"""Quick threads that slow deliveries may keep in addition to `QUICK`. Beyond that, they count as quick ones."""

log = logger("deliveries")


@dataclass(frozen=True, slots=True)
class Route:
    """Determines when and by which thread a subscription is served."""

    kind: str = ""
    owner: str = ""
    host: str = ""
    """The host of a webhook. Empty for email and push, whose servers serve all players."""


@dataclass(slots=True)
class Pool:
    """Threads, and the subscriptions that wait for one: by owner, the next owner first."""

    executor: ThreadPoolExecutor
    free: int
    waiting: dict[str, deque[str]] = field(default_factory=dict)
    running: Counter[str] = field(default_factory=Counter)
    """Running deliveries, by owner."""

    @staticmethod
    def of(threads: int, name: str) -> Pool:
        return Pool(ThreadPoolExecutor(threads, name), threads)


class Dispatcher:
    """Deliveries in progress. Threads take one message at a time, from one owner after the other.

    An owner with slow receivers occupies at most `MAX_PARALLEL` threads of a pool. Thread-safe.
    """

    def __init__(
        self,
        store: Store,
        deliveries: Mapping[str, DeliveryHandler],
        quick: int = QUICK,
        slow: int = SLOW,
        late: int = LATE,
    ) -> None:
        self._store, self._deliveries = store, deliveries
        self._guard = threading.Lock()
        self._leases = threading.Lock()
        """Acquired while leases are extended or released: both need the current lease."""
        self._claimed: dict[tuple[str, str, str], OutboxEntry] = {}
        self._queues: dict[str, deque[OutboxEntry]] = {}
        """The next deliveries of each subscription that waits or is being served."""
        self._routes: dict[str, Route] = {}
        self._hosts: Counter[str] = Counter()
        """Running deliveries, by host."""
        self._reclaimed_until: dict[str, int] = {}
        """The latest instant at which deliveries of a subscription are claimed again, in milliseconds by the store's clock."""
        self._failing: set[str] = set()
        self._started_at: dict[str, float] = {}
        """When a subscription's running delivery began (`time.monotonic`); 0 in the slow pool."""
        self._serving: dict[str, Pool] = {}
        """The pools of running deliveries, by subscription."""
        self._slow_until: dict[str, float] = {}
        """Until when receivers count as slow (`time.monotonic`)."""
        self._slow_paused = self._closing = False
        self._late: set[str] = set()
        """Subscriptions whose running delivery has left its place in the quick pool to others, because it is slow."""
        self._most_late = late
        self._quick = Pool(ThreadPoolExecutor(quick + late, "deliveries"), quick)
        self._slow = Pool.of(slow, "deliveries-slow")
        self._own = {LETTERS: Pool.of(EMAIL, "deliveries-email"), PUSH_KIND: Pool.of(PUSH, "deliveries-push")}
        self._pools = (self._quick, self._slow, *self._own.values())
        self.delivered = 0
        self.unfinished: set[int] = set()
        """Partitions of claimed deliveries that had not begun at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        for pool in self._pools:
            pool.executor.shutdown()

    @property
    def is_busy(self) -> bool:
        return bool(self._queues)

    def claim(self, partitions: Iterable[int]) -> int:
        """Claim due deliveries in these partitions; returns how many. Raises `StoreDown`."""
        claimed = self._store.outbox.claim(sorted(partitions), BATCH_SIZE, LEASE)
        postponed: list[tuple[OutboxEntry, int]] = []
        for entry in claimed:
            if entry.subscription not in self._routes:
                self._routes[entry.subscription] = _route(self._store.subscriptions.get(entry.subscription))
            if not self._enqueue(entry):
                postponed.append((entry, self._reclaim_at(entry)))
        self._start()
        if postponed:
            self._store.outbox.postpone(postponed)
        return len(claimed) - len(postponed)

    def _reclaim_at(self, entry: OutboxEntry) -> int:
        """When to claim a delivery again whose subscription has too many: one after the other, as fast as they are served.

        Otherwise all deliveries to a receiver that hangs would be claimed again every second.
        """
        now = entry.now()
        if self._closing:
            return now
        with self._guard:
            is_slow = bool(self._queues.get(entry.subscription)) and self._is_slow(entry.subscription)
            gap = RECLAIM_MILLISECONDS // (1 if is_slow else MAX_QUEUED)
            first, last = now + RECLAIM_MILLISECONDS, now + MAX_RECLAIM_MILLISECONDS
            at = max(first, self._reclaimed_until.get(entry.subscription, 0) + gap)
            self._reclaimed_until[entry.subscription] = at = at if at <= last else first
        return at

    def _enqueue(self, entry: OutboxEntry) -> bool:
        """Queue a delivery, unless its subscription has too many, or no more are begun."""
        with self._guard:
            queue = self._queues.get(entry.subscription)
            if self._closing or (queue is not None and len(queue) >= MAX_QUEUED):
                return False
            self._claimed[entry.key] = entry
            if queue is None:
                self._queues[entry.subscription] = deque([entry])
                self._wait(entry.subscription)
            else:
                queue.append(entry)
            return True

    def extend_leases(self, lease: int) -> None:
        """Extend the leases of all claimed deliveries, and begin others in place of slow ones. Raises `StoreDown`."""
        with self._guard:
            self._release_slow_places()
        self._start()
        with self._leases:
            with self._guard:
                held = list(self._claimed.values())
            kept = self._store.outbox.keep(held, lease) if held else ()
            with self._guard:
                for before, now in zip(held, kept, strict=True):
                    if now is not None and before.key in self._claimed:
                        self._claimed[before.key] = now

    @property
    def slow_receivers(self) -> dict[str, float]:
        """The slow receivers, each with its remaining seconds as slow."""
        now = time.monotonic()
        with self._guard:
            return {receiver: until - now for receiver, until in self._slow_until.items() if until > now}

    def mark_slow(self, receivers: Mapping[str, float]) -> None:
        """Count these receivers as slow for so many seconds, as earlier rounds have found."""
        now = time.monotonic()
        with self._guard:
            self._slow_until.update({receiver: now + seconds for receiver, seconds in receivers.items()})

    def pause_slow(self) -> None:
        """Begin no more deliveries to slow receivers; the others are served until `close`."""
        with self._guard:
            self._slow_paused = True

    @property
    def has_slow_work(self) -> bool:
        """Whether a delivery to a slow receiver is running, or one has taken so long that its receiver is slow."""
        with self._guard:
            return any(time.monotonic() - begun > SLOW_AFTER for begun in self._started_at.values())

    def finish(self, lease: int) -> None:
        """Begin no more deliveries, and wait for the running ones."""
        self.close()
        while self.is_busy:
            time.sleep(0.05)
            try:
                self.extend_leases(lease)
            except StoreDown:
                continue

    def close(self) -> None:
        """Begin no more deliveries, and release those that wait for a thread."""
        with self._guard:
            self._closing = True
            waiting = [id_ for pool in self._pools for queue in pool.waiting.values() for id_ in queue]
            for pool in self._pools:
                pool.waiting.clear()
            released = [entry for id_ in waiting for entry in self._queues.pop(id_)]
        self.unfinished.update(self._store.schedule.partition(entry.game_id) for entry in released)
        with suppress(StoreDown):  # then the leases expire
            for entry in released:
                self._settle(entry, entry.cursor, entry.now())

    # -- scheduling; called with the guard acquired
    # --------------------------------------------------------------------------

    def _wait(self, subscription: str) -> None:
        route = self._routes[subscription]
        pool = self._own.get(route.kind) or (self._slow if self._is_slow(subscription) else self._quick)
        pool.waiting.setdefault(route.owner, deque()).append(subscription)

    def _is_slow(self, subscription: str) -> bool:
        route, queue = self._routes[subscription], self._queues[subscription]
        return (
            subscription in self._failing
            or bool(queue[0].cursor and queue[0].cursor.tries)
            or self._slow_until.get(route.host or subscription, 0.0) > time.monotonic()
        )

    def _next(self, pool: Pool) -> str | None:
        """The next subscription that a thread of the pool may serve; its owner goes to the end of the queue."""
        if not pool.free:
            return None
        for owner, queue in pool.waiting.items():
            if owner and pool.running[owner] >= MAX_PARALLEL:
                continue
            for subscription in queue:
                host = self._routes[subscription].host
                if host and self._hosts[host] >= MAX_PARALLEL:
                    continue
                queue.remove(subscription)
                del pool.waiting[owner]
                if queue:
                    pool.waiting[owner] = queue
                return subscription
        return None

    def _release_slow_places(self) -> None:
        """Give the quick places of slow deliveries to others. A new host counts as quick until its first slow delivery."""
        now = time.monotonic()
        for subscription, pool in self._serving.items():
            if len(self._late) >= self._most_late:
                return
            is_late = now - self._started_at[subscription] > SLOW_AFTER
            if pool is self._quick and is_late and subscription not in self._late:
                self._late.add(subscription)
                self._slow_until[self._routes[subscription].host or subscription] = now + SLOW_FOR
                pool.free += 1

    def _start(self) -> None:
        with self._guard:
            for pool in self._pools:
                if self._slow_paused and pool is self._slow:
                    continue
                while (subscription := self._next(pool)) is not None:
                    if pool is self._quick and self._is_slow(subscription):
                        self._wait(subscription)  # its receiver turned out to be slow while it waited
                        continue
                    route = self._routes[subscription]
                    self._started_at[subscription] = 0 if pool is self._slow else time.monotonic()
                    self._serving[subscription] = pool
                    pool.free -= 1
                    pool.running[route.owner] += 1
                    self._hosts[route.host] += 1
                    pool.executor.submit(self._serve, subscription, pool, route)

    # -- in threads -------------------------------------------------------------------------------------------------------

    def _serve(self, subscription: str, pool: Pool, route: Route) -> None:
        """Deliver one message to a subscription; if there are more, it waits again."""
        with self._guard:
            entry = self._queues[subscription].popleft()
        failed, begun = False, time.monotonic()
        try:
            failed = self._deliver(entry)
        except StoreDown:
            self._remove_claim(entry)  # the lease lapses
        if time.monotonic() - begun > SLOW_AFTER:
            with self._guard:
                self._slow_until[route.host or subscription] = time.monotonic() + SLOW_FOR
        try:
            self._continue(subscription, entry, failed=failed)
        finally:
            with self._guard:
                if subscription in self._late:
                    self._late.remove(subscription)
                else:
                    pool.free += 1
                pool.running[route.owner] -= 1
                self._hosts[route.host] -= 1
                del self._started_at[subscription], self._serving[subscription]
                if self._queues[subscription]:
                    self._wait(subscription)
                else:
                    del self._queues[subscription]
            if self._closing:
                self.close()
            else:
                self._start()

    def _continue(self, subscription: str, entry: OutboxEntry, *, failed: bool) -> None:
        """After a failure, put the subscription's other deliveries off."""
        try:
            if not failed:
                self._failing.discard(subscription)
                return
            self._failing.add(subscription)
            with self._guard:
                queue = self._queues[subscription]
                waiting = list(queue)
                queue.clear()
            for each in waiting:
                # The failed one may be due and claimed again by now: its own retry time applies.
                later = 0 if each.key == entry.key else RECLAIM_MILLISECONDS
                self._settle(each, each.cursor, each.now() + later)
        except StoreDown:
            pass

    def _unless_disconnected(self, subscription: Subscription) -> Subscription | None:
        """The subscription of an app; None, and it is removed, if the player has disconnected the app."""
        if find_connection(self._store, subscription.owner, subscription.app) is not None:
            return subscription
        self._store.subscriptions.remove(subscription)
        return None

    def _deliver(self, entry: OutboxEntry) -> bool:
        self.delivered += 1
        subscription = self._store.subscriptions.get(entry.subscription)
        if subscription is not None and subscription.app:
            subscription = self._unless_disconnected(subscription)
        self._routes[entry.subscription] = _route(subscription)
        if subscription is None or (not entry.subject and (entry.cursor is None or not subscription.active)):
            if entry.subject:
                self._settle(entry, None, None)
            else:
                self._remove_claim(entry)
                self._store.outbox.leave([entry.game_id], entry.subscription)
            return False
        delivery = self._deliveries.get(subscription.kind)
        try:
            if delivery is None:
                raise UnknownEvent(f"a subscription of the kind {subscription.kind!r}")
            result = delivery.deliver(entry, entry.cursor or DeliveryCursor(), subscription)
        except StoreDown:
            raise
        except (BrokenLog, UnknownEvent) as error:
            log.warning("game_not_readable", game=entry.game_id, reason=str(error))
            result = DeliveryResult(entry.cursor, entry.now() + UNREADABLE_RETRY_MILLISECONDS)
        except Exception:  # whatever is wrong with one game, the others continue
            log.exception("delivery_not_built", game=entry.game_id, subscription=entry.subscription)
            result = DeliveryResult(entry.cursor, entry.now() + UNREADABLE_RETRY_MILLISECONDS)
        waited = max(0, entry.now() - entry.due_since) / 1000
        more = self._settle(entry, result.cursor, result.retry_at, 0 if result.failed or self._closing else LEASE)
        TOLD.note(waited, kind_of_delivery(subscription.kind), FAILED if result.failed else DELIVERED)
        if isinstance(more, OutboxEntry) and not self._enqueue(more):
            self._settle(more, more.cursor, more.now())
        return result.failed

    def _settle(
        self, entry: OutboxEntry, cursor: DeliveryCursor | None, again: int | None, lease: int = 0
    ) -> bool | OutboxEntry:
        with self._leases:
            # Before it can be due again: then it is claimed again under the same identity.
            return self._store.outbox.settle(self._remove_claim(entry), cursor, again, lease)

    def _remove_claim(self, entry: OutboxEntry) -> OutboxEntry:
        """Remove a delivery from those claimed; returns it with its latest lease."""
        with self._guard:
            return self._claimed.pop(entry.key, entry)


def _route(subscription: Subscription | None) -> Route:
    if subscription is None:
        return Route()
    host = normalize_host(str(subscription.terms.get("url", ""))) if subscription.kind == WEBHOOK else ""
    return Route(subscription.kind, subscription.owner, host)
