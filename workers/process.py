"""A worker process: its RQ worker, and what all its jobs share."""

from __future__ import annotations

import functools
import os
import secrets
import signal
from dataclasses import dataclass
from typing import Any

from rq import SimpleWorker
from rq.serializers import JSONSerializer
from rq.timeouts import UnixSignalDeathPenalty

from service import logs
from service.projections.positions import Positions
from service.queue import PUMP, SIDE, Queue
from service.settings import Settings
from service.signing import signer
from service.store.connect import open_store
from service.store.ports import Store
from service.store.seal import Signer

log = logs.logger("worker")


@dataclass(frozen=True, slots=True)
class House:
    """What the jobs of one process share: the store, the queue, the games it knows."""

    settings: Settings
    store: Store
    queue: Queue
    positions: Positions
    signer: Signer


@functools.cache
def house() -> House:
    """The house of this process, from its settings; made when the first job asks for it."""
    settings = Settings.load()
    store = open_store(settings.redis_url, settings.partitions)
    return House(settings, store, Queue(settings.queue), Positions(store), signer(settings.key_path, store.log))


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
    stopping = False
    """Set by SIGTERM; a pump reads it between batches."""

    def handle_warm_shutdown_request(self) -> None:
        Worker.stopping = True
        log.info("stopping")


class PumpWorker(Worker):
    """A worker of the queue ``pump``; while it has nothing to do, it sees to it that there are pumps."""

    @property
    def dequeue_timeout(self) -> int:
        return 1

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        super().heartbeat(timeout, pipeline)
        if pipeline is None and not self.stopping:
            house().queue.ensure_pumps(house().settings.pumps)


def work(name: str) -> None:
    """Listen to one queue until SIGTERM: the main function of a worker process."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kinds: dict[str, type[Worker]] = {PUMP: PumpWorker, SIDE: Worker}
    worker = kinds[name](
        [name],
        name=f"{name}-{os.getpid()}-{secrets.token_hex(4)}",
        connection=house().queue.connection,
        serializer=JSONSerializer,
    )
    worker.log_job_description = False
    worker.work(logging_level="WARNING")
