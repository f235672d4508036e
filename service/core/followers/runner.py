"""Runs the followers of some partitions: reads the changes, calls each follower, and acknowledges what it has done."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from cachetools import LRUCache

from domain.kernel.record import PastNotKept, Position
from domain.kernel.terms import GameId, Seq
from service.core.followers.follower import CURSOR_EVERY, ChangedGame, Follower, Step
from service.core.positions.cache import Positions, replay
from service.core.positions.game_config import GameConfig
from service.ops.logging import logger
from service.store.chain import WentBack
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.redis.log.changes import LOST_AFTER, Change
from service.store.redis.store import Store

GROUP = "followers"
"""The consumer group of all followers that settle workers run: one for each would double the append-only file."""

AT_ONCE = 128
"""Changes of a partition that are read together."""

TRIM_EVERY = 5.0
"""Seconds between two deletions of changes that every follower has seen, while there are new ones."""

REMEMBERED = 128
"""Games whose last commits are kept in memory."""

REMEMBERED_STEPS = 2 * CURSOR_EVERY
"""Commits of a game that are kept in memory: more than followers are behind."""

log = logger("followers")


class Followers:
    """The followers of one process. Their work needs no lock: a partition that two processes follow comes to no harm."""

    def __init__(self, store: Store, positions: Positions, followers: Sequence[Follower]) -> None:
        self._store, self._positions, self._followers = store, positions, followers
        self._fields = list(dict.fromkeys(["seq", *(name for follower in followers for name in follower.fields)]))
        self.ready: set[int] = set()
        """Partitions of games to which followers have submitted commands; the caller empties it."""
        self._touched: set[int] = set()
        """Partitions whose streams were not trimmed since changes were read from them."""
        self._trimmed = time.monotonic()
        self._reported: LRUCache[tuple[str, GameId], bool] = LRUCache(REMEMBERED)
        """The failures that were logged: each is tried again every few seconds."""
        self._steps: LRUCache[GameId, list[Step]] = LRUCache(REMEMBERED)
        """The last commits of games."""
        self._fresh: set[GameId] = set()
        """The games of which these include all commits of this call."""

    def follow(self, partitions: Iterable[int], lost_after: int = LOST_AFTER) -> set[int]:
        """Do what has changed in these partitions; returns those in which more may be left. Raises `StoreDown`.

        Changes that were read and not acknowledged for ``lost_after`` milliseconds are done again.
        """
        where = sorted(set(partitions))
        unread = self._store.changes.read(GROUP, where, AT_ONCE, lost_after)
        games = self._look_at(unread.changes)
        failed: set[GameId] = set()
        for follower in self._followers:
            failed |= self._run(follower, list(games.values()))
        if unread.missed:
            self.rebuild(unread.missed)
        self._store.changes.acknowledge(GROUP, [each for each in unread.changes if each.game_id not in failed])
        self._forget_old_steps()
        self._touched.update(where)
        if time.monotonic() - self._trimmed > TRIM_EVERY:
            self.trim()
        counted = Counter(change.partition for change in unread.changes)
        return {partition for partition, count in counted.items() if count >= AT_ONCE}

    def trim(self) -> None:
        """Delete the changes that every follower has seen."""
        touched, self._touched = sorted(self._touched), set()
        self._store.changes.trim(touched)
        self._trimmed = time.monotonic()

    def rebuild(self, partitions: Collection[int] | None = None) -> int:
        """Look at every game of these partitions (None: all) as if it had just changed; returns how many."""
        count = 0
        every = (game_id for game_id in self._store.lobbies.every() if self._is_in(game_id, partitions))
        while games := list(islice(every, AT_ONCE)):
            looked_at = self._look_at([Change(0, b"", game_id, Seq(0), 0) for game_id in games])
            for follower in self._followers:
                self._run(follower, list(looked_at.values()))
            self._forget_old_steps()
            count += len(games)
        return count

    def _is_in(self, game_id: GameId, partitions: Collection[int] | None) -> bool:
        return partitions is None or self._store.keys.number(game_id) in partitions

    def _run(self, follower: Follower, games: Sequence[ChangedGame]) -> set[GameId]:
        """Call a follower; returns the games with which it failed."""
        if not games:
            return set()
        try:
            self.ready.update(self._store.keys.number(game_id) for game_id in follower.follow(games) or ())
        except StoreDown:
            raise
        except Exception:
            if len(games) > 1:
                return set().union(*(self._run(follower, [game]) for game in games))
            place = follower.name, games[0].game_id
            if place not in self._reported:
                self._reported[place] = True
                log.exception("follower_failed", follower=follower.name, game=games[0].game_id)
            return {games[0].game_id}
        return set()

    def _look_at(self, changes: Sequence[Change]) -> dict[GameId, ChangedGame]:
        """The games of these changes as they are now; without those that were deleted."""
        requests = {change.game_id: change.requests for change in changes}
        games = list(requests)
        asked = [("HMGET", self._store.keys.game(game_id).meta, *self._fields) for game_id in games]
        found = {}
        for game_id, reply in zip(games, self._store.wire.many(asked), strict=True):
            if isinstance(reply, list) and reply[0] is not None:
                fields = dict(zip(self._fields, reply, strict=True))
                found[game_id] = ChangedGame(game_id, fields, requests[game_id], self._load)
        return found

    def _load(self, game_id: GameId, seq: Seq) -> tuple[GameConfig, Sequence[Step]]:
        """See `ChangedGame.steps_after`. Several followers need the same commits: they are read once."""
        config = self._positions.get_config(game_id)
        if config is None:
            raise UnknownEvent(f"a game {game_id!r} that has not started")
        steps = self._steps.get(game_id)
        if steps is None or not steps or steps[0].before.seq > seq:
            steps = self._read(config, seq)
        elif game_id not in self._fresh:
            try:
                steps = [*steps, *self._replay(config, steps[-1].after)]
            except (WentBack, PastNotKept):
                steps = self._read(config, seq)
        self._fresh.add(game_id)
        self._steps[game_id] = steps
        return config, [step for step in steps if step.before.seq >= seq]

    def _read(self, config: GameConfig, seq: Seq) -> list[Step]:
        before = self._positions.read_at(config, seq) if seq else config.initial_position()
        try:
            return self._replay(config, before)
        except PastNotKept as far:  # one of the commits undoes more than the position knows
            return self._replay(config, self._positions.read_at(config, seq, back_to=far.seq))

    def _replay(self, config: GameConfig, before: Position) -> list[Step]:
        seq, steps = before.seq, list[Step]()
        commits = self._store.log.commits(config.id, seq + 1, onto=before.head if seq else "")
        for _, commit, after in replay(config.game, before, commits):
            steps.append(Step(before, commit, after))
            before = after
        return steps

    def _forget_old_steps(self) -> None:
        """End a call: the next one needs only the last commits of a game, unless a follower is far behind."""
        for game_id in self._fresh:
            if game_id in self._steps:
                self._steps[game_id] = self._steps[game_id][-REMEMBERED_STEPS:]
        self._fresh.clear()
