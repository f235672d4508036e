"""Notes in memory."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence

from domain.terms import GameId


class MemoryNotes:
    """See `service.store.ports.beside.Notes`."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._drawers: defaultdict[tuple[GameId, str], dict[str, bytes]] = defaultdict(dict)

    def keep(self, game_id: GameId, drawer: str, name: str, note: bytes) -> bytes:
        with self._guard:
            return self._drawers[game_id, drawer].setdefault(name, note)

    def put(self, game_id: GameId, drawer: str, name: str, note: bytes) -> None:
        with self._guard:
            self._drawers[game_id, drawer][name] = note

    def read(self, game_id: GameId, drawer: str, names: Sequence[str]) -> Mapping[str, bytes]:
        with self._guard:
            kept = self._drawers.get((game_id, drawer), {})
            return {name: kept[name] for name in names if name in kept}

    def all(self, game_id: GameId, drawer: str) -> Mapping[str, bytes]:
        with self._guard:
            return dict(self._drawers.get((game_id, drawer), {}))

    def count(self, game_id: GameId, drawer: str) -> int:
        return len(self.all(game_id, drawer))

    def erase(self, game_id: GameId, drawer: str, names: Sequence[str]) -> int:
        with self._guard:
            kept = self._drawers.get((game_id, drawer), {})
            return sum(kept.pop(name, None) is not None for name in names)
