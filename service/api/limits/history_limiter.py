"""Long histories are read one page at a time in each process; the client with the least recent use goes first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from service.api.limits.fair_queue import Line, Waiter

LONGEST_REST = 1.0
"""Maximum seconds of rest. After a page, the same time is left to all other requests, up to this."""


class Gate:
    """A queue with one slot for reading long histories, with a rest after each page.

    One thread computes the pages, and quick requests wait for it too: a thousand readers who start at once must not
    block those. Waiting costs nothing, and a client keeps its place in the queue while it does other work.
    """

    def __init__(self) -> None:
        self._line = Line(1)
        self._rests_until = 0.0

    @contextmanager
    def pass_through(self, who: str) -> Iterator[None]:
        """Wait without a limit."""
        turn = Turn(self, who)
        try:
            while not turn.comes(60):
                pass
            yield
        finally:
            turn.end()

    def join(self, who: str) -> Waiter:
        """Join the queue."""
        return self._line.join(who)

    def leave(self, waiter: Waiter, began: float | None) -> None:
        """Leave the queue, or release the slot to the next one. Only the time since ``began`` counts."""
        used = 0.0
        if began is not None:
            now = time.monotonic()
            used = now - began
            self._rests_until = now + min(LONGEST_REST, used)
        self._line.leave(waiter, used)

    def rest(self) -> None:
        """Give the others their time."""
        left = self._rests_until - time.monotonic()
        if left > 0:
            time.sleep(left)


class Turn:
    """One reader's turns at a gate, one page after the other."""

    def __init__(self, gate: Gate, who: str) -> None:
        self._gate, self._who = gate, who
        self._waiter: Waiter | None = None
        """Their place in the queue, from the first request to the end of the page."""
        self._began: float | None = None
        """When they began to read."""

    def comes(self, seconds: float) -> bool:
        """Wait at most so many seconds; whether it is their turn. If so, the caller must end it."""
        if self._waiter is None:
            self._waiter = self._gate.join(self._who)
        if not self._waiter.called.wait(seconds):
            return False
        self._gate.rest()
        self._began = time.monotonic()
        return True

    def end(self) -> None:
        """The page is read, or no longer needed."""
        waiter, began = self._waiter, self._began
        self._waiter = self._began = None
        if waiter is not None:
            self._gate.leave(waiter, began)
