"""How a game stands after any of its commits: from the process's cache, else a snapshot, else the whole log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from domain.game import AnyGame
from domain.play import Position, fold
from service.projections.facts import Facts, facts_of
from service.store.codec import decode_commit, unpack_position
from service.store.ports import Store, Stored

SNAPSHOT_EVERY = 32
"""Commits between two snapshots: as many as can be folded in the time that reading a snapshot takes a few times over."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A position and how far it is from being kept."""

    position: Position
    unsaved: int
    """Commits since the newest snapshot that this release can read."""
    fresh: bool
    """Whether this process has written all rows of the game since it read it."""


class Positions:
    """Positions of started games, with a cache of the newest ones that forgets the least recently used.

    Safe to share between threads: an entry is a value, and losing one only costs reading it again.
    """

    def __init__(self, store: Store, capacity: int = 512) -> None:
        self._store = store
        self._capacity = capacity
        self._facts: dict[str, Facts] = {}
        self._standing: dict[str, Standing] = {}

    def facts(self, game: str) -> Facts | None:
        """What never changes of a started game; raises `UnknownEvent` for rules that this release does not have."""
        facts = self._facts.pop(game, None) or facts_of(self._store, game)
        if facts is not None:
            _keep(self._facts, game, facts, 4 * self._capacity)
        return facts

    def cached(self, game: str) -> Standing | None:
        """The newest position that this process has seen; the log may have moved on."""
        standing = self._standing.pop(game, None)
        if standing is not None:
            self._standing[game] = standing
        return standing

    def keep(self, game: str, standing: Standing) -> None:
        """Remember the newest position."""
        _keep(self._standing, game, standing, self._capacity)

    def forget(self, game: str) -> None:
        """The log is not where we thought it was."""
        self._standing.pop(game, None)

    def newest(self, facts: Facts) -> Position:
        """How the game stands now; before its first commit the empty position."""
        return self.standing(facts).position

    def standing(self, facts: Facts) -> Standing:
        """The newest position, read up to the end of the log.

        Raises `UnknownEvent` for a log that a newer release has written to.
        """
        known = self.cached(facts.id) or self._saved(facts, None)
        position = folded(facts.rules, known.position, self._store.log.commits(facts.id, known.position.seq + 1))
        read = position.seq - known.position.seq
        # What others appended they may have written with another release's eyes: all rows are due again.
        standing = Standing(position, known.unsaved + read, known.fresh and not read)
        self.keep(facts.id, standing)
        return standing

    def at(self, facts: Facts, seq: int) -> Position:
        """How the game stood after a commit; raises `LookupError` for one that is not there yet."""
        known = self.cached(facts.id)
        if known is not None and known.position.seq == seq:
            return known.position
        start = self._saved(facts, seq).position
        if known is not None and start.seq < known.position.seq <= seq:
            start = known.position
        position = folded(facts.rules, start, self._store.log.commits(facts.id, start.seq + 1, seq))
        if position.seq != seq:
            raise LookupError(seq)
        return position

    def _saved(self, facts: Facts, at_most: int | None) -> Standing:
        found = self._store.log.snapshot(facts.id, at_most)
        return Standing(facts.beginning() if found is None else unpack_position(facts.rules, found[1]), 0, fresh=False)


def _keep(cache: dict[str, Any], game: str, value: Any, capacity: int) -> None:
    cache.pop(game, None)
    cache[game] = value
    if len(cache) > capacity:
        for oldest in list(cache)[: len(cache) - capacity]:
            cache.pop(oldest, None)


def folded(game: AnyGame, position: Position, stored: Iterable[Stored]) -> Position:
    """The position after commits that stand in the log, with the newest head."""
    head = position.head
    for each, _, after in walked(game, position, stored):
        position, head = after, each.head
    return replace(position, head=head)


def walked(
    game: AnyGame, position: Position, stored: Iterable[Stored]
) -> Iterator[tuple[Stored, Mapping[str, Any], Position]]:
    """Each commit that stands in the log with its body and the position after it (whose head is that of the first)."""
    for each in stored:
        body = orjson.loads(each.body)
        position = fold(game, position, decode_commit(game, each.seq, each.at, each.release, body))
        yield each, body, position
