"""Places in memory."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping, Sequence


class MemoryPlaces:
    """See `service.store.ports.beside.Places`."""

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
