"""Wakes lanes for the requests of one process, several of them with one call."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from service.core.queue import Queue
from service.ops.logging import logger


class Waker:
    """Wakes lanes in a separate thread, so that no request waits. Wakes during a call go together in the next.

    A wake that is lost with the process is no harm: the sweeper finds the game.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._waiting: SimpleQueue[int] = SimpleQueue()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self, partition: int) -> None:
        self._waiting.put(partition)
        if self._thread is None:
            self._start()

    def _start(self) -> None:
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="waker", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            partitions = {self._waiting.get()}
            while not self._waiting.empty():
                partitions.add(self._waiting.get())
            try:
                self._queue.wake_all(partitions)
            except Exception:  # noqa: BLE001 - without this thread, all games would wait for the sweeper
                logger("queue").exception("wake_failed")
