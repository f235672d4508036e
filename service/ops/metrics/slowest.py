"""The commands of this process that waited longest for their commits, for operators only."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

MOST = 5
"""Number of commands kept."""


@dataclass(frozen=True, slots=True, order=True)
class SlowCommand:
    milliseconds: int
    at: int
    """When its commit was stored, by the store's clock."""
    game_id: str
    seq: int
    type: str
    by: str


class SlowestCommands:
    """The slowest commands since the last `taken`."""

    def __init__(self) -> None:
        self._heap: list[SlowCommand] = []

    def note(self, slow: SlowCommand) -> None:
        """Record a command; only the slowest are kept."""
        if len(self._heap) < MOST:
            heapq.heappush(self._heap, slow)
        elif slow.milliseconds > self._heap[0].milliseconds:
            heapq.heapreplace(self._heap, slow)

    def taken(self) -> list[SlowCommand]:
        """All kept commands, the slowest first; starts again."""
        found, self._heap = sorted(self._heap, reverse=True), []
        return found


SLOWEST = SlowestCommands()
