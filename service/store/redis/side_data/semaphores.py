"""Semaphores shared by all processes; each slot is held until it is released or expires."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from service.store.redis import keys
from service.store.redis.client import RedisClient, Script

HOLD = Script("hold")


class Semaphores:
    """Semaphores with a limited number of slots. A sorted set for each name has the owners by expiry."""

    def __init__(self, wire: RedisClient) -> None:
        self._wire = wire

    def hold(self, name: str, holder: str, most: int, seconds: int) -> tuple[bool, int]:
        """Acquire one of ``most`` slots for so many seconds, or extend the holder's.

        Returns whether the holder has it, and if not, seconds until the next slot expires.
        """
        taken, wait = self._wire.call(HOLD, [keys.places(name)], [holder, most, seconds])
        return bool(taken), wait

    def keep(self, places: Sequence[tuple[str, str]], seconds: int) -> None:
        """Extend acquired slots (name and holder), all in one round trip."""
        self._wire.calls(HOLD, [([keys.places(name)], [holder, sys.maxsize, seconds]) for name, holder in places])

    def let_go(self, places: Sequence[tuple[str, str]]) -> None:
        """Release slots (name and holder)."""
        self._wire.all([("ZREM", keys.places(name), holder) for name, holder in places])

    def held(self, name: str) -> Mapping[str, float]:
        """The holders of a name's slots, and seconds until each expires."""
        now = self._wire.now()
        found = self._wire.one("ZRANGE", keys.places(name), f"({now}", "+inf", "BYSCORE", "WITHSCORES")
        pairs = zip(found[::2], found[1::2], strict=True)
        return {holder.decode(): (float(until) - now) / 1000 for holder, until in pairs}
