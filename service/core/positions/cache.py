"""The position of a game after any commit, from the process's cache, a snapshot or the complete log."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cachetools import LRUCache

from domain.kernel.game import AnyGame
from domain.kernel.record import FEW, KEPT, Commit, PastNotKept, Position
from domain.kernel.terms import GameId, Seq
from domain.table.folding import Folding
from service.core.positions.game_config import GameConfig, load_game_config
from service.ops.logging import logger
from service.store.chain import WentBack, unreadable
from service.store.codec import BadDocument, UnknownEvent
from service.store.ports.commits import Stored
from service.store.reading.bodies import read_commit
from service.store.reading.snapshots import open_snapshot
from service.store.redis.store import Store

SNAPSHOT_EVERY = 32
"""Commits between two snapshots. Folding that many takes a few times as long as reading a snapshot."""

log = logger("positions")


@dataclass(frozen=True, slots=True)
class CachedPosition:
    """A game's newest position in the process's cache, and what is unsaved."""

    position: Position
    unsaved: int
    """Commits since the newest snapshot that this release can read."""


class Positions:
    """Positions of started games, with an LRU cache of the newest ones.

    Thread-safe: entries are values, and a lost entry is read again.
    """

    def __init__(self, store: Store, capacity: int = 512) -> None:
        self._store = store
        self._guard = threading.Lock()
        """Held while a cache is read or changed, never during store access."""
        self._configs: LRUCache[GameId, GameConfig] = LRUCache(4 * capacity)
        self._newest: LRUCache[GameId, CachedPosition] = LRUCache(capacity)

    def get_config(self, game_id: GameId) -> GameConfig | None:
        """The constants of a started game; None if it has not started.

        Raises `UnknownEvent` for rules that this release does not have.
        """
        with self._guard:
            config = self._configs.get(game_id)
        if config is None:
            config = load_game_config(self._store, game_id)
            if config is not None:
                with self._guard:
                    self._configs[game_id] = config
        return config

    def load(self, game_id: GameId) -> tuple[GameConfig, CachedPosition, bool] | None:
        """The input of a settle job: configuration, the newest cached position, and whether it was just read from the store.

        The configuration is read again with the position: a game that returned to its lobby and started again may have other dice.
        None if the game has not started. Raises as `up_to_date` does.
        """
        cached = self.get_cached(game_id)
        if cached is None:
            self.forget(game_id)
        config = self.get_config(game_id)
        if config is None:
            return None
        if cached is not None:
            return config, cached, False
        found = self.load_started(game_id)
        return None if found is None else (*found, True)

    def load_started(self, game_id: GameId) -> tuple[GameConfig, CachedPosition] | None:
        """A game and its newest position; None if it has not started."""
        config = self.get_config(game_id)
        return None if config is None else (config, self.refresh(config))

    def get_cached(self, game_id: GameId) -> CachedPosition | None:
        """The newest cached position. The log may be ahead of it."""
        with self._guard:
            return self._newest.get(game_id)

    def peek(self, game_id: GameId) -> tuple[GameConfig | None, CachedPosition | None]:
        """The cached configuration and position of a game, without reading the store."""
        with self._guard:
            return self._configs.get(game_id), self._newest.get(game_id)

    def store_cached(self, game_id: GameId, cached: CachedPosition) -> None:
        """Cache the newest position."""
        if cached.position.past.keeps > FEW and cached.position.bars is not None:
            few = replace(cached.position, past=cached.position.past.newest(FEW))
            cached = replace(cached, position=few)
        with self._guard:
            self._newest[game_id] = cached

    def forget(self, game_id: GameId) -> None:
        """Drop a game from the cache, for when its log does not match."""
        with self._guard:
            self._newest.pop(game_id, None)
            self._configs.pop(game_id, None)

    def read_newest(self, config: GameConfig) -> Position:
        """The current position; the empty position before the first commit."""
        return self.refresh(config).position

    def refresh(self, config: GameConfig) -> CachedPosition:
        """The newest position, read up to the end of the log.

        Raises `UnknownEvent` if a newer release wrote to the log, and `BrokenLog` if the log cannot be read.
        """
        known = self.get_cached(config.id)
        position = None if known is None else self._read_on(config, known.position, None)
        if known is None or position is None:
            self.forget(config.id)
            start, position = self._read_from_snapshot(config, None)
            known = CachedPosition(start, 0)
        read = position.seq - known.position.seq
        cached = CachedPosition(position, known.unsaved + read)
        self.store_cached(config.id, cached)
        return cached

    def extend_past(self, config: GameConfig, cached: CachedPosition, seq: Seq) -> CachedPosition:
        """The same position with enough of its past to undo everything after ``seq``. Raises as `up_to_date` does."""
        position = cached.position
        earlier = self._read_from_snapshot(config, position.past.since, back_to=seq)[1]
        return replace(cached, position=replace(position, past=position.past.behind(earlier.past)))

    def read_at(self, config: GameConfig, seq: int, back_to: int | None = None) -> Position:
        """The position after a commit. Raises `LookupError` if there is no such commit yet, and otherwise as `up_to_date` does.

        With ``back_to`` its past is known from that commit on, regardless of the cache.
        """
        known = self.get_cached(config.id) if back_to is None else None
        position = None
        if known is not None and known.position.seq <= seq < known.position.seq + SNAPSHOT_EVERY:
            position = self._read_on(config, known.position, seq)
        if position is None:
            _, position = self._read_from_snapshot(config, seq, back_to)
        if position.seq != seq:
            raise LookupError(seq)
        return position

    def _read_on(self, config: GameConfig, start: Position, last: int | None) -> Position | None:
        """As `_fold_on`, but also None if the commits undo more than the known past."""
        try:
            return self._fold_on(config, start, last)
        except PastNotKept:
            return None

    def _fold_on(self, config: GameConfig, start: Position, last: int | None) -> Position | None:
        """The position after the following commits; None if the log does not continue from ``start``. Raises `PastNotKept`."""
        commits = self._store.log.commits(config.id, start.seq + 1, last, onto=start.head)
        try:
            return fold(config.game, start, commits)
        except WentBack:
            return None

    def _read_from_snapshot(
        self, config: GameConfig, at_most: int | None, back_to: int | None = None
    ) -> tuple[Position, Position]:
        """The position where reading began, and the result. Reading begins at the newest matching snapshot, or at the beginning.

        With ``back_to`` it begins at that commit or earlier, also before commits that an undo reaches. Then all of the
        past
        that can be undone is kept.
        """
        found = self._store.log.snapshot(config.id, at_most if back_to is None else back_to)
        deep = back_to is not None
        while found is not None:
            seq, document = found
            start = open_snapshot(config.game, config.seed, seq, document)
            if start is not None and deep:
                start = replace(start, past=replace(start.past, keeps=KEPT))
            try:
                position = None if start is None else self._fold_on(config, start, at_most)
            except PastNotKept as far:
                found, deep = self._store.log.snapshot(config.id, far.seq), True
                continue
            if start is not None and position is not None:
                return start, position
            log.warning("snapshot_dropped", game=config.id, seq=seq)
            self._store.log.drop_snapshot(config.id, seq)
            found = self._store.log.snapshot(config.id, seq - 1)
        start = config.initial_position()
        return start, fold(config.game, start, self._store.log.commits(config.id, 1, at_most))


def fold(game: AnyGame, position: Position, stored: Iterable[Stored]) -> Position:
    """The position after stored commits, with the newest head. Raises as `replay` does."""
    folding, head = Folding(game, position), position.head
    for each in stored:
        _apply(game, folding, each)
        head = each.head
    return folding.position(head)


def replay(game: AnyGame, position: Position, stored: Iterable[Stored]) -> Iterator[tuple[Stored, Commit, Position]]:
    """Each stored commit, raw and decoded, with the position after it and its head.

    Raises `UnknownEvent` if only a newer release can read a commit, and `BrokenLog` if one cannot be folded.
    """
    folding = Folding(game, position)
    for each in stored:
        commit = _apply(game, folding, each)
        yield each, commit, folding.position(each.head)


def _apply(game: AnyGame, folding: Folding, stored: Stored) -> Commit:
    try:
        if stored.seq != folding.seq + 1:
            raise BadDocument(f"it does not follow commit {folding.seq}")
        commit = read_commit(game, stored.seq, stored.at, stored.release, stored.body)
        folding.take(commit)
    except (UnknownEvent, PastNotKept):
        raise
    except Exception as error:  # a bad event, from any release, must not break more than its own game
        raise unreadable(stored.seq, stored.release, error) from error
    return commit
