"""Long histories are read one page at a time in each process, whoever has read least lately first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from service.api.limits.fair import Line, Waiter

LONGEST_REST = 1.0
"""Seconds; after a page as much time belongs to all others, but not more than this."""


class Gate:
    """A line that leads to one place, at which long histories are read, with a rest after each page.

    Pages are computed by one thread, for which quick questions wait too: a thousand readers who begin at once must not
    stand in front of those. Whoever waits here costs nothing, and keeps their place in line while they do something else.
    """

    def __init__(self) -> None:
        self._line = Line(1)
        self._rests_until = 0.0

    @contextmanager
    def pass_through(self, who: str) -> Iterator[None]:
        """Wait as long as it takes."""
        turn = Turn(self, who)
        try:
            while not turn.comes(60):
                pass
            yield
        finally:
            turn.end()

    def join(self, who: str) -> Waiter:
        """Stand in line."""
        return self._line.join(who)

    def leave(self, waiter: Waiter, began: float | None) -> None:
        """Out of the line, or out of the place: the next one's turn. Only what was read since ``began`` counts."""
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
        """Their place in line, from the first question to the end of the page."""
        self._began: float | None = None
        """When they began to read."""

    def comes(self, seconds: float) -> bool:
        """Wait so long at most; whether it is their turn. It must be ended then."""
        if self._waiter is None:
            self._waiter = self._gate.join(self._who)
        if not self._waiter.called.wait(seconds):
            return False
        self._gate.rest()
        self._began = time.monotonic()
        return True

    def end(self) -> None:
        """The page is read, or nobody wants it any more."""
        waiter, began = self._waiter, self._began
        self._waiter = self._began = None
        if waiter is not None:
            self._gate.leave(waiter, began)
