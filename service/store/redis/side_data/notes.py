"""Notes in Redis outside the logs: a hash per namespace, with the hash tag of its game's partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.terms import GameId
from service.store.ports.side_data import DRAWERS, NO_GAME
from service.store.redis.archive import Archive
from service.store.redis.client import RedisClient
from service.store.redis.keys import Keys


class Notes:
    def __init__(self, wire: RedisClient, names: Keys, shelf: Archive) -> None:
        self._wire, self._keys, self._archive = wire, names, shelf

    def _read(self, game_id: GameId, command: Sequence[Any]) -> Any:
        if game_id == NO_GAME:
            return self._wire.one(*command)
        reply, there = self._wire.all([command, ("EXISTS", self._keys.game(game_id).meta)])
        return reply if there or not self._archive.back(game_id) else self._wire.one(*command)

    def _changing(self, game_id: GameId, drawer: str, *commands: Sequence[Any]) -> list[Any]:
        if game_id == NO_GAME:
            return self._wire.all(commands)
        if drawer not in DRAWERS:
            raise ValueError(f"a game has no drawer {drawer!r}")
        self._archive.keep(game_id)
        *replies, copy = self._wire.all([*commands, ("HGET", self._keys.game(game_id).meta, "archived")])
        if copy is not None:
            self._archive.keep(game_id)  # it was archived at this moment
        return replies

    def keep(self, game_id: GameId, drawer: str, name: str, note: bytes) -> bytes:
        """Store a note unless the name exists; returns the stored one."""
        where = self._keys.notes(game_id, drawer)
        _, kept = self._changing(game_id, drawer, ("HSETNX", where, name, note), ("HGET", where, name))
        return note if kept is None else bytes(kept)  # another process erased it in between

    def put(self, game_id: GameId, drawer: str, name: str, note: bytes) -> None:
        """Store a note, replacing any of this name."""
        self._changing(game_id, drawer, ("HSET", self._keys.notes(game_id, drawer), name, note))

    def read(self, game_id: GameId, drawer: str, names: Sequence[str]) -> Mapping[str, bytes]:
        """Those of these notes that exist, in one round trip."""
        if not names:
            return {}
        found = self._read(game_id, ("HMGET", self._keys.notes(game_id, drawer), *names))
        return {name: note for name, note in zip(names, found, strict=True) if note is not None}

    def all(self, game_id: GameId, drawer: str) -> Mapping[str, bytes]:
        flat = self._read(game_id, ("HGETALL", self._keys.notes(game_id, drawer)))
        return {name.decode(): note for name, note in zip(flat[::2], flat[1::2], strict=True)}

    def count(self, game_id: GameId, drawer: str) -> int:
        return int(self._read(game_id, ("HLEN", self._keys.notes(game_id, drawer))))

    def erase(self, game_id: GameId, drawer: str, names: Sequence[str]) -> int:
        """Delete notes for good; returns how many existed."""
        if not self.read(game_id, drawer, names):
            return 0
        return int(self._changing(game_id, drawer, ("HDEL", self._keys.notes(game_id, drawer), *names))[0])
