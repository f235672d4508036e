"""The schedule: retries that are due, every second, and once a minute a rescue in case no pump lives."""

from __future__ import annotations

import signal
import threading
import time
from typing import cast

from redis import Redis
from redis.exceptions import RedisError
from rq.scheduler import RQScheduler
from rq.serializers import JSONSerializer

from service.post.listening import sitters_listen
from service.process import logs
from service.process.figures.catalogue import ARCHIVED, DOWN
from service.process.figures.noted import keep_counting
from service.queue import PUMP, SIDE
from service.queue.thinking import ThinkQueue
from service.store.ports.errors import ArchiveDown
from service.store.redis.store import RedisStore
from service.store.upkeep.heads import name_for, publish
from service.store.upkeep.vacations import tell_all
from workers.archive import move_all
from workers.process import await_store, worker_context
from workers.sweeper import Sweeper
from workers.thinking.analysing import pick_up
from workers.upkeep.lobbies import clear

MINUTE = 60.0

QUEUES = (PUMP, SIDE)

LONGEST_LOCK = 120
"""Seconds: RQ takes its locks for a minute and the second between two looks."""
HOUR = 3600.0

log = logs.logger("schedule")


def rescue() -> int:
    """The job of each minute, on the side queue: sweep once and see to it that there are pumps; games made ready."""
    context = worker_context()
    context.queue.ensure_pumps(context.settings.pumps)
    ready = Sweeper(context.store, context.queue).sweep()
    if owing := context.store.outbox.owing():
        context.queue.post(owing)
    return ready


def pick_up_analyses() -> int:
    """The job of each minute, on the side queue: go on with analyses that nobody is at any more; how many."""
    context = worker_context()
    return pick_up(context.store, ThinkQueue(context.queue.connection))


def clear_lobbies() -> int:
    """The job of each hour, on the side queue: remove what was abandoned before its start; how many."""
    context = worker_context()
    return clear(context.store, context.settings.lobby_days)


def tell_vacations() -> int:
    """The job of each minute, on the side queue: tell games of their players' vacations; how many were woken for it."""
    context = worker_context()
    woken = tell_all(context.store)
    sitters_listen(context.store, woken)
    for game_id in woken:
        context.queue.wake(context.store.log.partition(game_id))
    return len(woken)


def log_heads() -> int:
    """The job of each `Settings.log_seconds`, on the side queue: log the heads of the games that moved; how many."""
    context = worker_context()
    return publish(context.store, context.signer, name_for(context.settings.public_url))


def archive() -> int:
    """The job of each hour, on the side queue: move what has been over for long enough to the archive; how many games."""
    context = worker_context()
    if not context.settings.archive:
        return 0
    moved = move_all(cast("RedisStore", context.store), context.settings.archive_after)
    try:
        return sum(each.word == "moved" for each in moved)
    except ArchiveDown:
        ARCHIVED.note(1, DOWN)
        raise


def void_locks(connection: Redis, retries: RQScheduler) -> None:
    """RQ's locks of a schedule that died before the clock was set back would hold for as long as it was."""
    for name in QUEUES:
        lock = retries.get_locking_key(name)
        if int(connection.ttl(lock)) > LONGEST_LOCK:
            connection.delete(lock)


def run() -> None:
    """Keep the schedule until SIGTERM. Several of them do the same work twice and no harm. Raises `StoreDown` where the store stays away."""
    await_store()
    context = worker_context()
    logs.configure(context.settings.log_level)
    keep_counting()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    retries = RQScheduler(QUEUES, context.queue.connection, logging_level="WARNING", serializer=JSONSerializer)
    next_rescue = next_clearing = next_heads = time.monotonic()
    while not stop.wait(1.0):
        try:
            void_locks(context.queue.connection, retries)
            retries.acquire_locks()  # type: ignore[no-untyped-call]
            retries.enqueue_scheduled_jobs()  # type: ignore[no-untyped-call]
            if time.monotonic() >= next_rescue:
                context.queue.enqueue_side("workers.schedule.rescue", seconds=60)
                context.queue.enqueue_side("workers.schedule.tell_vacations", seconds=60)
                context.queue.enqueue_side("workers.schedule.pick_up_analyses", seconds=60)
                next_rescue = time.monotonic() + MINUTE
            if context.settings.log_seconds and time.monotonic() >= next_heads:
                context.queue.enqueue_side("workers.schedule.log_heads", seconds=300)
                next_heads = time.monotonic() + context.settings.log_seconds
            if time.monotonic() >= next_clearing:
                context.queue.enqueue_side("workers.schedule.clear_lobbies", seconds=600)
                context.queue.enqueue_side("workers.post.drain.mend_listening", seconds=600)
                if context.settings.archive:
                    context.queue.enqueue_side("workers.schedule.archive", seconds=3600)
                next_clearing = time.monotonic() + HOUR
        except RedisError:
            log.warning("the queue does not answer", exc_info=True)
    retries.release_locks()  # type: ignore[no-untyped-call]
