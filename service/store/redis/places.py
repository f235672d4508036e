"""Places that are counted for all processes alike: so many under a name, each held until it is let go or runs out."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping, Sequence

from service.store.redis import keys
from service.store.redis.connect import Script, Wire

HOLD = Script("hold")


class RedisPlaces:
    """See `service.store.ports.places.Places`. A sorted set for each name: the holders, by until when."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def hold(self, name: str, holder: str, most: int, seconds: int) -> tuple[bool, int]:
        taken, wait = self._wire.call(HOLD, [keys.places(name)], [holder, most, seconds])
        return bool(taken), wait

    def keep(self, places: Sequence[tuple[str, str]], seconds: int) -> None:
        self._wire.calls(HOLD, [([keys.places(name)], [holder, sys.maxsize, seconds]) for name, holder in places])

    def let_go(self, places: Sequence[tuple[str, str]]) -> None:
        self._wire.all([("ZREM", keys.places(name), holder) for name, holder in places])

    def held(self, name: str) -> Mapping[str, float]:
        now = self._wire.now()
        found = self._wire.one("ZRANGE", keys.places(name), f"({now}", "+inf", "BYSCORE", "WITHSCORES")
        pairs = zip(found[::2], found[1::2], strict=True)
        return {holder.decode(): (float(until) - now) / 1000 for holder, until in pairs}


class MemoryPlaces:
    """The same in dicts."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._held: dict[str, dict[str, float]] = {}

    def hold(self, name: str, holder: str, most: int, seconds: int) -> tuple[bool, int]:
        now = time.monotonic()
        with self._guard:
            held = {each: until for each, until in self._held.get(name, {}).items() if until > now}
            if holder not in held and len(held) >= most:
                return False, max(1, round(min(held.values(), default=now + seconds) - now))
            self._held[name] = {**held, holder: now + seconds}
        return True, 0

    def keep(self, places: Sequence[tuple[str, str]], seconds: int) -> None:
        for name, holder in places:
            self.hold(name, holder, sys.maxsize, seconds)

    def let_go(self, places: Sequence[tuple[str, str]]) -> None:
        with self._guard:
            for name, holder in places:
                held = self._held.get(name, {})
                held.pop(holder, None)
                if not held:
                    self._held.pop(name, None)

    def held(self, name: str) -> Mapping[str, float]:
        now = time.monotonic()
        with self._guard:
            return {holder: until - now for holder, until in self._held.get(name, {}).items() if until > now}
