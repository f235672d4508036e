"""Drains the outbox: a job on the queue `side` that runs while deliveries are pending, and a little longer."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Mapping

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.core.feature import load
from service.core.jobs import worker_context
from service.core.notifications.deliveries import DeliveryContext, DeliveryHandler
from service.core.notifications.recent_commits import RecentCommits
from service.core.queue import Queue
from service.features import FEATURES
from service.features.notifications.dispatcher import LEASE, Dispatcher
from service.ops.logging import logger
from service.store.ports.errors import StoreDown

TICK = 1.0
"""Seconds between two renewals of leases and of the heartbeat."""

LINGER = 5.0
"""Seconds that it stays after the last delivery: a running game soon has more."""

LIFE = (30.0, 60.0)
"""Range of the random number of seconds after which it makes room for another drain."""

YIELD = 15.0
"""Maximum seconds that it still serves other receivers while slow ones finish, after it began to make room for other jobs."""

PAUSE = 0.1
"""Seconds between attempts to reach a server that is away."""

HANDLERS: Mapping[str, Callable[[DeliveryContext], DeliveryHandler]] = {
    kind: load(code) for feature in FEATURES for kind, code in feature.deliveries.items()
}
"""The classes that make deliveries, by kind of subscription."""

log = logger("deliveries")


def drain(stopping: Callable[[], bool]) -> int:
    """Make pending deliveries, until ``stopping``; returns the number of deliveries processed."""
    context = worker_context()
    post = DeliveryContext(context.store, context.settings, RecentCommits(context.store, context.positions))
    deliveries = {kind: made(post) for kind, made in HANDLERS.items()}
    with Dispatcher(context.store, deliveries) as rounds:
        return Drain(context.queue, rounds, stopping).run(random.uniform(*LIFE))


class Drain:
    """One drain of the outbox. A second one at the same time is harmless; heartbeats usually prevent it."""

    def __init__(self, queue: Queue, rounds: Dispatcher, stopping: Callable[[], bool]) -> None:
        self._queue, self._rounds, self._stopping = queue, rounds, stopping
        self._token = secrets.token_hex(8)

    def run(self, seconds: float) -> int:
        """Drain for so long, or until nothing is pending or other jobs wait; hands over the rest."""
        begun = quiet = looked = time.monotonic()
        yielding: float | None = None
        """Since when it makes room for other jobs."""
        self._queue.drains(self._token)
        self._queue.drop_drains()
        self._rounds.mark_slow(self._queue.slow_receivers())
        # The sweeper posts lost and newly due partitions within a second.
        wanted = self._queue.posted(0)
        while not self._stopping():
            now = time.monotonic()
            try:
                if now - looked >= TICK:
                    looked = now
                    self._queue.drains(self._token)
                    self._rounds.extend_leases(LEASE)
                    self._publish_slow_receivers()
                    if yielding is None and (now - begun > seconds or self._queue.side_waits()):
                        yielding = now
                        self._rounds.pause_slow()
                if yielding is not None and (now - yielding > YIELD or not self._rounds.has_slow_work):
                    break
                if wanted and self._rounds.claim(wanted):
                    quiet = now
                    continue
                if self._rounds.is_busy:
                    quiet = now
                elif now - quiet > LINGER:
                    break
                left = PAUSE if yielding is not None else max(0.05, TICK - (time.monotonic() - looked))
                wanted = self._queue.posted(left)
            except (StoreDown, RedisConnectionError, RedisTimeoutError) as error:
                log.warning("server_unavailable", error=str(error))
                time.sleep(PAUSE)
        # Another worker may continue while this one finishes its deliveries.
        self._rounds.close()
        self._hand_over()
        self._rounds.finish(LEASE)
        self._hand_over()
        return self._rounds.delivered

    def _publish_slow_receivers(self) -> None:
        """The next drain runs in another process, which learns of slow receivers by this."""
        if slow := self._rounds.slow_receivers:
            self._queue.keep_slow_receivers(slow)

    def _hand_over(self) -> None:
        """Later posts request another drain; what is left is posted again."""
        try:
            self._publish_slow_receivers()
            self._queue.drained(self._token)
            if left := self._queue.posted(0) | self._rounds.unfinished:
                self._queue.post(left)
        except (StoreDown, RedisConnectionError, RedisTimeoutError):
            pass  # a sweep finds it
