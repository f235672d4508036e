"""A worker process: its RQ worker, and the objects that all its jobs share."""

from __future__ import annotations

import importlib
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from rq import Queue as JobQueue
from rq import SimpleWorker
from rq import Worker as RQWorker
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.worker import BaseWorker, DequeueStrategy
from rq.worker_registration import register

from domain.registry import GAMES
from service.core import tracing
from service.core.jobs import worker_context
from service.core.queue import CRON, SIDE, Queue
from service.core.queue.compute import ANALYSES, COMPUTE, MOVES, QUEUES, REQUESTS
from service.core.queue.failures import note_done
from service.core.queue.lanes import SETTLE, queue_name
from service.features import FEATURES
from service.ops import logging
from service.ops.metrics.buffered import count_all, keep_counting
from service.ops.metrics.gathering import tidy
from service.ops.processes.child_process import end_with_parent, is_alive
from service.ops.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.reading.bodies import prepare

OWN_JOBS = {
    SETTLE: ("workers.settle",),
    CRON: ("workers.schedule",),
    SIDE: ("workers.schedule", "workers.notifications.drain", "workers.requests"),
    COMPUTE: ("workers.requests", "workers.searching.move_choice"),
}
JOBS = {
    name: (*modules, *(feature.jobs[name] for feature in FEATURES if name in feature.jobs))
    for name, modules in OWN_JOBS.items()
}
"""The modules with the jobs of each kind of worker, and those of features."""

SIGNING = (SETTLE, SIDE)
"""The queues whose jobs sign."""

BEHIND = {SIDE: 5, COMPUTE: 5, MOVES: 10, ANALYSES: 10}
"""Nice values: of each worker process, and additionally of its jobs from a queue."""

WORKER_TTL = 30
"""Seconds: RQ's worker sends a heartbeat fifteen seconds before this ends."""

COMPUTE_TTL, COMPUTE_HEARTBEAT = 20, 5
"""Seconds, for workers that fork: a heartbeat comes every five seconds (`service.core.queue.compute.ALIVE`)."""

log = logging.logger("worker")


def await_store(seconds: float = 60.0) -> None:
    """Wait for a store that is away or loads its data; exiting would only cause a restart. Raises `StoreDown`."""
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


class _Patient(BaseWorker):
    exponential_backoff_factor = 1.0
    max_connection_wait_time = 0.2
    """RQ doubles the pause after each attempt to reach its Redis, up to a minute: a server is back within seconds."""

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        super().heartbeat(timeout, pipeline)
        if pipeline is None:
            register(self)  # a server without persistence may have forgotten this worker


class Worker(_Patient, SimpleWorker):
    """Runs jobs in its own process, so that caches are kept; a request to stop lets the current job finish."""

    stopping = False
    """Set by SIGTERM; long jobs read it."""

    def handle_job_success(self, job: Job, queue: JobQueue, started_job_registry: StartedJobRegistry) -> None:
        super().handle_job_success(job, queue, started_job_registry)
        note_done(self.connection, job)

    def handle_warm_shutdown_request(self) -> None:
        Worker.stopping = True
        log.debug("stopping")


class ForkingWorker(_Patient, RQWorker):
    """Runs each job in a child process. When it stops, the job is ended too, and RQ enqueues it again."""

    def main_work_horse(self, job: Job, queue: JobQueue) -> None:
        os.nice(BEHIND.get(queue.name, 0))
        super().main_work_horse(job, queue)

    def setup_work_horse_signals(self) -> None:
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        end_with_parent(number=signal.SIGKILL)

    def handle_warm_shutdown_request(self) -> None:
        if self.horse_pid:
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)


class SideWorker(ForkingWorker):
    """A worker whose jobs finish cleanly when asked to stop, and record metrics."""

    def setup_work_horse_signals(self) -> None:
        super().setup_work_horse_signals()
        signal.signal(signal.SIGTERM, lambda *_: self._stop())

    def perform_job(self, job: Job, queue: JobQueue) -> bool:
        keep_counting()
        try:
            return super().perform_job(job, queue)
        finally:
            count_all()
            tracing.flush()

    def execute_job(self, job: Job, queue: JobQueue) -> None:
        super().execute_job(job, queue)
        tidy()

    def handle_job_success(self, job: Job, queue: JobQueue, started_job_registry: StartedJobRegistry) -> None:
        super().handle_job_success(job, queue, started_job_registry)
        if queue.name == SIDE:
            note_done(self.connection, job)

    @staticmethod
    def _stop() -> None:
        Worker.stopping = True


def listener(name: str, connection: Redis) -> Worker | ForkingWorker:
    """The worker for this queue or kind. Its connections time out no sooner than it waits for a job."""
    known_as = f"{name.replace(':', '-')}-{os.getpid()}-{secrets.token_hex(4)}"
    given: dict[str, Any] = {"name": known_as, "connection": connection, "serializer": JSONSerializer}
    forking = {**given, "worker_ttl": COMPUTE_TTL, "job_monitoring_interval": COMPUTE_HEARTBEAT}
    worker: Worker | ForkingWorker
    match name:
        case "compute":
            worker = ForkingWorker(QUEUES, **forking)
        case "side":
            worker = SideWorker([SIDE, REQUESTS], **forking)
        case _:
            worker = Worker([name], **given, worker_ttl=WORKER_TTL)
    worker.log_job_description = False
    # RQ has set the pool's timeout, which existing connections lack: waiting on one of them would end early.
    connection.connection_pool.disconnect()
    connection.connection_pool.reset()
    return worker


def unregister_killed(connection: Redis) -> None:
    """Unregister workers of this host whose processes are gone, so that their jobs count as lost at once."""
    for worker in RQWorker.all(connection=connection):
        if worker.hostname == socket.gethostname() and worker.pid is not None and not is_alive(worker.pid):
            worker.register_death()  # type: ignore[no-untyped-call]


def work(
    name: str, number: int = 0, beside: Callable[[Queue, Settings], AbstractContextManager[Any]] | None = None
) -> None:
    """Listen to one queue until SIGTERM: the main function of a worker process.

    ``number`` is that of a settle worker; each has its own queue. ``beside`` runs as long as the worker does.
    """
    settings = Settings.load()
    logging.configure(settings.log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_counting()
    tracing.start(FEATURES, settings)
    for module in JOBS[name]:
        importlib.import_module(module)
    prepare(GAMES.values())
    await_store()
    os.nice(BEHIND.get(name, 0))
    context = worker_context()
    if name in SIGNING:
        _ = context.signer  # to report a bad key at the start
    unregister_killed(context.queue.connection)
    worker = listener(queue_name(number) if name == SETTLE else name, context.queue.connection)
    with beside(context.queue, settings) if beside else nullcontext():
        # In turn, so that neither of a side worker's queues waits for the other to be empty.
        strategy = DequeueStrategy.ROUND_ROBIN if name == SIDE else DequeueStrategy.DEFAULT
        worker.work(logging_level="WARNING", dequeue_strategy=strategy)
