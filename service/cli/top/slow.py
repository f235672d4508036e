"""Which commands were slow of late: the newest commits of games that have moved, by how long they had waited."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson
from redis.exceptions import ResponseError

from domain.terms import GameId
from service.store import packing
from service.store.redis.store import RedisStore

SAMPLE = 6
"""Games of each partition that are looked at, drawn at random of those whose head is to be logged or has just been."""

EACH = 4
"""Commits of each game."""


@dataclass(frozen=True, slots=True)
class Settled:
    """One commit, and how long its command had waited for it."""

    game_id: str
    kind: str
    seq: int
    at: int
    type: str
    """Of the command."""
    by: str
    """Who sent it, as the history has it: ``player``, ``bot``, ``system`` …"""
    milliseconds: int


def newest(store: RedisStore) -> list[Settled]:
    """The newest commits of games that have moved since the log of heads was written last, the slowest first.

    A sample where they are many. What cannot be read, or is gone in this moment, is left out.
    """
    draws = [("SRANDMEMBER", name, SAMPLE) for each in store.keys.partitions for name in (each.moved, each.moving)]
    drawn = {GameId(game.decode()) for reply in store.wire.all(draws) for game in reply}
    games = sorted(drawn)
    names = [store.keys.game(game_id) for game_id in games]
    asked = [("XREVRANGE", each.commits, "+", "-", "COUNT", EACH) for each in names]
    lobbies = store.wire.many([("HGET", each.meta, "lobby") for each in names])
    found: list[Settled] = []
    for game_id, lobby, entries in zip(games, lobbies, store.wire.many(asked), strict=True):
        if not isinstance(entries, ResponseError) and isinstance(lobby, bytes):
            found += _of(game_id, lobby, entries)
    return sorted(found, key=lambda each: -each.milliseconds)


def _of(game_id: GameId, lobby: bytes, entries: Sequence[tuple[bytes, Sequence[bytes]]]) -> Iterator[Settled]:
    for entry, fields in entries:
        try:
            packed, kind = packing.unpack(fields[1]), str(orjson.loads(lobby)["kind"])
            body = orjson.loads(packed.body)
            submission, by = body["submission"], str(body["actor"]["by"])
            waited = max(0, packed.at - int(submission["asked_at"]))
            seq = int(entry.partition(b"-")[0])
            yield Settled(game_id, kind, seq, packed.at, str(submission["command"]["type"]), by, waited)
        except (ValueError, LookupError, TypeError, zlib.error):
            continue
