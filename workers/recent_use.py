"""How much work each account has had lately, to serve first those that had least."""

from __future__ import annotations

import time
from collections.abc import Callable

from cachetools import LRUCache

HALF = 5.0
"""Seconds after which half of the work counts."""

REMEMBERED = 4096
"""Accounts whose work is remembered."""


class RecentUse:
    """Seconds of work by account; older work counts less."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: LRUCache[str, tuple[float, float]] = LRUCache(REMEMBERED)

    def of(self, account: str) -> float:
        """The seconds that count now."""
        seconds, at = self._known.get(account, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._now() - at) / HALF))

    def add(self, account: str, seconds: float) -> None:
        """Count work that was done for an account."""
        self._known[account] = self.of(account) + seconds, self._now()
