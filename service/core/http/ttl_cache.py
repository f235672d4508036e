"""Caches with a time to live: one value that is costly to compute, or values by key."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class CachedValue(Generic[T]):
    """Caches ``compute()`` for some seconds. While one caller refreshes it, the others get the old value."""

    def __init__(self, compute: Callable[[], T], seconds: float) -> None:
        self._compute, self._seconds = compute, seconds
        self._lock = threading.Lock()
        self._entry: tuple[T, float] | None = None

    def get(self) -> T:
        """The value. A caller waits for another's computation only while there is no value at all."""
        known = self._entry
        if known is not None and (time.monotonic() < known[1] or not self._lock.acquire(blocking=False)):
            return known[0]
        if known is None:
            self._lock.acquire()
        try:
            if self._entry is None or time.monotonic() >= self._entry[1]:
                self._entry = (self._compute(), time.monotonic() + self._seconds)
            return self._entry[0]
        finally:
            self._lock.release()


class TtlCache(Generic[K, T]):
    """Values by key, each for some seconds. If there are too many, all are removed.

    Threads may share it without a lock: an entry is one tuple, read and replaced as a whole.
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._entries: dict[K, tuple[T, float]] = {}

    def get(self, key: K) -> T | None:
        """The value, if it is cached and has not expired."""
        known = self._entries.get(key)
        return known[0] if known is not None and known[1] > time.monotonic() else None

    def put(self, key: K, value: T, seconds: float) -> None:
        """Cache the value for so many seconds."""
        if len(self._entries) >= self._max_size:
            self._entries.clear()
        self._entries[key] = (value, time.monotonic() + seconds)

    def remove(self, key: K) -> None:
        """Remove one value, if it is there."""
        self._entries.pop(key, None)

    def remove_where(self, matches: Callable[[T], bool]) -> None:
        """Remove the values for which this holds."""
        for key, (value, _) in list(self._entries.items()):
            if matches(value):
                self._entries.pop(key, None)
