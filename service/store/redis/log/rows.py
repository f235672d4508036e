"""Rows in Redis: ready JSON bytes of one hash, read in one go, each with the release that wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import orjson
from redis.exceptions import ResponseError

from domain.terms import GameId, Seat, Seq
from service.store.chain import BrokenLog, reading
from service.store.ports.commits import Append, Rows
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.log.history import seq_of

REWRITE = Script("rewrite")

_PLAIN = ("seq", "head", "status", "signature", "key")
_STAMPED = ("seen", "asked", "public")


def row_fields(each: Append) -> list[Any]:
    """The fields and values of the rows' hash that a commit changes."""
    fields: list[Any] = ["seq", each.sealed.seq, "head", each.sealed.head, "status", "over" if each.over else "running"]
    # Of another head it is no signature of this one.
    return [*fields, "signature", "", "key", ""] if each.rows is None else fields + _changed(each.rows)


def _changed(rows: Rows) -> list[Any]:
    stamp = rows.release.encode() + b"\n"
    fields: list[Any] = ["signature", rows.signature, "key", rows.key_id]
    if rows.seen:
        fields += ["seen", stamp + ",".join(map(str, rows.seen)).encode()]
    if rows.asked:
        fields += ["asked", stamp + rows.asked]
    if rows.public:
        fields += ["public", stamp + rows.public]
    for seat, private in rows.private.items():
        fields += [f"private{seat}", stamp + private]
    return fields


class RedisRows:
    """The part of the log that readers go to."""

    _wire: Wire
    _keys: Keys

    def rows(self, game_id: GameId, seats: Sequence[Seat] = ()) -> Rows | None:
        """See `service.store.ports.log.Log.rows`."""
        names = self._keys.game(game_id)
        fields = [*_PLAIN, *_STAMPED, *(f"private{seat}" for seat in seats)]
        (reply,) = self._wire.many([("HMGET", names.rows, *fields)])
        return _rows(reply, _STAMPED, seats) or self._missing(game_id)

    def asked(self, games: Sequence[GameId]) -> Mapping[GameId, Rows]:
        """See `service.store.ports.log.Log.asked`."""
        stamped = _STAMPED[:2]
        replies = self._wire.many([("HMGET", self._keys.game(game_id).rows, *_PLAIN, *stamped) for game_id in games])
        found = {}
        for game_id, reply in zip(games, replies, strict=True):
            rows = _rows(reply, stamped, ())
            # What is wrong with one game is no other's business: it is left out of a list of many.
            with suppress(BrokenLog) if len(games) > 1 else nullcontext():
                rows = rows or self._missing(game_id)
            if rows is not None:
                found[game_id] = rows
        return found

    def rewrite(self, game_id: GameId, rows: Rows) -> bool:
        """See `service.store.ports.log.Log.rewrite`."""
        names = self._keys.game(game_id)
        fields: list[Any] = ["seq", rows.seq, "head", rows.head, "status", rows.status, *_changed(rows)]
        with reading(game_id):
            return bool(self._wire.call(REWRITE, [names.meta, names.rows], [rows.seq, *fields]))

    def _missing(self, game_id: GameId) -> Rows | None:
        """Rows are a cache: without them the log still knows where it stands, and the reader is told to write them."""
        fields = ("seq", "head", "status", "signature", "key", "signed")
        with reading(game_id):
            seq, head, status, signature, key, signed = self._wire.one("HMGET", self._keys.game(game_id).meta, *fields)
            if seq is None:
                return None
            if signed != head:
                signature = key = None
            texts = [(value or b"").decode(errors="replace") for value in (head, status, signature, key)]
            return Rows(seq_of(game_id, seq), texts[0], "", status=texts[1], signature=texts[2], key_id=texts[3])


def _rows(reply: Any, stamped: Sequence[str], seats: Sequence[Seat]) -> Rows | None:
    """The rows in a reply; None where there are none, or garbled ones: rows are a cache, and are written anew."""
    try:
        return None if isinstance(reply, ResponseError) or reply[0] is None else _read(reply, stamped, seats)
    except ValueError:
        return None


def _read(reply: Sequence[bytes | None], stamped: Sequence[str], seats: Sequence[Seat]) -> Rows:
    seq, head, status, signature, key = [(value or b"").decode() for value in reply[: len(_PLAIN)]]
    release, values = _unstamped(reply[len(_PLAIN) :])
    seen, asked = values[:2]
    private = values[len(stamped) :]
    orjson.loads(asked or b"[]")
    return Rows(
        Seq(int(seq)),
        head,
        release,
        values[2] or b"null" if len(stamped) > 2 else b"null",
        {seat: value or b"null" for seat, value in zip(seats, private, strict=True)},
        tuple(map(int, seen.split(b","))) if seen else (),
        asked or b"[]",
        status,
        signature,
        key,
    )


def _unstamped(rows: Sequence[bytes | None]) -> tuple[str, list[bytes]]:
    """The release that wrote all of these rows (``""`` if there is none that did), and what is in them."""
    cut = (rows[0] or b"\n").index(b"\n") + 1
    stamp = (rows[0] or b"\n")[:cut]
    if all(row is not None and row.startswith(stamp) for row in rows):
        return stamp[:-1].decode(), [row[cut:] for row in rows if row is not None]
    return "", [(row or b"\n").partition(b"\n")[2] for row in rows]
