"""Runs the followers: with the changes that its process has appended, and with those read from some partitions.

Changes of its own need not be read first. They are read together every two seconds, only to acknowledge them: until
then another process would do them again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from cachetools import LRUCache

from domain.kernel.record import PastNotKept, Position
from domain.kernel.terms import GameId, Seq
from service.core.followers.follower import CURSOR_EVERY, ChangedGame, CommitStep, Follower
from service.core.positions.cache import Positions, replay
from service.core.positions.game_config import GameConfig
from service.ops.logging import logger
from service.store.chain import WentBack
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.redis.log.changes import LOST_AFTER, Appended, Change
from service.store.redis.store import Store

GROUP = "followers"
"""The consumer group of all followers that settle workers run: one for each would double the append-only file."""

AT_ONCE = 128
"""Changes of a partition that are read together."""

READ_EVERY = 2.0
"""Seconds between two reads of changes that this process has appended and done already, to acknowledge them."""

TRIM_EVERY = 5.0
"""Seconds between two deletions of changes that every follower has seen, while there are new ones."""

REMEMBERED = 128
"""Games whose last commits are kept in memory."""

REMEMBERED_STEPS = CURSOR_EVERY + 8
"""Commits of a game that are kept in memory: more than followers are behind."""

log = logger("followers")


class Followers:
    """The followers of one process. Their work needs no lock: a partition that two processes follow comes to no harm."""

    def __init__(self, store: Store, positions: Positions, followers: Sequence[Follower]) -> None:
        self._store, self._positions, self._followers = store, positions, followers
        names = (name for follower in followers for name in follower.fields)
        self.fields = list(dict.fromkeys(["seq", "head", *names]))
        """The fields of a game's meta hash that the followers need."""
        self.ready: set[int] = set()
        """Partitions of games to which followers have submitted commands; the caller empties it."""
        self._touched: set[int] = set()
        """Partitions whose streams were not trimmed since changes were read from them."""
        self._trimmed = self._own_read = time.monotonic()
        self._reported: LRUCache[tuple[str, GameId], bool] = LRUCache(REMEMBERED)
        """The failures that were logged: each is tried again every few seconds."""
        self._steps: LRUCache[GameId, list[CommitStep]] = LRUCache(REMEMBERED)
        """The last commits of games."""
        self._noted: dict[int, list[Appended]] = {}
        """By partition: changes that this process has appended and its followers have not seen."""
        self._last: dict[int, int] = {}
        """By partition: the number of the last change that the followers of this process have seen."""
        self._done: dict[int, set[bytes]] = {}
        """By partition: the entries of changes that are done, but not read yet."""

    def note(self, appended: Appended, steps: Sequence[CommitStep]) -> None:
        """A change that this process has appended, for the next call of `follow`; ``steps`` include its commits."""
        change = appended.change
        self._noted.setdefault(change.partition, []).append(appended)
        new = [step for step in steps if change.seq - change.count < step.commit.seq <= change.seq]
        known = self._steps.get(change.game_id)
        is_next = known and known[-1].after.head == new[0].before.head
        self._steps[change.game_id] = [*(known or ()), *new] if is_next else new

    def follow(self, partitions: Iterable[int], lost_after: int = LOST_AFTER) -> set[int]:
        """Do what has changed: what was noted, and everything in these partitions. Raises `StoreDown`.

        Returns partitions in which more may be left. Changes that were read and not acknowledged for ``lost_after``
        milliseconds are done again.
        """
        where, own = set(partitions), list[Appended]()
        for partition, noted in self._noted.items():
            if self._are_next(noted):
                own += noted
                where.discard(partition)  # it is read soon, see below
            else:
                where.add(partition)  # other processes have appended changes too
        failed = self._run_all([each.change for each in own], {each.change.game_id: each.fields for each in own})
        for change in (each.change for each in own):
            done = self._done.setdefault(change.partition, set())
            if change.game_id not in failed:
                done.add(change.entry)
            self._last[change.partition] = change.number
        self._noted.clear()
        if time.monotonic() - self._own_read > READ_EVERY:
            where |= self._done.keys()
            self._own_read = time.monotonic()
        return self._read(sorted(where), lost_after) if where else set()

    def close(self) -> None:
        """Acknowledge what is done, and delete the changes that every follower has seen."""
        left = set(self._done)
        while left:
            left = self.follow(left)
        self._trim()

    def rebuild(self, partitions: Collection[int] | None = None) -> int:
        """Look at every game of these partitions (None: all) as if it had just changed; returns how many."""
        count = 0
        every = (game_id for game_id in self._store.lobbies.every() if self._is_in(game_id, partitions))
        while games := list(islice(every, AT_ONCE)):
            self._run_all([Change(0, b"", game_id, Seq(0), 0) for game_id in games], self._fields_of(games))
            count += len(games)
        return count

    def _are_next(self, noted: Sequence[Appended]) -> bool:
        first = self._last.get(noted[0].change.partition, -1) + 1
        return [each.change.number for each in noted] == list(range(first, first + len(noted)))

    def _read(self, partitions: Sequence[int], lost_after: int) -> set[int]:
        unread = self._store.changes.read(GROUP, partitions, AT_ONCE, lost_after)
        new = [each for each in unread.changes if each.entry not in self._done.get(each.partition, ())]
        failed = self._run_all(new, self._fields_of({change.game_id for change in new}))
        if unread.missed:
            self.rebuild(unread.missed)
        acknowledged = [each for each in unread.changes if each not in new or each.game_id not in failed]
        self._store.changes.acknowledge(GROUP, acknowledged)
        for change in unread.changes:
            self._last[change.partition] = change.number
        counted = Counter(change.partition for change in unread.changes)
        full = {partition for partition, count in counted.items() if count >= AT_ONCE}
        for partition in set(partitions) - full:
            self._done.pop(partition, None)
        self._touched.update(partitions)
        if time.monotonic() - self._trimmed > TRIM_EVERY:
            self._trim()
        return full

    def _trim(self) -> None:
        touched, self._touched = sorted(self._touched), set()
        self._store.changes.trim(touched)
        self._trimmed = time.monotonic()

    def _is_in(self, game_id: GameId, partitions: Collection[int] | None) -> bool:
        return partitions is None or self._store.keys.number(game_id) in partitions

    def _run_all(self, changes: Sequence[Change], fields: Mapping[GameId, Mapping[str, bytes | None]]) -> set[GameId]:
        """Call every follower with the games of these changes that still exist; returns those with which one failed."""
        requests: dict[GameId, str] = {}
        for change in changes:
            requests[change.game_id] = change.requests + requests.get(change.game_id, "")
        games = [
            ChangedGame(each, fields[each], lines, self._load) for each, lines in requests.items() if each in fields
        ]
        failed: set[GameId] = set()
        for follower in self._followers:
            failed |= self._run(follower, games)
        for game_id in requests:
            # The next call needs only the last commits of a game, unless a follower is far behind.
            if len(steps := self._steps.get(game_id, ())) > REMEMBERED_STEPS:
                self._steps[game_id] = list(steps[-REMEMBERED_STEPS:])
        return failed

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

    def _fields_of(self, games: Collection[GameId]) -> dict[GameId, Mapping[str, bytes | None]]:
        """What the followers read of these games; without those that were deleted."""
        asked = [("HMGET", self._store.keys.game(game_id).meta, *self.fields) for game_id in games]
        return {
            game_id: dict(zip(self.fields, reply, strict=True))
            for game_id, reply in zip(games, self._store.wire.many(asked), strict=True)
            if isinstance(reply, list) and reply[0] is not None
        }

    def _load(self, game: ChangedGame, seq: Seq) -> tuple[GameConfig, Sequence[CommitStep]]:
        """See `ChangedGame.steps_after`. Several followers need the same commits: they are read at most once."""
        config = self._positions.get_config(game.game_id)
        if config is None:
            raise UnknownEvent(f"a game {game.game_id!r} that has not started")
        steps = self._steps.get(game.game_id)
        if not steps or steps[0].before.seq > seq:
            steps = self._steps_from(config, seq)
        elif not any(step.after.head == game.head for step in reversed(steps)):
            try:
                steps = [*steps, *self._replay(config, steps[-1].after)]
            except (WentBack, PastNotKept):
                steps = self._steps_from(config, seq)
        self._steps[game.game_id] = steps
        return config, [step for step in steps if step.before.seq >= seq]

    def _steps_from(self, config: GameConfig, seq: Seq) -> list[CommitStep]:
        before = self._positions.read_at(config, seq) if seq else config.initial_position()
        try:
            return self._replay(config, before)
        except PastNotKept as far:  # one of the commits undoes more than the position knows
            return self._replay(config, self._positions.read_at(config, seq, back_to=far.seq))

    def _replay(self, config: GameConfig, before: Position) -> list[CommitStep]:
        seq, steps = before.seq, list[CommitStep]()
        commits = self._store.log.commits(config.id, seq + 1, onto=before.head if seq else "")
        for _, commit, after in replay(config.game, before, commits):
            steps.append(CommitStep(before, commit, after))
            before = after
        return steps
