"""The timer around each settle, and around each thought: a rule that never ends must not take the whole process with it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from math import inf
from types import FrameType
from typing import Self


class TooLong(BaseException):
    """A submission has been settled for too long. No `Exception`, so that no rule and no `settle` can catch it."""


class Alarm:
    """Raises `TooLong` in the ``with`` block that has lasted ``seconds``; does nothing outside the main thread.

    Until then it calls ``look`` every so many seconds, which may raise something else.
    """

    def __init__(self, seconds: float, every: float = inf, look: Callable[[], None] | None = None) -> None:
        self._seconds, self._every, self._look = seconds, every, look
        self._until = 0.0
        self._armed = False
        self._rings = threading.current_thread() is threading.main_thread()

    def install(self) -> None:
        """Take over SIGALRM (RQ sets its own handler for each job)."""
        self._rings = threading.current_thread() is threading.main_thread()
        if self._rings:
            signal.signal(signal.SIGALRM, self._ring)

    def __enter__(self) -> Self:
        if self._rings:
            self._armed, self._until = True, time.monotonic() + self._seconds
            signal.setitimer(signal.ITIMER_REAL, min(self._seconds, self._every))
        return self

    def __exit__(self, *_: object) -> None:
        # Disarmed first: a signal that comes between the two lines must not strike whatever follows.
        self._armed = False
        if self._rings:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _signal: int, _frame: FrameType | None) -> None:
        if not self._armed:
            return
        if self._look is None or time.monotonic() >= self._until:
            raise TooLong
        self._look()
        # Anew each time: nobody is rung for while looking, however long that takes.
        signal.setitimer(signal.ITIMER_REAL, max(0.001, min(self._every, self._until - time.monotonic())))
