"""Checks that the commits of a log form a hash chain. Every reader of commits goes through this module."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from redis.exceptions import ResponseError

from domain import RELEASE
from domain.kernel.terms import GameId, Seq
from service.store.packing import Packed, header, unpack
from service.store.seal import head_of


class WentBack(Exception):
    """The log does not continue from the head that the reader has: it has another history, or is shorter."""

    def __init__(self, game_id: GameId, seq: int, head: str) -> None:
        super().__init__(f"{game_id} does not go on from commit {seq}, head {head}")
        self.game_id, self.seq, self.head = game_id, seq, head


class BrokenLog(Exception):
    """A game's log cannot be read: a commit is missing, garbled, or does not match its head."""

    def __init__(self, game_id: GameId, seq: int, what: str) -> None:
        super().__init__(f"{game_id}, commit {seq}: {what}" if seq else f"{game_id}: {what}")
        self.game_id, self.seq, self.what = game_id, seq, what


class NeedsRelease(BrokenLog):
    """The log is intact, but this release cannot continue it; another release can."""


@contextmanager
def reading(game_id: GameId, seq: int = 0) -> Iterator[None]:
    """Turn every error about stored data of the game that no release writes into `BrokenLog`."""
    try:
        yield
    except (ResponseError, ValueError, TypeError, LookupError, AttributeError, zlib.error) as error:
        raise BrokenLog(game_id, seq, f"{type(error).__name__}: {error}") from error


def unpacked(game_id: GameId, seq: int, fields: Sequence[bytes]) -> Packed:
    """The commit in the fields of a stream entry; raises `BrokenLog` for anything that `packing.pack` did not write."""
    try:
        return unpack(fields[1])
    except (LookupError, ValueError, zlib.error) as error:
        raise BrokenLog(game_id, seq, f"it cannot be unpacked: {error}") from error


def unreadable(seq: int, release: str, error: Exception) -> BrokenLog:
    """The error for a commit that cannot be decoded or folded.

    `NeedsRelease` if another release wrote the commit, else `BrokenLog`.
    """
    cause = f"{type(error).__name__}: {error}"
    if release != RELEASE:
        return NeedsRelease(GameId(""), seq, f"release {release} wrote it, and {RELEASE} cannot read it; {cause}")
    return BrokenLog(GameId(""), seq, f"it cannot be read; {cause}")


class Chain:
    """Follows one game's commits in order from a given commit on; costs a few microseconds per commit."""

    def __init__(self, game_id: GameId, seed: bytes, first: int, onto: str) -> None:
        self._game, self._seed, self._onto = game_id, seed, onto
        self.seq = max(first, 1) - 1
        """Seq of the last commit passed to `take`."""
        self._previous = ""
        self._newest = -1, ""

    def stands(self, newest: int, head: str) -> None:
        """Set the seq and head of the newest commit according to the game's meta; the log must agree."""
        self._newest = newest, head

    def after(self, head: str | None) -> None:
        """Set the head before the first commit that `take` gets, as stored; None if there is no such commit.

        Raises `WentBack` if it differs from the head that the reader continues from.
        """
        if self._onto and head != self._onto:
            raise WentBack(self._game, self.seq, self._onto)
        self._previous = head or ""
        self._compare()

    def take(self, seq: int, packed: Packed) -> bytes:
        """The header of the next commit; raises `BrokenLog` if it is not the next one or does not match its head."""
        if seq != self.seq + 1:
            raise BrokenLog(self._game, self.seq + 1, f"it is missing; commit {seq} follows")
        found = header(self._game, seq, packed, self._previous, self._seed)
        if head_of(found) != packed.head:
            raise BrokenLog(self._game, seq, "it does not match its head")
        self.seq, self._previous = seq, packed.head
        self._compare()
        return found

    def _compare(self) -> None:
        newest, head = self._newest
        if newest and self.seq == newest and self._previous != head:
            raise BrokenLog(self._game, newest, "its head differs from the newest head of the game")

    def end(self, newest: int) -> None:
        """Finish reading; raises `BrokenLog` if commits up to `newest` are missing."""
        if self.seq < newest:
            raise BrokenLog(self._game, self.seq + 1, f"it is missing; the newest commit of the game is {newest}")

    def begun(self, newest: int) -> None:
        """Check the opposite of `end`; raises `BrokenLog` for a commit in the log beyond the game's newest one."""
        if self.seq > newest:
            raise BrokenLog(self._game, self.seq, f"it is in the log, but the newest commit of the game is {newest}")


def seq_of(game_id: GameId, text: bytes | None) -> Seq:
    """Number of commits according to the game's meta; raises `BrokenLog` if it is not a number."""
    try:
        return Seq(int(text or 0))
    except ValueError as error:
        raise BrokenLog(game_id, 0, "the number of its newest commit cannot be read") from error
