"""Whether this process can serve. Asks the store at most once a second, regardless of the number of requests."""

from __future__ import annotations

from functools import partial

from service.core.http.ttl_cache import CachedValue
from service.core.queue import Queue
from service.ops.processes import open_files
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store
from service.store.upkeep.backlog import Backlog

STORE_UNAVAILABLE = "The store does not respond or rejects writes."
QUEUE_UNAVAILABLE = "The queue does not respond. Commands are accepted, and settled when it is back."

STORE_CHECK_SECONDS = 1.0
"""Seconds between two checks of the store."""
WARNINGS_SECONDS = 30.0
"""Seconds between two checks of the store's configuration."""


class HealthChecks:
    """The content of `/readyz`."""

    def __init__(self, store: Store, patience: int = 0, queue: Queue | None = None, connections: int = 0) -> None:
        self._faults = CachedValue(partial(faults, store, Backlog(store), patience, queue), STORE_CHECK_SECONDS)
        self._warnings = CachedValue(lambda: (*store.warnings(), *open_files.warnings(connections)), WARNINGS_SECONDS)

    def faults(self) -> tuple[str, ...]:
        """Why the service cannot serve, a sentence each, at most a second old; empty if it can."""
        return self._faults.get()

    def warnings(self) -> tuple[str, ...]:
        """Warnings for the operator that do not prevent serving, a sentence each."""
        return self._warnings.get()


def faults(store: Store, backlog: Backlog, patience: int, queue: Queue | None = None) -> tuple[str, ...]:
    """Why the service cannot serve, a sentence each; empty if it can. ``patience`` is in seconds, 0 for no limit."""
    try:
        if not store.ready():
            return (STORE_UNAVAILABLE,)
        waited = backlog.seconds() if patience else 0
    except StoreDown:
        return (STORE_UNAVAILABLE,)
    if queue is not None and not queue.answers():
        return (QUEUE_UNAVAILABLE,)
    if waited > patience:
        return (
            f"Commands are waiting to be settled, the oldest for {waited:.0f} seconds. Check that workers are running.",
        )
    return ()
