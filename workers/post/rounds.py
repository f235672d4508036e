"""Deliver what is due: to many receivers at once, so that a slow one delays no other owner."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from service.post.letters.mailbox import KIND as LETTERS
from service.post.push.device import KIND as PUSH_KIND
from service.post.webhooks.targets import host_of
from service.post.webhooks.webhook import KIND as WEBHOOK
from service.process.figures.catalogue import DELIVERED, FAILED, TOLD, kind_of_delivery
from service.process.logs import logger
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.ports.outbox import Owed, Subscription, Told
from service.store.redis.store import Store
from workers.post.deliveries import Delivery, Verdict

LEASE = 5000
"""Milliseconds that others leave alone what is being seen to; it is prolonged every second as long as we live."""

AT_A_TIME = 64
"""What is claimed of a partition at a time."""

IN_HAND = 16
"""Words of one subscription that wait here for the one before them; what is more waits in the outbox."""

LATER = 1000
"""Milliseconds until what waits in the outbox is looked at again, and until the next word to a receiver that has failed."""

STRANGE = 60_000
"""Milliseconds until what this release cannot do is tried again."""

QUICK, SLOW, EMAIL, PUSH = 32, 16, 4, 16
"""Threads of each pool: quick and slow receivers of webhooks, the mail server, the push services."""

AT_ONCE = 2
"""Deliveries that run at a time in one pool for one owner, and for one host."""

SLOW_AFTER = 1.0
"""Seconds: a receiver whose delivery took longer is served by the slow pool."""

SLOW_FOR = 60.0
"""Seconds after its last slow delivery for which a receiver counts as slow."""

log = logger("post")


@dataclass(frozen=True, slots=True)
class Route:
    """What decides when and by which thread a subscription is served."""

    kind: str = ""
    owner: str = ""
    host: str = ""
    """The host of a webhook. Empty for email and push, whose servers serve all players."""


@dataclass(slots=True)
class Pool:
    """Threads, and the subscriptions that wait for one: by owner, in the order in which the owners are next."""

    executor: ThreadPoolExecutor
    free: int
    waiting: dict[str, deque[str]] = field(default_factory=dict)
    running: Counter[str] = field(default_factory=Counter)
    """Deliveries that run, by owner."""

    @staticmethod
    def of(threads: int, name: str) -> Pool:
        return Pool(ThreadPoolExecutor(threads, name), threads)


class Rounds:
    """Deliveries in progress. Threads take one message at a time, from one owner after the other.

    An owner whose receivers are slow occupies at most `AT_ONCE` threads of a pool. Thread-safe.
    """

    def __init__(self, store: Store, deliveries: Mapping[str, Delivery], quick: int = QUICK, slow: int = SLOW) -> None:
        self._store, self._deliveries = store, deliveries
        self._guard = threading.Lock()
        self._leases = threading.Lock()
        """Held while a lease is prolonged or given up: both go by how it stood."""
        self._held: dict[tuple[str, str, str], Owed] = {}
        self._in_hand: dict[str, deque[Owed]] = {}
        """What each subscription that waits or is being served is to be told next."""
        self._routes: dict[str, Route] = {}
        self._hosts: Counter[str] = Counter()
        """Deliveries that run, by host."""
        self._failing: set[str] = set()
        self._begun: dict[str, float] = {}
        """When the delivery that runs for a subscription began (`time.monotonic`); 0 in the slow pool."""
        self._slow_until: dict[str, float] = {}
        """Until when receivers count as slow (`time.monotonic`)."""
        self._slow_paused = self._closing = False
        self._quick, self._slow = Pool.of(quick, "post"), Pool.of(slow, "post-slow")
        self._own = {LETTERS: Pool.of(EMAIL, "post-email"), PUSH_KIND: Pool.of(PUSH, "post-push")}
        self._pools = (self._quick, self._slow, *self._own.values())
        self.seen_to = 0
        self.given_back: set[int] = set()
        """Partitions of what was in hand at the end and had not begun."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        for pool in self._pools:
            pool.executor.shutdown()

    @property
    def busy(self) -> bool:
        """Whether anything is in hand."""
        return bool(self._in_hand)

    def look(self, partitions: Iterable[int]) -> int:
        """Take what is due in these partitions in hand; how much it was. Raises `StoreDown`."""
        claimed = self._store.outbox.claim(sorted(partitions), AT_A_TIME, LEASE)
        taken = 0
        for owed in claimed:
            if owed.subscription not in self._routes:
                self._routes[owed.subscription] = _route(self._store.subscriptions.get(owed.subscription))
            if not self._take(owed):
                later = 0 if self._closing else LATER
                self._store.outbox.settle(owed, owed.told, owed.now() + later)
                continue
            taken += 1
        self._start()
        return taken

    def _take(self, owed: Owed) -> bool:
        """Take it in hand, unless too much of its subscription is, or nothing more is begun."""
        with self._guard:
            line = self._in_hand.get(owed.subscription)
            if self._closing or (line is not None and len(line) >= IN_HAND):
                return False
            self._held[owed.place] = owed
            if line is None:
                self._in_hand[owed.subscription] = deque([owed])
                self._wait(owed.subscription)
            else:
                line.append(owed)
            return True

    def keep(self, lease: int) -> None:
        """Prolong the leases of all that is in hand. Raises `StoreDown`."""
        with self._leases:
            with self._guard:
                held = list(self._held.values())
            kept = self._store.outbox.keep(held, lease) if held else ()
            with self._guard:
                for before, now in zip(held, kept, strict=True):
                    if now is not None and before.place in self._held:
                        self._held[before.place] = now

    @property
    def slow(self) -> dict[str, float]:
        """The receivers that count as slow, and for how many more seconds."""
        now = time.monotonic()
        with self._guard:
            return {receiver: until - now for receiver, until in self._slow_until.items() if until > now}

    def know_slow(self, receivers: Mapping[str, float]) -> None:
        """These receivers count as slow for so many seconds: earlier rounds have found it out."""
        now = time.monotonic()
        with self._guard:
            self._slow_until.update({receiver: now + seconds for receiver, seconds in receivers.items()})

    def pause_slow(self) -> None:
        """Begin nothing more for slow receivers; the others are served until `close`."""
        with self._guard:
            self._slow_paused = True

    @property
    def late(self) -> bool:
        """Whether a delivery runs to a slow receiver, or has run for so long that its receiver is slow."""
        with self._guard:
            return any(time.monotonic() - begun > SLOW_AFTER for begun in self._begun.values())

    def finish(self, lease: int) -> None:
        """Begin nothing more, and come to an end with what has been begun."""
        self.close()
        while self.busy:
            time.sleep(0.05)
            try:
                self.keep(lease)
            except StoreDown:
                continue

    def close(self) -> None:
        """Begin nothing more, and give back what waits for a thread."""
        with self._guard:
            self._closing = True
            waiting = [id_ for pool in self._pools for line in pool.waiting.values() for id_ in line]
            for pool in self._pools:
                pool.waiting.clear()
            given_back = [owed for id_ in waiting for owed in self._in_hand.pop(id_)]
        self.given_back.update(self._store.schedule.partition(owed.game_id) for owed in given_back)
        with suppress(StoreDown):  # then the leases expire
            for owed in given_back:
                self._settle(owed, owed.told, owed.now())

    # -- which one is next; with the guard held ---------------------------------------------------------------------------

    def _wait(self, subscription: str) -> None:
        """Let a subscription wait for a thread, behind the others of its owner."""
        route = self._routes[subscription]
        pool = self._own.get(route.kind) or (self._slow if self._is_slow(subscription) else self._quick)
        pool.waiting.setdefault(route.owner, deque()).append(subscription)

    def _is_slow(self, subscription: str) -> bool:
        route, line = self._routes[subscription], self._in_hand[subscription]
        return (
            subscription in self._failing
            or bool(line[0].told and line[0].told.tries)
            or self._slow_until.get(route.host or subscription, 0.0) > time.monotonic()
        )

    def _next(self, pool: Pool) -> str | None:
        """The next subscription that a thread of the pool may serve; its owner goes to the end of the line."""
        if not pool.free:
            return None
        for owner, line in pool.waiting.items():
            if owner and pool.running[owner] >= AT_ONCE:
                continue
            for subscription in line:
                host = self._routes[subscription].host
                if host and self._hosts[host] >= AT_ONCE:
                    continue
                line.remove(subscription)
                del pool.waiting[owner]
                if line:
                    pool.waiting[owner] = line
                return subscription
        return None

    def _start(self) -> None:
        """Start as many deliveries as there are threads for."""
        with self._guard:
            for pool in self._pools:
                if self._slow_paused and pool is self._slow:
                    continue
                while (subscription := self._next(pool)) is not None:
                    if pool is self._quick and self._is_slow(subscription):
                        self._wait(subscription)  # its receiver turned out to be slow while it waited
                        continue
                    route = self._routes[subscription]
                    self._begun[subscription] = 0 if pool is self._slow else time.monotonic()
                    pool.free -= 1
                    pool.running[route.owner] += 1
                    self._hosts[route.host] += 1
                    pool.executor.submit(self._serve, subscription, pool, route)

    # -- in threads -------------------------------------------------------------------------------------------------------

    def _serve(self, subscription: str, pool: Pool, route: Route) -> None:
        """Deliver one message to a subscription; if there are more, it waits again."""
        with self._guard:
            owed = self._in_hand[subscription].popleft()
        failed, begun = False, time.monotonic()
        try:
            failed = self._see_to(owed)
        except StoreDown:
            self._let_go(owed)  # the lease lapses
        if time.monotonic() - begun > SLOW_AFTER:
            with self._guard:
                self._slow_until[route.host or subscription] = time.monotonic() + SLOW_FOR
        try:
            self._go_on(subscription, owed, failed=failed)
        finally:
            with self._guard:
                pool.free += 1
                pool.running[route.owner] -= 1
                self._hosts[route.host] -= 1
                del self._begun[subscription]
                if self._in_hand[subscription]:
                    self._wait(subscription)
                else:
                    del self._in_hand[subscription]
            if self._closing:
                self.close()
            else:
                self._start()

    def _go_on(self, subscription: str, owed: Owed, *, failed: bool) -> None:
        """After a failure what is in hand waits."""
        try:
            if not failed:
                self._failing.discard(subscription)
                return
            self._failing.add(subscription)
            with self._guard:
                line = self._in_hand[subscription]
                waiting = list(line)
                line.clear()
            for each in waiting:
                # The one that failed may be due again, and in hand again, by now: when it is tried has been said.
                later = 0 if each.place == owed.place else LATER
                self._settle(each, each.told, each.now() + later)
        except StoreDown:
            pass

    def _see_to(self, owed: Owed) -> bool:
        """See to one thing; whether its receiver has failed."""
        self.seen_to += 1
        subscription = self._store.subscriptions.get(owed.subscription)
        self._routes[owed.subscription] = _route(subscription)
        if subscription is None or (not owed.what and (owed.told is None or not subscription.active)):
            if owed.what:
                self._settle(owed, None, None)
            else:
                self._let_go(owed)
                self._store.outbox.leave([owed.game_id], owed.subscription)
            return False
        delivery = self._deliveries.get(subscription.kind)
        try:
            if delivery is None:
                raise UnknownEvent(f"a subscription of the kind {subscription.kind!r}")
            verdict = delivery.deliver(owed, owed.told or Told(), subscription)
        except StoreDown:
            raise
        except (BrokenLog, UnknownEvent) as error:
            log.warning("game_not_readable", game=owed.game_id, reason=str(error))
            verdict = Verdict(owed.told, owed.now() + STRANGE)
        except Exception:  # whatever is wrong with one game, the others are told
            log.exception("delivery_not_built", game=owed.game_id, subscription=owed.subscription)
            verdict = Verdict(owed.told, owed.now() + STRANGE)
        waited = max(0, owed.now() - owed.since) / 1000
        more = self._settle(owed, verdict.told, verdict.again, 0 if verdict.failed or self._closing else LEASE)
        TOLD.note(waited, kind_of_delivery(subscription.kind), FAILED if verdict.failed else DELIVERED)
        if isinstance(more, Owed) and not self._take(more):
            self._settle(more, more.told, more.now())
        return verdict.failed

    def _settle(self, owed: Owed, told: Told | None, again: int | None, lease: int = 0) -> bool | Owed:
        with self._leases:
            # Before it can be due again: whoever looks then takes the same place in hand anew.
            return self._store.outbox.settle(self._let_go(owed), told, again, lease)

    def _let_go(self, owed: Owed) -> Owed:
        """It is not in hand any more; as it was leased last."""
        with self._guard:
            return self._held.pop(owed.place, owed)


def _route(subscription: Subscription | None) -> Route:
    if subscription is None:
        return Route()
    host = host_of(str(subscription.terms.get("url", ""))) if subscription.kind == WEBHOOK else ""
    return Route(subscription.kind, subscription.owner, host)
