"""How far a round has come with the games that it has claimed, and how much of each it may settle."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from domain.terms import GameId
from service.store.ports.errors import StaleWrite
from service.store.ports.waiting import Work

COMMITS_A_CLAIM = 32
"""Of one game, so that a table of bots starves nobody."""


@dataclass(slots=True)
class Round:
    """One round of a settle job."""

    left: dict[GameId, int]
    """How many commits more each of its games may have."""
    until: float
    """By this process's clock (`time.monotonic`): from then on no game has more than one commit."""
    ahead: bool
    """Whether what has only just become due may be settled at once."""
    dropped: set[GameId] = field(default_factory=set)
    """Games that are not gone on with."""
    crowded: set[GameId] = field(default_factory=set)
    """Games in which others' commands came in between: they are settled as they stand in the stream."""

    def limit(self, work: Work) -> int:
        """How many commits the game may have in a pass."""
        # After a claim that came to nothing one by one, so that only the guilty submission is taken for it.
        return self.left[work.game_id] if work.claims == 1 and time.monotonic() < self.until else 1

    def goes_ahead(self, work: Work) -> bool:
        """Whether all that waits in the game is known, so that what it makes due at once may be settled with it."""
        few = len(work.pending) < COMMITS_A_CLAIM and not work.garbled
        return self.ahead and few and work.game_id not in self.crowded


class Stale:
    """The games of which nothing could be appended lately because their logs stood elsewhere."""

    def __init__(self, tries: int) -> None:
        self._tries = tries
        self._seen: dict[GameId, tuple[int, int]] = {}
        """The seq behind which that was, and how often in a row."""

    def may_be_read_again(self, game_id: GameId, seq: int, error: Exception) -> bool:
        """After nothing could be appended behind this seq: whether what others have is to be read.

        The slow may have to do that any number of times; a game that stands where it stood is not read for ever.
        """
        stood, times = self._seen.pop(game_id, (seq, 0))
        times = times + 1 if stood == seq else 1
        if not isinstance(error, StaleWrite) or times >= self._tries:
            return False
        self._seen[game_id] = seq, times
        return True

    def forget(self, game_id: GameId) -> None:
        """Something was appended, or others have the game."""
        self._seen.pop(game_id, None)
