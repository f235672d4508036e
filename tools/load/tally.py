"""Measurements: how long requests took and when, and failures. Thread-safe."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

SHARES = (50, 90, 99)


@dataclass(slots=True)
class Times:
    """End times of requests, in seconds from the beginning, and their durations in seconds."""

    at: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)


class Tally:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.perf_counter()
        self._ended: float | None = None
        self.times: dict[str, Times] = {}
        self.faults: Counter[str] = Counter()

    def end(self) -> None:
        """End the stage, which fixes its length."""
        self._ended = time.perf_counter()

    @property
    def seconds(self) -> float:
        return (time.perf_counter() if self._ended is None else self._ended) - self._began

    def took(self, what: str, seconds: float) -> None:
        """Record a duration that ends now."""
        at = time.perf_counter() - self._began
        with self._lock:
            times = self.times.setdefault(what, Times())
            times.at.append(at)
            times.took.append(seconds)

    def failed(self, code: str) -> None:
        """Count a failure, by the code of its problem."""
        with self._lock:
            self.faults[code] += 1

    def count(self, what: str) -> int:
        return len(self.times[what].took) if what in self.times else 0


def percentiles(values: Sequence[float], shares: Sequence[int] = SHARES) -> dict[str, float]:
    """``p50`` and so on, each a measured value (nearest rank), and ``max``; empty without values."""
    if not values:
        return {}
    ordered = sorted(values)
    found = {f"p{share}": ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)] for share in shares}
    return {**found, "max": ordered[-1]}
