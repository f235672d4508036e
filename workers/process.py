"""A worker process: its RQ worker, and what all its jobs share."""

from __future__ import annotations

import functools
import importlib
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from rq import Queue as JobQueue
from rq import SimpleWorker
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.timeouts import UnixSignalDeathPenalty

from domain.registry import GAMES
from service.instance.signing import signer
from service.process import logs
from service.process.child_process import PROCESS
from service.process.failures import note_done
from service.process.figures.noted import keep_counting
from service.projections.positions.cache import Positions
from service.queue import PUMP, SIDE, Queue
from service.queue.thinking import THINK, ThinkQueue
from service.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store
from service.store.reading.bodies import prepare
from service.store.redis.store import open_store
from service.store.seal import Signer

JOBS = (
    "workers.pump",
    "workers.schedule",
    "workers.post.drain",
    "workers.thinking.choosing",
    "workers.thinking.analysing",
)
"""The modules that jobs are in."""

BEHIND = {SIDE: 5, THINK: 15}
"""How much the system prefers other processes: play goes before the telling of it, and that before thoughts."""

_SIGN = 1.0
"""Seconds between two signs of life of a worker that thinks."""

log = logs.logger("worker")


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What the jobs of one process share: the store, the queue, the games it knows."""

    settings: Settings
    store: Store
    queue: Queue
    positions: Positions
    signer: Signer


@functools.cache
def worker_context() -> WorkerContext:
    """The context of this process, from its settings; made when the first job asks for it."""
    settings = Settings.load()
    store = open_store(settings.redis_url, settings.partitions, settings.archive, settings.archive_copies)
    return WorkerContext(settings, store, Queue(settings.queue), Positions(store), signer(settings.key_path, store.log))


def await_store(seconds: float = 60.0) -> None:
    """Wait for a store that is away or loads its data: to die of it would only cost another start. Raises `StoreDown`."""
    until = time.monotonic() + seconds
    while not _answers():
        if time.monotonic() > until:
            raise StoreDown(f"the store has not answered for {seconds:.0f} seconds")
        time.sleep(0.1)


def _answers() -> bool:
    try:
        return bool(worker_context().queue.connection.ping())
    except (StoreDown, RedisConnectionError):
        return False


class _Patience(UnixSignalDeathPenalty):
    """RQ's alarm, but none at all for jobs without a time limit: those have alarms of their own."""

    def setup_death_penalty(self) -> None:
        if self._timeout > 0:
            super().setup_death_penalty()  # type: ignore[no-untyped-call]

    def cancel_death_penalty(self) -> None:
        if self._timeout > 0:
            super().cancel_death_penalty()  # type: ignore[no-untyped-call]


class Worker(SimpleWorker):
    """Runs jobs in its own process, where they find their caches; asked to stop, it lets the job come to a good end."""

    death_penalty_class = _Patience
    exponential_backoff_factor = 1.0
    max_connection_wait_time = 0.2
    """RQ waits twice as long after each attempt to reach its Redis, up to a minute: a server is back within seconds."""
    stopping = False
    """Set by SIGTERM; a pump reads it between batches."""

    def handle_job_success(self, job: Job, queue: JobQueue, started_job_registry: StartedJobRegistry) -> None:
        super().handle_job_success(job, queue, started_job_registry)
        note_done(self.connection, job)

    def handle_warm_shutdown_request(self) -> None:
        Worker.stopping = True
        log.debug("stopping")

    def told(self) -> AbstractContextManager[None]:
        """While this lasts, others may know that it works."""
        return nullcontext()


class PumpWorker(Worker):
    """A worker of the queue ``pump``; while it has nothing to do, it sees to it that there are pumps."""

    @property
    def dequeue_timeout(self) -> int:
        return 1

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        super().heartbeat(timeout, pipeline)
        if pipeline is None and not self.stopping:
            worker_context().queue.ensure_pumps(worker_context().settings.pumps)


class ThinkWorker(Worker):
    """A worker of the queue ``think``. Others ask whether one lives; while a job computes, a thread of its own says so."""

    def told(self) -> AbstractContextManager[None]:
        return _signs_of_life(ThinkQueue(worker_context().queue.connection), self.name)

    def handle_job_success(self, job: Job, queue: JobQueue, started_job_registry: StartedJobRegistry) -> None:
        # No two of these jobs are alike: whether another has done the same is not worth remembering.
        SimpleWorker.handle_job_success(self, job, queue, started_job_registry)


@contextmanager
def _signs_of_life(queue: ThinkQueue, name: str) -> Iterator[None]:
    """Give signs of life of a worker for as long as the block lasts."""
    ended = threading.Event()

    def sign() -> None:
        while not ended.is_set():
            with suppress(RedisError):
                queue.lives(name)
            ended.wait(_SIGN)

    thread = threading.Thread(target=sign, name="signs of life", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        with suppress(RedisError):
            queue.ends(name)


def stand_by() -> None:
    """Load everything that a job needs, and wait until a line comes in: what a spare process does before `work`.

    Ends the process where none will come any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in JOBS:
        importlib.import_module(name)
    prepare(GAMES.values())
    if not sys.stdin.readline():
        sys.exit(0)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)


def listener(name: str, connection: Redis) -> Worker:
    """The worker of one queue. No connection of this client gives up sooner than the worker waits for a job."""
    kinds: dict[str, type[Worker]] = {PUMP: PumpWorker, SIDE: Worker, THINK: ThinkWorker}
    worker = kinds[name](
        [name],
        name=f"{os.environ.get(PROCESS, name) if name == THINK else name}-{os.getpid()}-{secrets.token_hex(4)}",
        connection=connection,
        serializer=JSONSerializer,
    )
    worker.log_job_description = False
    # RQ has given the pool its own patience, which those that were made before do not have: waiting on one of them it would end.
    connection.connection_pool.disconnect()
    connection.connection_pool.reset()
    return worker


def work(name: str) -> None:
    """Listen to one queue until SIGTERM: the main function of a worker process."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_counting()
    prepare(GAMES.values())
    await_store()
    os.nice(BEHIND.get(name, 0))
    worker = listener(name, worker_context().queue.connection)
    if name == PUMP:
        # Whoever was here before may be missed already.
        worker_context().queue.ensure_pumps(settings.pumps)
    with worker.told():
        worker.work(logging_level="WARNING")
