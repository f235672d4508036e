"""Who reads much waits his turn: one page at a time in each process, whoever has read least lately first."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from service.api.limits.fair import Had

LONGEST_REST = 1.0
"""Seconds; after a page as much time belongs to all others, but not more than this."""


class Gate:
    """The one place at which long histories are read.

    Pages are computed by one thread, for which quick questions wait too: a thousand readers who begin at once must not
    stand in front of those. Whoever waits here costs nothing, and keeps his place while he does something else.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: list[Turn] = []
        self._had = Had()
        self._inside: Turn | None = None
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

    def enter(self, turn: Turn) -> None:
        """Stand in line."""
        with self._guard:
            if self._inside is None:
                self._let_in(turn)
            else:
                self._waiting.append(turn)

    def leave(self, turn: Turn) -> None:
        """Out of the line, or out of the place: the next one's turn."""
        with self._guard:
            if self._inside is not turn:
                self._waiting.remove(turn)
                return
            self._inside = None
            now = time.monotonic()
            if turn.began is not None:
                self._rests_until = now + min(LONGEST_REST, now - turn.began)
                self._had.add(turn.who, now - turn.began)
            if self._waiting:
                chosen = min(self._waiting, key=lambda each: self._had.of(each.who))  # of equals the first who came
                self._waiting.remove(chosen)
                self._let_in(chosen)

    def rest(self) -> None:
        """Give the others their time."""
        left = self._rests_until - time.monotonic()
        if left > 0:
            time.sleep(left)

    def _let_in(self, turn: Turn) -> None:
        self._inside = turn
        turn.called.set()


class Turn:
    """One reader's place at a gate; used for one page after the other."""

    def __init__(self, gate: Gate, who: str) -> None:
        self._gate, self.who = gate, who
        self._in_line = False
        self.called = threading.Event()
        self.began: float | None = None

    def comes(self, seconds: float) -> bool:
        """Wait so long at most; whether it is one's turn. It must be ended then."""
        if not self._in_line:
            self._in_line = True
            self._gate.enter(self)
        if not self.called.wait(seconds):
            return False
        self._gate.rest()
        self.began = time.monotonic()
        return True

    def end(self) -> None:
        """The page is read, or nobody wants it any more."""
        if self._in_line:
            self._gate.leave(self)
            self._in_line = False
            self.called.clear()
            self.began = None
