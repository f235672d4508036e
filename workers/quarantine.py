"""Quarantine: games that cannot be read, and games whose commits this release would decide differently."""

from __future__ import annotations

import time

from domain import RELEASE
from domain.kernel.record import KEPT, Position
from domain.kernel.terms import GameId
from service.audit.verifier import CommitVerifier
from service.core.positions.cache import Positions
from service.core.positions.game_config import GameConfig
from service.ops.logging import logger
from service.store.chain import NeedsRelease
from service.store.codec import UnknownEvent
from service.store.ports.waiting import Mark, Work
from service.store.redis.store import Store

FIRST, LONGEST = 10_000, 300_000
"""Milliseconds until a quarantined game is checked again: twice as long each time, up to the second value."""

LAST = 64
"""Commits of another release that are decided again before this release continues a game."""

SECONDS = 0.5
"""Maximum seconds for that per game."""

log = logger("aside")


class Quarantine:
    def __init__(self, store: Store, positions: Positions) -> None:
        self._store, self._positions = store, positions
        self._times: dict[str, int] = {}

    def put(self, game_id: GameId, error: Exception) -> None:
        """Mark the game, log it once, and put it off; its commands wait."""
        times = self._times[game_id] = self._times.get(game_id, 0) + 1
        code = "needs-release" if isinstance(error, NeedsRelease | UnknownEvent) else "quarantined"
        self._positions.forget(game_id)
        why = f"{type(error).__name__}: {error}"
        if times == 1:
            log.error("game_quarantined", game=game_id, code=code, reason=why)
        self._store.schedule.mark(
            game_id, Mark("needs-release" if code == "needs-release" else "quarantined", RELEASE, why)
        )
        self._store.claims.release(game_id, min(LONGEST, FIRST * 2 ** min(times - 1, 10)))

    def is_in(self, work: Work) -> bool:
        """Whether the game is marked for this release; ignores markers for other releases."""
        return work.mark is not None and work.mark.holds(RELEASE)

    def take_back(self, game_id: GameId) -> None:
        """Remove the marker, because a commit was appended, or nothing waits and the game can be read."""
        self._times.pop(game_id, None)
        self._store.schedule.mark(game_id, None)

    def check(self, facts: GameConfig, position: Position) -> None:
        """Check a game that was just read: raises `NeedsRelease` if this release would decide its commits differently."""
        seq = position.seq
        newest = next(self._store.log.commits(facts.id, seq, seq), None) if seq else None
        if newest is None or newest.release == RELEASE:
            return
        first = max(1, seq - LAST + 1)
        commits = self._store.log.commits(facts.id, first, seq)
        deciding, until = CommitVerifier(facts.game, facts.chance), time.monotonic() + SECONDS
        if first > 1:
            deciding.position = self._positions.read_at(facts, first - 1, back_to=max(1, first - KEPT))
        for commit in commits:
            wrong = deciding.verify(commit.seq, commit.at, commit.release, commit.body)
            if wrong is not None:
                raise NeedsRelease(facts.id, commit.seq, f"release {RELEASE} would decide it otherwise: {wrong}")
            if time.monotonic() > until:
                return
