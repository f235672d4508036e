"""The periodic jobs, and the thread of the cron worker that enqueues them."""

from __future__ import annotations

import functools
import threading
import time
from contextlib import suppress
from itertools import chain
from typing import Self

from redis import Redis
from redis.exceptions import RedisError
from rq.scheduler import RQScheduler
from rq.serializers import JSONSerializer

from service.core.feature import load
from service.core.game_start import start_full
from service.core.jobs import worker_context
from service.core.notifications.game_subscriptions import subscribe_sitters
from service.core.queue import SIDE, Queue
from service.features import FEATURES
from service.ops import logging
from service.ops.settings import Settings
from service.store.upkeep.vacations import tell_all
from workers.commits.search_answers import shared_thinking
from workers.sweeper import Sweeper

SWEEP = 0.5
"""Seconds between two sweeps."""

LOCK = 1500
"""Milliseconds for which no other process requests searches again."""

MINUTE = 60.0

QUEUES = (SIDE,)
"""The queues whose failed jobs are retried later."""

LONGEST_LOCK = 120
"""Seconds: RQ's locks last for a minute and the second between two renewals."""
HOUR = 3600.0

log = logging.logger("schedule")


def sweep() -> int:
    """The job of each half second, on the cron queue: find due and lost work; returns the number of games made ready."""
    context = worker_context()
    ready = _sweeper().sweep()
    if context.store.schedule.lock("asking", LOCK):
        shared_thinking().look(range(context.store.partitions))
    if owing := context.store.outbox.owing():
        context.queue.post(owing)
    return ready


@functools.cache
def _sweeper() -> Sweeper:
    """Cached for the process, because it watches leases with the monotonic clock."""
    context = worker_context()
    return Sweeper(context.store, context.queue)


def clear_lobbies() -> int:
    """The hourly job, on the side queue: remove abandoned lobbies and expired sandboxes; returns how many."""
    return int(load("service.features.cleanup.jobs:clear_lobbies")())


def start_full_lobbies() -> int:
    """The minutely job, on the side queue: start full games that no API process has started; returns how many."""
    context = worker_context()
    started = start_full(context.store, context.settings)
    for game_id in started:
        context.queue.wake(context.store.schedule.partition(game_id))
    return len(started)


def tell_vacations() -> int:
    """The minutely job, on the side queue: inform games of their players' vacations; returns how many were woken."""
    context = worker_context()
    woken = tell_all(context.store)
    subscribe_sitters(context.store, woken)
    for game_id in woken:
        context.queue.wake(context.store.schedule.partition(game_id))
    return len(woken)


def log_heads() -> int:
    """The job of each `Settings.log_seconds`, on the side queue: log new heads of games; returns how many."""
    return int(load("service.features.transparency.heads:log_heads")())


def archive() -> int:
    """The hourly job, on the side queue: archive games that have been over for long enough; returns how many."""
    return int(load("service.features.archive.mover:archive")())


def void_locks(connection: Redis, retries: RQScheduler) -> None:
    """Delete RQ's locks that a process left before the clock was set back: they would last as long as that."""
    for name in QUEUES:
        lock = retries.get_locking_key(name)
        if int(connection.ttl(lock)) > LONGEST_LOCK:
            connection.delete(lock)


class CronSchedule:
    """Enqueues the periodic jobs. Several instances do work twice, but no harm."""

    def __init__(self, queue: Queue, settings: Settings) -> None:
        self._queue, self._settings = queue, settings
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="schedule", daemon=True)
        self._retries = RQScheduler(QUEUES, queue.connection, logging_level="WARNING", serializer=JSONSerializer)
        self._minutely = self._hourly = self._second = time.monotonic()
        self._periodic: dict[str, float] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(5)
        with suppress(RedisError):
            self._retries.release_locks()  # type: ignore[no-untyped-call]

    def _run(self) -> None:
        while not self._stop.wait(SWEEP):
            try:
                self.enqueue(time.monotonic())
            except RedisError as error:
                log.warning("queue_unavailable", error=str(error))

    def enqueue(self, now: float) -> None:
        """Enqueue what is due at this instant of a monotonic clock. Raises `RedisError`."""
        queue = self._queue
        queue.enqueue_cron("workers.schedule.sweep", seconds=60)
        if now >= self._second:
            queue.report_serving()
            void_locks(queue.connection, self._retries)
            self._retries.acquire_locks()  # type: ignore[no-untyped-call]
            self._retries.enqueue_scheduled_jobs()  # type: ignore[no-untyped-call]
            self._second = now + 1.0
        if now >= self._minutely:
            queue.enqueue_side("workers.schedule.tell_vacations", seconds=60)
            queue.enqueue_side("workers.schedule.start_full_lobbies", seconds=60)
            for job in chain.from_iterable(feature.minutely for feature in FEATURES):
                queue.enqueue_side(job, seconds=60)
            self._minutely = now + MINUTE
        for job, setting in chain.from_iterable(feature.periodic.items() for feature in FEATURES):
            if (seconds := getattr(self._settings, setting)) and now >= self._periodic.get(job, now):
                queue.enqueue_side(job, seconds=300)
                self._periodic[job] = now + seconds
        if now >= self._hourly:
            queue.enqueue_side("workers.notifications.drain.reconcile_subscriptions", seconds=600)
            for job in chain.from_iterable(feature.hourly for feature in FEATURES):
                queue.enqueue_side(job, seconds=3600)
            self._hourly = now + HOUR
