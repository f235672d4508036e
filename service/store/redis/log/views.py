"""Rows in Redis: a game's state in its meta, and the parts of its views, which a process caches."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

from cachetools import LRUCache
from redis.exceptions import ResponseError

from domain.kernel.terms import GameId, Seat
from service.store.chain import BrokenLog, reading, seq_of
from service.store.ports.commits import WATCHED, Rows
from service.store.redis.archive import Archive
from service.store.redis.client import RedisClient, Script
from service.store.redis.keys import Keys
from service.store.redis.log.newest import (
    Newest,
    packed_newest,
    packed_views,
    read_newest,
    read_signature,
    read_views,
)

REWRITE = Script("rewrite")
REMEMBERED = 512
"""Games whose views a process caches."""

_FIELDS = ("seq", "head", "status", "newest")
_TRIES = 8
"""Attempts to read the state and the views of a game between two commits."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A game as this process read it last: valid while the store returns the same reply."""

    reply: Any
    rows: Rows | None
    newest: Newest | None
    parts: Mapping[int, bytes]
    moved: bool
    """Whether it had changed since the previous read."""


class Views:
    def __init__(self, wire: RedisClient, names: Keys, archive: Archive) -> None:
        self._wire, self._keys, self._archive = wire, names, archive
        self._views: LRUCache[GameId, Remembered] = LRUCache(REMEMBERED)
        """Games with their views as they were read; the views are valid while the game's head is the same."""
        self._guard = threading.Lock()
        """Acquired while the cache is read or changed, never during calls to the store."""

    def rows(self, game_id: GameId, seats: Sequence[Seat] = (), *, views: bool = True) -> Rows | None:
        """The newest rows, with the public view and the private parts of these seats, consistent; None before commit 1.

        Without ``views`` only the game's state, which has to be recomputed only after another release.
        """
        for _ in range(_TRIES):
            known, packed = self._asked_for(game_id, seats if views else None)
            if known.rows is None and self._archive.back(game_id):
                continue
            if known.rows is None or known.newest is None:
                return known.rows
            if not known.newest.seen or not views:
                return known.rows
            parts = self._parts(game_id, known, (0, *seats), packed)
            if parts is not None:
                return _with_views(known.rows, parts, seats)
        raise BrokenLog(game_id, 0, "its views do not match its log")

    def _asked_for(self, game_id: GameId, seats: Sequence[Seat] | None) -> tuple[Remembered, Any]:
        names = self._keys.game(game_id)
        with self._guard:
            known = self._views.get(game_id)
        commands: list[Sequence[Any]] = [("HMGET", names.meta, *_FIELDS, "sealed")]
        # If the game had changed at the last read, it probably has again.
        if seats is not None and (known is None or known.moved):
            commands.append(("HMGET", names.views, 0, *seats))
        reply, *packed = self._wire.many(commands)
        if known is not None and known.reply == reply:
            known = replace(known, moved=False) if known.moved else known
        else:
            with reading(game_id):
                if isinstance(reply, ResponseError):
                    raise reply
                head, signature, key_id = read_signature(reply[len(_FIELDS)]) or ("", "", "")
                of_it = (reply[1] or b"") == head.encode()  # a signature belongs to one head
                rows, newest = _standing(game_id, reply, (signature, key_id) if of_it else ("", ""))
            known = Remembered(reply, rows, newest, {}, moved=known is not None)
        with self._guard:
            self._views[game_id] = known
        return known, packed[0] if packed else None

    def asked(self, games: Sequence[GameId], *, archived: bool = True) -> Mapping[GameId, Rows]:
        """Questions and seqs of many games in one round trip, without views.

        Unless ``archived``, games in the archive are left out; they have no pending questions.
        """
        replies = self._wire.many([("HMGET", self._keys.game(game_id).meta, *_FIELDS) for game_id in games])
        found = {}
        if archived:
            replies = self._archive.filled(games, _FIELDS, replies)
        for game_id, reply in zip(games, replies, strict=True):
            # In a list of many games, leave out one that cannot be read.
            with suppress(BrokenLog) if len(games) > 1 else nullcontext(), reading(game_id):
                if isinstance(reply, ResponseError):
                    raise reply
                rows, _ = _standing(game_id, reply)
                if rows is not None:
                    found[game_id] = rows
        return found

    def rewrite(self, game_id: GameId, rows: Rows, *, watched: bool = False) -> bool:
        """Replace the rows and the views that they include, if the log is still at their seq.

        ``watched``: a client reads the views, so that for `WATCHED` milliseconds each commit includes them.
        """
        names = self._keys.game(game_id)
        with self._guard:
            self._views.pop(game_id, None)
        arguments = [rows.seq, packed_newest(rows), WATCHED if watched else 0, *packed_views(rows)]
        with reading(game_id):
            return bool(self._wire.call(REWRITE, [names.meta, names.views], arguments))

    def kept_views(self, game_id: GameId, seats: Iterable[Seat]) -> Mapping[int, bytes]:
        """The parts of the game's views that are stored and valid: 0 is the public one, the others are seats."""
        newest = read_newest(self._wire.one("HGET", self._keys.game(game_id).meta, "newest"))
        return {} if newest is None else self._read(game_id, newest, (0, *seats))[0]

    def _parts(
        self, game_id: GameId, known: Remembered, places: Sequence[int], packed: Any
    ) -> Mapping[int, bytes] | None:
        """The parts of the views for these places; None if some are of a later commit than the game's state."""
        assert known.newest is not None
        missing = [place for place in places if place not in known.parts]
        if not missing:
            return known.parts
        if packed is None or isinstance(packed, ResponseError):
            found, later = self._read(game_id, known.newest, missing)
        else:
            found, later = read_views(known.newest, places, packed)
        if later:
            return None
        parts = {**known.parts, **found}
        with self._guard:
            self._views[game_id] = replace(known, parts=parts)
        return parts

    def _read(self, game_id: GameId, newest: Newest, places: Sequence[int]) -> tuple[Mapping[int, bytes], bool]:
        (reply,) = self._wire.many([("HMGET", self._keys.game(game_id).views, *places)])
        return ({}, False) if isinstance(reply, ResponseError) else read_views(newest, places, reply)


def _standing(
    game_id: GameId, reply: Sequence[bytes | None], signature: tuple[str, str] = ("", "")
) -> tuple[Rows | None, Newest | None]:
    """A game's state, without views; the second is None if it must be recomputed."""
    if reply[0] is None:
        return None, None
    seq, head = seq_of(game_id, reply[0]), (reply[1] or b"").decode(errors="replace")
    status, newest = (reply[2] or b"").decode(errors="replace"), read_newest(reply[3])
    if newest is None or newest.seq != seq:
        return Rows(seq, head, "", b"null", {}, (), b"[]", status, *signature), None
    seen, asked = newest.seen, newest.asked
    return Rows(seq, head, newest.release, b"null", {}, seen, asked, status, *signature, newest.table), newest


def _with_views(rows: Rows, parts: Mapping[int, bytes], seats: Sequence[Seat]) -> Rows:
    """The rows with these parts; without a release if one of them is missing."""
    whole = 0 in parts and all(seat in parts for seat in seats)
    private: Mapping[Any, bytes] = {seat: parts.get(seat, b"null") for seat in seats}
    return replace(rows, release=rows.release if whole else "", public=parts.get(0, b"null"), private=private)
