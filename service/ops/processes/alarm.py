"""A timer around each settle and each search: an endless rule must not block the whole process."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from math import inf
from types import FrameType
from typing import Self


class TooLong(BaseException):
    """Settling took too long. Not an `Exception`, so that no rule and no `settle` can catch it."""


class Alarm:
    """Raises `TooLong` in a ``with`` block after ``seconds``; does nothing outside the main thread.

    Until then it calls ``look`` every ``every`` seconds, which may raise something else.
    """

    def __init__(self, seconds: float, every: float = inf, look: Callable[[], None] | None = None) -> None:
        self._seconds, self._every, self._look = seconds, every, look
        self._until = 0.0
        self._armed = False
        self._rings = threading.current_thread() is threading.main_thread()
        self._outer: Callable[[int, FrameType | None], object] | None = None
        self._outer_rings = 0.0
        """When the outer timer expires, which was running before ours: RQ's timer for the whole job."""

    def install(self) -> None:
        """Handle SIGALRM; outside of the ``with`` block signals go to the previous handler, which is RQ's."""
        self._rings = threading.current_thread() is threading.main_thread()
        if not self._rings:
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        if before != self._ring:
            self._outer = before if callable(before) else None

    def __enter__(self) -> Self:
        if self._rings:
            now = time.monotonic()
            self._armed, self._until = True, now + self._seconds
            left, _ = signal.setitimer(signal.ITIMER_REAL, min(self._seconds, self._every))
            self._outer_rings = now + left if left else 0.0
        return self

    def __exit__(self, *_: object) -> None:
        # Disarm first: a signal between the two lines must not hit the code that follows.
        self._armed = False
        if not self._rings:
            return
        left = self._outer_rings - time.monotonic() if self._outer_rings else 0.0
        signal.setitimer(signal.ITIMER_REAL, max(0.0, left))
        if self._outer_rings and left <= 0 and self._outer is not None:
            # At once: with one block after another, the timer would be reset again and again before it expires.
            self._outer(signal.SIGALRM, None)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if not self._armed:
            # A signal of our own timer may still arrive after the block.
            if self._outer is not None and time.monotonic() >= self._outer_rings - 0.05:
                self._outer(number, frame)
            return
        if self._look is None or time.monotonic() >= self._until:
            raise TooLong
        self._look()
        # Set each time, so that no signal arrives during ``look``, however long it takes.
        signal.setitimer(signal.ITIMER_REAL, max(0.001, min(self._every, self._until - time.monotonic())))
