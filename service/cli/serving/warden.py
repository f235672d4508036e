"""Frees what a dead process held at once: its parent knows of its end before any lock or lease can run out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from redis.exceptions import RedisError

from service.process.logs import logger
from service.queue import Queue
from service.queue.thinking import ThinkQueue
from service.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store
from service.store.redis.store import open_store

AWHILE = 10.0
"""Seconds after which freeing what a dead process held is given up: its leases and locks have run out by themselves."""

_PAUSE = 0.1
_SIGN = 2.0
"""Seconds between the signs that somebody keeps workers alive."""

log = logger("serve")


class Warden:
    """Does it in a thread of its own: the store may be away, and children must be started all the same."""

    def __init__(self, settings: Settings, open_: Callable[[str, int], Store] = open_store) -> None:
        self._settings, self._open = settings, open_
        self._dead: SimpleQueue[tuple[str, float]] = SimpleQueue()
        self._house: tuple[Store, Queue] | None = None

    def start(self) -> None:
        """From now on."""
        threading.Thread(target=self._work, name="warden", daemon=True).start()

    def died(self, process: str) -> None:
        """The process of this name (`service.process.child_process.PROCESS`) has ended, however it did."""
        self._dead.put((process, time.monotonic()))

    def free(self, process: str) -> None:
        """Free what it held, and wake whoever can go on with it. Raises `StoreDown` and `RedisError`."""
        store, queue = self._opened()
        partitions = store.log.free(process)
        queue.free(process, self._settings.pumps)
        ThinkQueue(queue.connection).died(process)
        queue.ensure_pumps(self._settings.pumps)
        for partition in partitions:
            queue.wake(partition)

    def _opened(self) -> tuple[Store, Queue]:
        if self._house is None:
            settings = self._settings
            self._house = self._open(settings.redis_url, settings.partitions), Queue(settings.queue)
        return self._house

    def _work(self) -> None:
        while True:
            try:
                process, since = self._dead.get(timeout=_SIGN)
            except Empty:
                with suppress(StoreDown, RedisError):
                    self._opened()[1].serve()
                continue
            while time.monotonic() - since < AWHILE:
                try:
                    self.free(process)
                    break
                except (StoreDown, RedisError):
                    time.sleep(_PAUSE)
