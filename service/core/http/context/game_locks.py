"""One computation at a time per game, without blocking requests for other games."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from domain.kernel.terms import GameId


class GameLocks:
    """A lock for each game in use, and none for the others."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        """Held while the locks are looked at or changed, never during a computation."""
        self._locks: dict[GameId, tuple[threading.Lock, int]] = {}
        """Each lock with the number of its holders and waiters."""

    @contextmanager
    def lock(self, game_id: GameId) -> Iterator[None]:
        """Wait until no other request is at the game."""
        with self._guard:
            lock, count = self._locks.get(game_id) or (threading.Lock(), 0)
            self._locks[game_id] = lock, count + 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                _, count = self._locks.pop(game_id)
                if count > 1:
                    self._locks[game_id] = lock, count - 1
