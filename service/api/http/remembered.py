"""An answer that costs something, kept for a moment: however many ask, it is worked out once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """What ``ask`` comes to, for so many seconds; while one caller asks anew, the others get what was known."""

    def __init__(self, ask: Callable[[], T], seconds: float) -> None:
        self._ask, self._seconds = ask, seconds
        self._guard = threading.Lock()
        self._known: tuple[T, float] | None = None

    def get(self) -> T:
        """The answer; only who comes before there is any waits for another's question."""
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
