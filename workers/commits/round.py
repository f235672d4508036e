"""A round with claimed games: its progress, the limits for each game, and the accounts whose games took much time lately."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache

from domain.kernel.terms import GameId
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import Work

COMMITS_A_CLAIM = 32
"""Limit per game, so that games of bots do not starve others."""

HALF = 5.0
"""Half-life of the work, in seconds."""

REMEMBERED = 4096
"""Number of accounts in the cache."""


@dataclass(slots=True)
class SettleRound:
    left: dict[GameId, int]
    """Number of further commits that each of its games may have."""
    until: float
    """By this process's clock (`time.monotonic`): from then on each game gets at most one more commit."""
    ahead: bool
    """Whether commands that have just become due may be settled at once."""
    dropped: set[GameId] = field(default_factory=set)
    """Games that are no longer processed."""
    crowded: set[GameId] = field(default_factory=set)
    """Games in which other commands arrived in between: only commands in the stream are settled."""

    def limit(self, work: Work) -> int:
        """Maximum number of commits of the game in a pass."""
        # After a claim without a commit one by one, so that only the faulty submission is blamed.
        return self.left[work.game_id] if work.claims == 1 and time.monotonic() < self.until else 1

    def goes_ahead(self, work: Work) -> bool:
        """Whether all waiting commands are known, so that commands made due by them may be settled at once."""
        few = len(work.pending) < COMMITS_A_CLAIM and not work.garbled
        return self.ahead and few and work.game_id not in self.crowded


class Stale:
    """Games whose last append was stale."""

    def __init__(self, tries: int) -> None:
        self._tries = tries
        self._seen: dict[GameId, tuple[int, int]] = {}
        """The seq of the failed append, and the number of consecutive failures."""

    def may_be_read_again(self, game_id: GameId, seq: int, error: Exception) -> bool:
        """After a failed append at this seq: whether to read the game again.

        A slow worker may retry forever; a game that remains at the same seq is not read forever.
        """
        stood, times = self._seen.pop(game_id, (seq, 0))
        times = times + 1 if stood == seq else 1
        if not isinstance(error, StaleWrite) or times >= self._tries:
            return False
        self._seen[game_id] = seq, times
        return True

    def forget(self, game_id: GameId) -> None:
        """Forget the failures, because a commit was appended or another process has the game."""
        self._seen.pop(game_id, None)


class RecentUse:
    """Seconds of work by account; older work counts less."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: LRUCache[str, tuple[float, float]] = LRUCache(REMEMBERED)

    def of(self, account: str) -> float:
        seconds, at = self._known.get(account, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._now() - at) / HALF))

    def add(self, account: str, seconds: float) -> None:
        self._known[account] = self.of(account) + seconds, self._now()
