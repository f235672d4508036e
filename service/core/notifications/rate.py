"""The rate limit of an owner's deliveries, which protects third parties from a player of endless games with bots."""

from __future__ import annotations

import threading
from collections import Counter

from domain.kernel.terms import PlayerId
from service.store.redis.store import Store


class DeliveryRate:
    """Webhooks and push notifications of one owner share a limit. Thread-safe."""

    def __init__(self, store: Store, per_minute: int, reserved: int = 1) -> None:
        """``per_minute`` 0: no limit. ``reserved`` deliveries are taken from the limit at once, at most two seconds' worth."""
        self._store, self._rate, self._some = store, per_minute, max(1, min(reserved, per_minute // 30))
        self._guard = threading.Lock()
        self._reserved: Counter[PlayerId] = Counter()
        """Deliveries that owners have left from a reservation."""

    def wait(self, owner: PlayerId) -> int:
        """Count a delivery and return 0; without counting, the seconds until another one is allowed."""
        if not self._rate:
            return 0
        with self._guard:
            if self._reserved[owner]:
                self._reserved[owner] -= 1
                return 0
        for some in dict.fromkeys((self._some, 1)):
            allowed, _, seconds = self._store.accounts.allow(f"words:{owner}", self._rate, self._rate / 60, some)
            if allowed:
                with self._guard:
                    self._reserved[owner] += some - 1
                return 0
        return max(1, seconds)
