"""Which commands of this process waited longest for their commits: a few of each second, by name, for operators alone."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

MOST = 5
"""How many are kept."""


@dataclass(frozen=True, slots=True, order=True)
class Slow:
    """One command that was settled."""

    milliseconds: int
    at: int
    """When its commit stood, by the store's clock."""
    game_id: str
    seq: int
    type: str
    by: str


class Slowest:
    """The slowest since they were taken last."""

    def __init__(self) -> None:
        self._heap: list[Slow] = []

    def note(self, slow: Slow) -> None:
        """One was settled; the faster ones of many are forgotten."""
        if len(self._heap) < MOST:
            heapq.heappush(self._heap, slow)
        elif slow.milliseconds > self._heap[0].milliseconds:
            heapq.heapreplace(self._heap, slow)

    def taken(self) -> list[Slow]:
        """All that were kept, the slowest first; from now on others are."""
        found, self._heap = sorted(self._heap, reverse=True), []
        return found


SLOWEST = Slowest()
"""Those of this process."""
