"""Checks of the transparency log for the doctor: tiles, checkpoint, games, and the witnesses' checkpoints."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId
from service.ops.doctor.games import Finding
from service.store.chain import BrokenLog, unpacked
from service.store.redis.side_data.transparency_log import FOLLOWER, SIGN
from service.store.redis.store import Store
from service.store.transparency.leaves import PACKED, Leaf, name_of
from service.store.transparency.leaves import unpacked as leaves_in
from service.store.transparency.notes import (
    COSIGNER,
    BadNote,
    Key,
    checkpoint_in,
    is_signed,
    key_in,
    note_in,
    times_signed,
)
from service.store.transparency.tiles import HASH, HEIGHT, WIDTH, TiledTree, width_at
from service.store.transparency.tree import folded, root
from service.store.upkeep.repair import games_of

SAMPLE = 64
"""Number of entry bundles in a sample."""
TOLD = 5
"""Number of findings of one sort that are listed individually."""
UNREADABLE = (LookupError, ValueError, TypeError, OverflowError, ResponseError)
"""Errors of reading an invalid log: a part is missing, too short, or of the wrong type."""
LATE = 5
"""Number of intervals, plus one minute, after which a log without an update is late."""

WAY_OUT = (
    "notify the witnesses of the log, and find out who wrote to the store: docs/runbook.md#the-log-of-heads-is-wrong"
)

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A witness's checkpoint and key."""

    key: Key
    path: Path

    @classmethod
    def of(cls, key: str, path: Path) -> Witnessed:
        """Raises `BadNote` if it is not the key of a witness."""
        read = key_in(key)
        if read.kind != COSIGNER:
            raise BadNote("this is the key of a log, not of a witness")
        return cls(read, path)


@dataclass(slots=True)
class LogCheck:
    """One check of a store's transparency log."""

    store: Store
    quick: bool = False
    progress: Callable[[int], Progress] = lambda _: lambda _: None
    """Receives the number of bundles to check. The returned function receives the number of checked ones."""
    size: int = 0
    looked: int = 0
    """Number of heads compared with the logs of their games."""
    _many: dict[str, int] = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """The findings in the log itself, and between the log and the games."""
        try:
            self.size, written = self.store.ledger.checkpoint()
            if not self.size and not written:
                return
            yield from self._checkpoint(written)
            yield from self._tiles()
            yield from self._entries()
        except UNREADABLE as error:
            yield Finding(f"the transparency log cannot be read ({type(error).__name__}: {error}): {WAY_OUT}")
        for sort, count in self._many.items():
            if count > TOLD:
                yield Finding(f"{sort}: {count} in total")

    def still(self, seconds: int, *, serving: bool) -> Iterator[Finding]:
        """A finding if the log is not updated in time."""
        waiting, sign = len(self.store.changes.unseen(FOLLOWER)), self.store.schedule.last_beat(SIGN)
        if not (seconds and serving and waiting) or sign is None:
            return
        late = (self.store.schedule.now() - sign) / 1000
        if late > LATE * seconds + 60:
            yield Finding(
                f"the transparency log was last updated {late:.0f} seconds ago although workers run and the interval is"
                f" {seconds} seconds; {waiting} games have changed since"
            )

    def witnessed(self, kept: Witnessed) -> Iterator[str | Finding]:
        """A sentence about a witness's checkpoint, or a finding if it does not match."""
        try:
            yield self._witnessed(kept)
        except (OSError, *UNREADABLE) as error:
            yield Finding(f"{kept.path} cannot be compared with the transparency log ({type(error).__name__}: {error})")

    def _witnessed(self, kept: Witnessed) -> str | Finding:
        note = note_in(kept.path.read_bytes())
        seen, name = checkpoint_in(note), checkpoint_in(note_in(self.store.ledger.checkpoint()[1])).origin
        times = times_signed(note, kept.key)
        if times is None:
            return Finding(f"{kept.path} is not cosigned by {kept.key.name}")
        if seen.origin != name:
            return Finding(f"{kept.path} is from the log {seen.origin}, but this log is {name}")
        if not any(is_signed(note, key) for key in self._keys(name)):
            return Finding(f"{kept.path} is not signed by a key of this service")
        if seen.size > self.size or root(seen.size, self._tree.node) != seen.root:
            shorter = (
                f"it has {self.size} heads here" if seen.size > self.size else "its first heads are different here"
            )
            return Finding(
                f"the transparency log does not extend the one that {kept.key.name} cosigned ({seen.size} heads; {shorter}): it was"
                f" rewritten, or the store was rolled back. Possible actions: {WAY_OUT}"
            )
        when = datetime.fromtimestamp(max(times), UTC).isoformat().replace("+00:00", "Z")
        return f"{kept.key.name} cosigned the transparency log at {when}: {seen.size} of {self.size} heads."

    # -- the log itself ---------------------------------------------------------------------------------------------

    @property
    def _tree(self) -> TiledTree:
        return TiledTree(self.size, self.store.ledger.read_tile)

    def _keys(self, name: str) -> Sequence[Key]:
        return [Key(name, bytes.fromhex(public)) for public in self.store.log.keys().values()]

    def _checkpoint(self, written: bytes) -> Iterator[Finding]:
        """Check that the checkpoint belongs to this log: name, size, signature, and the root of its tiles."""
        try:
            note = note_in(written)
            stands = checkpoint_in(note)
        except BadNote as error:
            yield Finding(
                f"the checkpoint of the transparency log cannot be read: {error}. Possible actions: {WAY_OUT}"
            )
            return
        if not any(is_signed(note, key) for key in self._keys(stands.origin)):
            yield Finding(f"the checkpoint of the transparency log is not signed by a key of this service: {WAY_OUT}")
        if stands.size != self.size:
            yield Finding(
                f"the checkpoint of the transparency log is for {stands.size} heads, but the log has {self.size}: {WAY_OUT}"
            )
        elif root(self.size, self._tree.node) != stands.root:
            yield Finding(f"the root of the tiles of the transparency log differs from its checkpoint: {WAY_OUT}")

    def _tiles(self) -> Iterator[Finding]:
        """Check that each tile above the entries is complete and matches the tile above it."""
        level = 1
        while self.size >> (HEIGHT * level):
            for place in range(_tiles_at(self.size, level)):
                tile = self.store.ledger.tile(level, place)
                if len(tile) > HASH * width_at(self.size, level, place):
                    tile = self._as_it_was(level, place, tile)
                yield from self._tile(level, place, [tile[at : at + HASH] for at in range(0, len(tile), HASH)])
            level += 1

    def _as_it_was(self, level: int, place: int, tile: bytes) -> bytes:
        """The part of a tile that belongs to the checkpoint; all of it if the log has not grown that much since."""
        now, _ = self.store.ledger.checkpoint()
        grown = len(tile) <= HASH * width_at(now, level, place)
        return tile[: HASH * width_at(self.size, level, place)] if grown else tile

    def _tile(self, level: int, place: int, hashes: Sequence[bytes]) -> Iterator[Finding]:
        width, where = width_at(self.size, level, place), f"tile {place} of level {level} of the transparency log"
        if len(hashes) != width or any(len(each) != HASH for each in hashes):
            yield from self._one(
                "incomplete tiles of the transparency log", f"{where} has {len(hashes)} hashes instead of {width}"
            )
        elif width == WIDTH and folded(hashes) != self._above(level + 1, place):
            yield from self._one(
                "tiles of the transparency log that do not match the tile above",
                f"{where} does not match the tile above it",
            )

    def _above(self, level: int, place: int) -> bytes:
        at = place % WIDTH * HASH
        return self.store.ledger.tile(level, place // WIDTH)[at : at + HASH]

    # -- the log and the games --------------------------------------------------------------------------------------

    def _entries(self) -> Iterator[Finding]:
        """Check that the entries match the tiles and the games' heads; all entries, or a sample."""
        count = _tiles_at(self.size, 0)
        places = sorted(random.sample(range(count), SAMPLE)) if self.quick and count > SAMPLE else range(count)
        games = {name_of(game_id): game_id for game_id in games_of(self.store)}
        last: dict[str, int] = {}
        told = self.progress(len(places))
        for number, place in enumerate(places, 1):
            packed = self.store.ledger.leaves(place)
            leaves = leaves_in(packed[: len(packed) - len(packed) % PACKED])[: width_at(self.size, 0, place)]
            yield from self._tile(0, place, [leaf.hash for leaf in leaves])
            yield from self._in_order(leaves, last)
            yield from self._heads([(games[leaf.name], leaf) for leaf in leaves if leaf.name in games])
            told(number)

    def _in_order(self, leaves: Sequence[Leaf], last: dict[str, int]) -> Iterator[Finding]:
        for leaf in leaves:
            if leaf.seq <= last.get(leaf.name, 0):
                yield from self._one(
                    "games whose commits are out of order in the transparency log",
                    f"the transparency log has commit {leaf.seq} of {leaf.name[:12]}… after {last[leaf.name]}: the log was started again",
                )
            last[leaf.name] = leaf.seq

    def _heads(self, logged: Sequence[tuple[GameId, Leaf]]) -> Iterator[Finding]:
        """Check that each game has or had the logged head."""
        names = [self.store.keys.game(game_id).commits for game_id, _ in logged]
        asked = [("XRANGE", name, leaf.seq, leaf.seq) for name, (_, leaf) in zip(names, logged, strict=True)]
        for (game_id, leaf), found in zip(logged, self.store.wire.many(asked), strict=True):
            self.looked += 1
            if isinstance(found, Exception):
                continue  # the check of the game itself reports the error
            try:
                head = unpacked(game_id, leaf.seq, found[0][1]).head if found else ""
            except BrokenLog:
                continue
            if head != leaf.head and self.store.lobbies.get(game_id) is not None:
                stands = "the game has a different one" if head else "the game has fewer commits"
                yield from self._one(
                    "heads in the transparency log that their games do not have",
                    f"{game_id}: the transparency log has a head of commit {leaf.seq}, but {stands}: one of them was rewritten, or"
                    f" a server was rolled back. Possible actions: {WAY_OUT}",
                )

    def _one(self, sort: str, message: str) -> Iterator[Finding]:
        """A finding of a sort. Only the first few are listed."""
        self._many[sort] = self._many.get(sort, 0) + 1
        if self._many[sort] <= TOLD:
            yield Finding(message)


def _tiles_at(size: int, level: int) -> int:
    """Number of tiles, or bundles of entries, at a level."""
    return -(-(size >> (HEIGHT * level)) // WIDTH)
