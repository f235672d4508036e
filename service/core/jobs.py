"""What the jobs of a worker process share."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from service.core.positions.cache import Positions
from service.core.queue import Queue
from service.ops.keys.signing import signer
from service.ops.settings import Settings
from service.store.redis.store import Store, open_store
from service.store.seal import Signer


@dataclass(frozen=True, slots=True)
class WorkerContext:
    settings: Settings
    store: Store
    queue: Queue
    positions: Positions

    @property
    def signer(self) -> Signer:
        """Signs heads with the key of the data folder, which is loaded on first use. Raises `BadKey`."""
        return _signer()


@functools.cache
def worker_context() -> WorkerContext:
    """The context of this process, from its settings; created on first use."""
    settings = Settings.load()
    store = open_store(settings.redis_url, settings.archive, settings.archive_cache_mib)
    return WorkerContext(settings, store, Queue(settings.queue, settings.settle_workers), Positions(store))


@functools.cache
def _signer() -> Signer:
    context = worker_context()
    return signer(context.settings.key_path, context.store.log)
