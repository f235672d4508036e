"""How a game stands after any of its commits: from the process's cache, else a snapshot, else the whole log."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cachetools import LRUCache

from domain.game import AnyGame
from domain.play.folding import Folding
from domain.play.record import FEW, KEPT, Commit, OutOfReach, Position
from domain.terms import GameId, Seq
from service.process.logs import logger
from service.projections.positions.facts import Facts, facts_of
from service.store.chain import WentBack, unreadable
from service.store.codec import BadDocument, UnknownEvent
from service.store.ports.commits import Stored
from service.store.reading.bodies import read_commit
from service.store.reading.snapshots import open_snapshot
from service.store.redis.store import Store

SNAPSHOT_EVERY = 32
"""Commits between two snapshots: as many as can be folded in the time that reading a snapshot takes a few times over."""

log = logger("positions")


@dataclass(frozen=True, slots=True)
class CachedPosition:
    """A game's newest position as a process remembers it, with what is still to be written of it."""

    position: Position
    unsaved: int
    """Commits since the newest snapshot that this release can read."""


class Positions:
    """Positions of started games, with a cache of the newest ones that forgets the least recently used.

    Safe to share between threads: an entry is a value, and losing one only costs reading it again.
    """

    def __init__(self, store: Store, capacity: int = 512) -> None:
        self._store = store
        self._guard = threading.Lock()
        """Held while a cache is looked at or changed, never while anything is read."""
        self._facts: LRUCache[GameId, Facts] = LRUCache(4 * capacity)
        self._newest: LRUCache[GameId, CachedPosition] = LRUCache(capacity)

    def facts(self, game_id: GameId) -> Facts | None:
        """What never changes of a started game; None for one that has not started.

        Raises `UnknownEvent` for rules that this release does not have.
        """
        with self._guard:
            facts = self._facts.get(game_id)
        if facts is None:
            facts = facts_of(self._store, game_id)
            if facts is not None:
                with self._guard:
                    self._facts[game_id] = facts
        return facts

    def loaded(self, game_id: GameId) -> tuple[Facts, CachedPosition, bool] | None:
        """What a settle job continues from: facts, the newest position this process has seen, and whether it was read just now.

        Facts are read anew with the position: the dice of a game that went back to its lobby and started again may be
        others. None for a game that has not started; raises as `up_to_date` does.
        """
        cached = self.cached(game_id)
        if cached is None:
            self.forget(game_id)
        facts = self.facts(game_id)
        if facts is None:
            return None
        if cached is not None:
            return facts, cached, False
        found = self.started(game_id)
        return None if found is None else (*found, True)

    def started(self, game_id: GameId) -> tuple[Facts, CachedPosition] | None:
        """A game and its newest position; None for one that has not started."""
        facts = self.facts(game_id)
        return None if facts is None else (facts, self.up_to_date(facts))

    def cached(self, game_id: GameId) -> CachedPosition | None:
        """The newest position that this process has seen; the log may have moved on."""
        with self._guard:
            return self._newest.get(game_id)

    def known(self, game_id: GameId) -> tuple[Facts | None, CachedPosition | None]:
        """What this process remembers of a game; nothing is read."""
        with self._guard:
            return self._facts.get(game_id), self._newest.get(game_id)

    def keep(self, game_id: GameId, cached: CachedPosition) -> None:
        """Remember the newest position."""
        if cached.position.past.keeps > FEW and cached.position.bars is not None:
            few = replace(cached.position, past=cached.position.past.newest(FEW))
            cached = replace(cached, position=few)
        with self._guard:
            self._newest[game_id] = cached

    def forget(self, game_id: GameId) -> None:
        """Remember nothing of a game whose log does not stand where it was read."""
        with self._guard:
            self._newest.pop(game_id, None)
            self._facts.pop(game_id, None)

    def newest(self, facts: Facts) -> Position:
        """How the game stands now; before its first commit the empty position."""
        return self.up_to_date(facts).position

    def up_to_date(self, facts: Facts) -> CachedPosition:
        """The newest position, read up to the end of the log.

        Raises `UnknownEvent` for a log that a newer release has written to, and `BrokenLog` for one that cannot be read.
        """
        known = self.cached(facts.id)
        position = None if known is None else self._read_on(facts, known.position, None)
        if known is None or position is None:
            self.forget(facts.id)
            start, position = self._read_anew(facts, None)
            known = CachedPosition(start, 0)
        read = position.seq - known.position.seq
        cached = CachedPosition(position, known.unsaved + read)
        self.keep(facts.id, cached)
        return cached

    def reaching(self, facts: Facts, cached: CachedPosition, seq: Seq) -> CachedPosition:
        """The same position, of whose past so much is known that what follows ``seq`` can be taken back; raises as `up_to_date`."""
        position = cached.position
        earlier = self._read_anew(facts, position.past.since, back_to=seq)[1]
        return replace(cached, position=replace(position, past=position.past.behind(earlier.past)))

    def at(self, facts: Facts, seq: int, back_to: int | None = None) -> Position:
        """How the game stood after a commit; raises `LookupError` for one that is not there yet, else as `up_to_date`.

        With ``back_to`` its past is known from that commit on, whatever this process remembers of the game.
        """
        known = self.cached(facts.id) if back_to is None else None
        position = None
        if known is not None and known.position.seq <= seq < known.position.seq + SNAPSHOT_EVERY:
            position = self._read_on(facts, known.position, seq)
        if position is None:
            _, position = self._read_anew(facts, seq, back_to)
        if position.seq != seq:
            raise LookupError(seq)
        return position

    def _read_on(self, facts: Facts, start: Position, last: int | None) -> Position | None:
        """The same as `_fold_on`; None also where commits are taken back to before what is known there."""
        try:
            return self._fold_on(facts, start, last)
        except OutOfReach:
            return None

    def _fold_on(self, facts: Facts, start: Position, last: int | None) -> Position | None:
        """The position after the commits that follow; None where the log does not go on from there. Raises `OutOfReach`."""
        commits = self._store.log.commits(facts.id, start.seq + 1, last, onto=start.head)
        try:
            return folded(facts.rules, start, commits)
        except WentBack:
            return None

    def _read_anew(self, facts: Facts, at_most: int | None, back_to: int | None = None) -> tuple[Position, Position]:
        """Where reading began, and what it came to: from the newest snapshot that fits the log, else from nothing.

        With ``back_to`` it begins there at the latest, and where commits are taken back, before them; then all of the past is
        kept that can be taken back.
        """
        found = self._store.log.snapshot(facts.id, at_most if back_to is None else back_to)
        deep = back_to is not None
        while found is not None:
            seq, document = found
            start = open_snapshot(facts.rules, facts.seed, seq, document)
            if start is not None and deep:
                start = replace(start, past=replace(start.past, keeps=KEPT))
            try:
                position = None if start is None else self._fold_on(facts, start, at_most)
            except OutOfReach as far:
                found, deep = self._store.log.snapshot(facts.id, far.seq), True
                continue
            if start is not None and position is not None:
                return start, position
            log.warning("snapshot thrown away", game=facts.id, seq=seq)
            self._store.log.drop_snapshot(facts.id, seq)
            found = self._store.log.snapshot(facts.id, seq - 1)
        start = facts.beginning()
        return start, folded(facts.rules, start, self._store.log.commits(facts.id, 1, at_most))


def folded(game: AnyGame, position: Position, stored: Iterable[Stored]) -> Position:
    """The position after commits that stand in the log, with the newest head; raises as `walked` does."""
    folding, head = Folding(game, position), position.head
    for each in stored:
        _take(game, folding, each)
        head = each.head
    return folding.position(head)


def walked(game: AnyGame, position: Position, stored: Iterable[Stored]) -> Iterator[tuple[Stored, Commit, Position]]:
    """Each commit that stands in the log, as it stands there and decoded, and the position after it with its head.

    Raises `UnknownEvent` for what only a newer release can read, and `BrokenLog` for what cannot be folded.
    """
    folding = Folding(game, position)
    for each in stored:
        commit = _take(game, folding, each)
        yield each, commit, folding.position(each.head)


def _take(game: AnyGame, folding: Folding, stored: Stored) -> Commit:
    try:
        if stored.seq != folding.seq + 1:
            raise BadDocument(f"it does not follow commit {folding.seq}")
        commit = read_commit(game, stored.seq, stored.at, stored.release, stored.body)
        folding.take(commit)
    except (UnknownEvent, OutOfReach):
        raise
    except Exception as error:  # no event that any release wrote may make more of a game fall than itself
        raise unreadable(stored.seq, stored.release, error) from error
    return commit
