"""Watches leases with the monotonic clock: a lease that does not change for its whole length has lapsed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

SLACK = 1.0
"""Seconds to watch a lease beyond its length: the store's clock may be slightly slower than ours."""


class Watch:
    """When each lease was first seen. A lease has a unique score; a new claim of the game gets another."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[int, dict[tuple[bytes, bytes], tuple[float, int]]] = {}

    def saw(self, partition: int, leases: Iterable[tuple[bytes, bytes, int]]) -> None:
        """Update with the current leases: game, score, and length in milliseconds."""
        now, before = self._clock(), self._seen.get(partition, {})
        seen = {(game, score): before.get((game, score), (now, length)) for game, score, length in leases}
        if seen:
            self._seen[partition] = seen
        else:
            self._seen.pop(partition, None)

    def unmoved(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Leases that have been seen for longer than their length, whatever the store's clock says."""
        now = self._clock()
        for lease, (since, length) in self._seen.get(partition, {}).items():
            if now - since > length / 1000 + SLACK:
                yield lease
