"""Long histories are read one page at a time in each process; the client with the least recent use goes first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from service.core.http.limits.fair_queue import FairQueue, WaitingClient

MAX_PAUSE_SECONDS = 1.0
"""Maximum seconds of rest. After a page, the same time is left to all other requests, up to this."""


class HistoryLimiter:
    """A queue with one slot for reading long histories, with a rest after each page.

    One thread computes the pages, and quick requests wait for it too: a thousand readers who start at once must not
    block those. Waiting costs nothing, and a client keeps its place in the queue while it does other work.
    """

    def __init__(self) -> None:
        self._queue = FairQueue(1)
        self._paused_until = 0.0

    @contextmanager
    def slot(self, client: str) -> Iterator[None]:
        """Wait without a limit."""
        slot = HistorySlot(self, client)
        try:
            while not slot.acquire(60):
                pass
            yield
        finally:
            slot.release()

    def join(self, client: str) -> WaitingClient:
        """Join the queue."""
        return self._queue.join(client)

    def leave(self, waiter: WaitingClient, began: float | None) -> None:
        """Leave the queue, or release the slot to the next one. Only the time since ``began`` counts."""
        used = 0.0
        if began is not None:
            now = time.monotonic()
            used = now - began
            self._paused_until = now + min(MAX_PAUSE_SECONDS, used)
        self._queue.leave(waiter, used)

    def pause(self) -> None:
        """Give the others their time."""
        left = self._paused_until - time.monotonic()
        if left > 0:
            time.sleep(left)


class HistorySlot:
    """One reader's turns at a limiter, one page after the other."""

    def __init__(self, limiter: HistoryLimiter, client: str) -> None:
        self._limiter, self._client = limiter, client
        self._waiter: WaitingClient | None = None
        """Their place in the queue, from the first request to the end of the page."""
        self._began: float | None = None
        """When they began to read."""

    def acquire(self, seconds: float) -> bool:
        """Wait at most so many seconds; whether it is their slot. If so, the caller must end it."""
        if self._waiter is None:
            self._waiter = self._limiter.join(self._client)
        if not self._waiter.admitted.wait(seconds):
            return False
        self._limiter.pause()
        self._began = time.monotonic()
        return True

    def release(self) -> None:
        """The page is read, or no longer needed."""
        waiter, began = self._waiter, self._began
        self._waiter = self._began = None
        if waiter is not None:
            self._limiter.leave(waiter, began)
