"""Places that are counted for all processes alike: so many under a name, each held until it is let go or runs out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from service.store.redis import keys
from service.store.redis.connect import Script, Wire

HOLD = Script("hold")


class Places:
    """Semaphores: slots limited to a number at a time. A sorted set for each name holds the owners by expiry."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def hold(self, name: str, holder: str, most: int, seconds: int) -> tuple[bool, int]:
        """Take one of ``most`` places for so many seconds, or keep the holder's for longer.

        Whether the holder has it; and if not, seconds until one falls free by itself.
        """
        taken, wait = self._wire.call(HOLD, [keys.places(name)], [holder, most, seconds])
        return bool(taken), wait

    def keep(self, places: Sequence[tuple[str, str]], seconds: int) -> None:
        """Keep places (name and holder) that are taken for longer, all in one round trip."""
        self._wire.calls(HOLD, [([keys.places(name)], [holder, sys.maxsize, seconds]) for name, holder in places])

    def let_go(self, places: Sequence[tuple[str, str]]) -> None:
        """They are free again."""
        self._wire.all([("ZREM", keys.places(name), holder) for name, holder in places])

    def held(self, name: str) -> Mapping[str, float]:
        """Who has places under a name, and for how many seconds more."""
        now = self._wire.now()
        found = self._wire.one("ZRANGE", keys.places(name), f"({now}", "+inf", "BYSCORE", "WITHSCORES")
        pairs = zip(found[::2], found[1::2], strict=True)
        return {holder.decode(): (float(until) - now) / 1000 for holder, until in pairs}
