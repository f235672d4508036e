"""Recent work per account, to serve first the accounts with the least."""

from __future__ import annotations

import time
from collections.abc import Callable

from cachetools import LRUCache

HALF = 5.0
"""Half-life of the work, in seconds."""

REMEMBERED = 4096
"""Number of accounts in the cache."""


class RecentUse:
    """Seconds of work by account; older work counts less."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: LRUCache[str, tuple[float, float]] = LRUCache(REMEMBERED)

    def of(self, account: str) -> float:
        seconds, at = self._known.get(account, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._now() - at) / HALF))

    def add(self, account: str, seconds: float) -> None:
        self._known[account] = self.of(account) + seconds, self._now()
