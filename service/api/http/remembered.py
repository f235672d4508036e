"""A value that is costly to compute, remembered for some seconds: however many ask, it is computed once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The value of ``ask()`` for so many seconds; while one caller computes it anew, the others get the old one."""

    def __init__(self, ask: Callable[[], T], seconds: float) -> None:
        self._ask, self._seconds = ask, seconds
        self._guard = threading.Lock()
        self._known: tuple[T, float] | None = None

    def get(self) -> T:
        """The value; a caller waits for another's computation only while there is no value at all."""
        known = self._known
        if known is not None and (time.monotonic() < known[1] or not self._guard.acquire(blocking=False)):
            return known[0]
        if known is None:
            self._guard.acquire()
        try:
            if self._known is None or time.monotonic() >= self._known[1]:
                self._known = (self._ask(), time.monotonic() + self._seconds)
            return self._known[0]
        finally:
            self._guard.release()
