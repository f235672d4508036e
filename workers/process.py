"""A worker process: its RQ worker, and what all its jobs share."""

from __future__ import annotations

import functools
import importlib
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from rq import Queue as JobQueue
from rq import SimpleWorker
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.worker_registration import register

from domain.registry import GAMES
from service.instance.signing import signer
from service.process import logs
from service.process.child_process import PROCESS
from service.process.failures import note_done
from service.process.figures.noted import keep_counting
from service.projections.positions.cache import Positions
from service.queue import CRON, SIDE, Queue
from service.queue.lanes import SETTLE, queue_name
from service.queue.thinking import THINK, ThinkQueue
from service.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.reading.bodies import prepare
from service.store.redis.store import Store, open_store
from service.store.seal import Signer

JOBS = {
    SETTLE: ("workers.settle",),
    CRON: ("workers.schedule",),
    SIDE: ("workers.schedule", "workers.post.drain"),
    THINK: ("workers.thinking.choosing", "workers.thinking.analysing"),
}
"""The modules that the jobs of each queue are in."""

SIGNING = (SETTLE, SIDE)
"""The queues whose jobs sign."""

BEHIND = {SIDE: 5, THINK: 15}
"""How much the system prefers other processes: play goes before the telling of it, and that before thoughts."""

WORKER_TTL = 30
"""Seconds: RQ's worker gives a heartbeat fifteen seconds before they are over."""

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

    @property
    def signer(self) -> Signer:
        """Signs heads, with the key of the data folder; made when it is first asked for. Raises `BadKey`."""
        return _signer()


@functools.cache
def worker_context() -> WorkerContext:
    """The context of this process, from its settings; made when the first job asks for it."""
    settings = Settings.load()
    store = open_store(settings.redis_url, settings.archive, settings.archive_copies)
    return WorkerContext(settings, store, Queue(settings.queue, settings.pumps), Positions(store))


@functools.cache
def _signer() -> Signer:
    context = worker_context()
    return signer(context.settings.key_path, context.store.log)


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


class Worker(SimpleWorker):
    """Runs jobs in its own process, where they find their caches; asked to stop, it lets the job come to a good end."""

    exponential_backoff_factor = 1.0
    max_connection_wait_time = 0.2
    """RQ waits twice as long after each attempt to reach its Redis, up to a minute: a server is back within seconds."""
    stopping = False
    """Set by SIGTERM; long jobs read it."""

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        super().heartbeat(timeout, pipeline)
        if pipeline is None:
            register(self)  # a server that persists nothing may have forgotten us

    def handle_job_success(self, job: Job, queue: JobQueue, started_job_registry: StartedJobRegistry) -> None:
        super().handle_job_success(job, queue, started_job_registry)
        note_done(self.connection, job)

    def handle_warm_shutdown_request(self) -> None:
        Worker.stopping = True
        log.debug("stopping")

    def told(self) -> AbstractContextManager[None]:
        """While this lasts, others may know that it works."""
        return nullcontext()


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


def listener(name: str, connection: Redis) -> Worker:
    """The worker of one queue. No connection of this client gives up sooner than the worker waits for a job."""
    kinds: dict[str, type[Worker]] = {THINK: ThinkWorker}
    known_as = os.environ.get(PROCESS, name) if name == THINK else name.replace(":", "-")
    worker = kinds.get(name, Worker)(
        [name],
        name=f"{known_as}-{os.getpid()}-{secrets.token_hex(4)}",
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL,
    )
    worker.log_job_description = False
    # RQ has given the pool its own patience, which those that were made before do not have: waiting on one of them it would end.
    connection.connection_pool.disconnect()
    connection.connection_pool.reset()
    return worker


def work(
    name: str, number: int = 0, beside: Callable[[Queue, Settings], AbstractContextManager[Any]] | None = None
) -> None:
    """Listen to one queue until SIGTERM: the main function of a worker process.

    ``number`` is that of a settle worker; each has a queue of its own. ``beside`` runs as long as the worker does.
    """
    settings = Settings.load()
    logs.configure(settings.log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_counting()
    for module in JOBS[name]:
        importlib.import_module(module)
    prepare(GAMES.values())
    await_store()
    os.nice(BEHIND.get(name, 0))
    context = worker_context()
    if name in SIGNING:
        _signer()  # a bad key is reported at the start
    worker = listener(queue_name(number) if name == SETTLE else name, context.queue.connection)
    with worker.told(), beside(context.queue, settings) if beside else nullcontext():
        worker.work(logging_level="WARNING")
