"""Watching leases by a clock of one's own, which nobody can set: what does not move for its whole length has lapsed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

SLACK = 1.0
"""Seconds more than its length that a lease is watched: the store's clock may be a little slower than ours."""


class Watch:
    """Since when leases have been seen. A lease has a score of its own; whoever takes the game anew gets another."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[int, dict[tuple[bytes, bytes], tuple[float, int]]] = {}

    def saw(self, partition: int, leases: Iterable[tuple[bytes, bytes, int]]) -> None:
        """These stand now: game, score, and length in milliseconds."""
        now, before = self._clock(), self._seen.get(partition, {})
        seen = {(game, score): before.get((game, score), (now, length)) for game, score, length in leases}
        if seen:
            self._seen[partition] = seen
        else:
            self._seen.pop(partition, None)

    def unmoved(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Those that have been seen for longer than they can last, whatever the store's clock says."""
        now = self._clock()
        for lease, (since, length) in self._seen.get(partition, {}).items():
            if now - since > length / 1000 + SLACK:
                yield lease
