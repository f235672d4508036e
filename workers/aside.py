"""Games that settle workers must leave alone: what cannot be read, and what this release would decide otherwise than it was."""

from __future__ import annotations

import time

from domain import RELEASE
from domain.play.record import KEPT, Position
from domain.terms import GameId
from service.audit.deciding import Deciding
from service.process.logs import logger
from service.projections.positions.cache import Positions
from service.projections.positions.facts import Facts
from service.store.chain import NeedsRelease
from service.store.codec import UnknownEvent
from service.store.ports.waiting import Mark, Work
from service.store.redis.store import Store

FIRST, LONGEST = 10_000, 300_000
"""Milliseconds until a game that was set aside is looked at again: twice as long each time, up to the longest."""

LAST = 64
"""Commits of another release that are decided again before a game goes on under this one."""

SECONDS = 0.5
"""How long that may take for one game."""

log = logger("aside")


class Aside:
    """Sets games aside and takes them back; what is wrong with one is no other's business."""

    def __init__(self, store: Store, positions: Positions) -> None:
        self._store, self._positions = store, positions
        self._times: dict[str, int] = {}

    def put(self, game_id: GameId, error: Exception) -> None:
        """Mark the game, say so once, and leave it for a while; its commands wait."""
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
        """Whether the game is marked for this release; marks that only another one must heed are left to it."""
        return work.mark is not None and work.mark.holds(RELEASE)

    def take_back(self, game_id: GameId) -> None:
        """Something was appended, or nothing waits and all of it can be read: take its mark away."""
        self._times.pop(game_id, None)
        self._store.schedule.mark(game_id, None)

    def check(self, facts: Facts, position: Position) -> None:
        """The game was just read: raises `NeedsRelease` if this release would decide it otherwise."""
        seq = position.seq
        newest = next(self._store.log.commits(facts.id, seq, seq), None) if seq else None
        if newest is None or newest.release == RELEASE:
            return
        first = max(1, seq - LAST + 1)
        commits = self._store.log.commits(facts.id, first, seq)
        deciding, until = Deciding(facts.rules, facts.chance), time.monotonic() + SECONDS
        if first > 1:
            deciding.position = self._positions.at(facts, first - 1, back_to=max(1, first - KEPT))
        for commit in commits:
            wrong = deciding.take(commit.seq, commit.at, commit.release, commit.body)
            if wrong is not None:
                raise NeedsRelease(facts.id, commit.seq, f"release {RELEASE} would decide it otherwise: {wrong}")
            if time.monotonic() > until:
                return
