"""Notes beside the logs in Redis: a hash for each drawer, which carries the hash tag of its game's partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain.terms import GameId
from service.store.redis.connect import Wire
from service.store.redis.keys import Keys


class RedisNotes:
    """See `service.store.ports.beside.Notes`."""

    def __init__(self, wire: Wire, names: Keys) -> None:
        self._wire, self._keys = wire, names

    def keep(self, game_id: GameId, drawer: str, name: str, note: bytes) -> bytes:
        where = self._keys.notes(game_id, drawer)
        _, kept = self._wire.all([("HSETNX", where, name, note), ("HGET", where, name)])
        return note if kept is None else bytes(kept)  # somebody else has erased it in between

    def put(self, game_id: GameId, drawer: str, name: str, note: bytes) -> None:
        self._wire.one("HSET", self._keys.notes(game_id, drawer), name, note)

    def read(self, game_id: GameId, drawer: str, names: Sequence[str]) -> Mapping[str, bytes]:
        if not names:
            return {}
        found = self._wire.one("HMGET", self._keys.notes(game_id, drawer), *names)
        return {name: note for name, note in zip(names, found, strict=True) if note is not None}

    def all(self, game_id: GameId, drawer: str) -> Mapping[str, bytes]:
        flat = self._wire.one("HGETALL", self._keys.notes(game_id, drawer))
        return {name.decode(): note for name, note in zip(flat[::2], flat[1::2], strict=True)}

    def count(self, game_id: GameId, drawer: str) -> int:
        return int(self._wire.one("HLEN", self._keys.notes(game_id, drawer)))

    def erase(self, game_id: GameId, drawer: str, names: Sequence[str]) -> int:
        return int(self._wire.one("HDEL", self._keys.notes(game_id, drawer), *names)) if names else 0
