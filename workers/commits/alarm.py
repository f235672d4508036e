"""The timer around each settle: a rule that never ends must not take the whole pump with it."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self


class TooLong(BaseException):
    """A submission has been settled for too long. No `Exception`, so that no rule and no `settle` can catch it."""


class Alarm:
    """Raises `TooLong` in the ``with`` block that has lasted ``seconds``; does nothing outside the main thread."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._armed = False
        self._rings = threading.current_thread() is threading.main_thread()

    def install(self) -> None:
        """Take over SIGALRM (RQ sets its own handler for each job)."""
        self._rings = threading.current_thread() is threading.main_thread()
        if self._rings:
            signal.signal(signal.SIGALRM, self._ring)

    def __enter__(self) -> Self:
        if self._rings:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, self._seconds)
        return self

    def __exit__(self, *_: object) -> None:
        # Disarmed first: a signal that comes between the two lines must not strike whatever follows.
        self._armed = False
        if self._rings:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, _signal: int, _frame: FrameType | None) -> None:
        if self._armed:
            raise TooLong
