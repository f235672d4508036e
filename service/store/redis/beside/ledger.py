"""The public log of heads in Redis: one slot for the log, and in each partition which games have moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from domain.terms import GameId
from service.store.ledger.leaves import bundled, unpacked
from service.store.ledger.tiles import HASH, WIDTH
from service.store.ports.beside import Grown
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys

GROW, MOVED = Script("grow"), Script("moved")

_PLACE, _PAIR = 8, 16
"""Bytes of a number, and of a place in the log with the seq that stands there."""


class Ledger:
    """The public log of heads, and which games have moved since. It is appended to only; whatever was read of it once is the same ever after."""

    def __init__(self, wire: Wire, names: Keys) -> None:
        self._wire, self._keys = wire, names

    def named(self, name: str) -> str:
        """The log's name: this one, unless it has one already."""
        _, there = self._wire.all(
            [("HSETNX", keys.HEADS_LOG, "name", name), ("HGET", keys.HEADS_LOG, "name")],
        )
        return str(there.decode())

    def checkpoint(self) -> tuple[int, bytes]:
        """How many leaves there are, and the signed checkpoint of them; empty where none was ever made."""
        size, note = self._wire.one("HMGET", keys.HEADS_LOG, "size", "checkpoint")
        return int(size or 0), note or b""

    def days(self) -> Mapping[str, bytes]:
        """The first checkpoint of every day on which the log grew."""
        found = self._wire.one("HGETALL", keys.HEADS_DAYS)
        return {day.decode(): note for day, note in zip(found[::2], found[1::2], strict=True)}

    def leaves(self, place: int) -> bytes:
        """The packed leaves of a bundle, as many as there are."""
        return self._wire.one("GET", keys.heads_bundle(place)) or b""

    def tile(self, level: int, place: int) -> bytes:
        """The hashes of a tile, as many as there are."""
        return self._wire.one("GET", keys.heads_tile(level, place)) or b""

    def read_tile(self, level: int, place: int, width: int) -> bytes:
        """The first hashes of a tile, those of the lowest level made from the leaves (`service.store.ledger.tiles.ReadTile`)."""
        if level:
            return self.tile(level, place)[: width * HASH]
        return b"".join(leaf.hash for leaf in unpacked(self.leaves(place))[:width])

    def bundle(self, place: int, width: int) -> bytes:
        """The first entries of a bundle; empty if there are fewer."""
        leaves = unpacked(self.leaves(place))
        return bundled(leaves[:width]) if len(leaves) >= width else b""

    def of(self, name: str) -> Sequence[tuple[int, int]]:
        """Where in the log a game's heads stand: pairs of place and seq, in order."""
        return _pairs(self._wire.one("GET", keys.heads_of(name)) or b"")

    def newest(self, names: Collection[str]) -> Mapping[str, int]:
        """The seq of the newest head of each of these games that the log holds, 0 where there is none."""
        listed = list(names)
        replies = self._wire.all([("GETRANGE", keys.heads_of(name), -_PAIR, -1) for name in listed])
        return {name: (_pairs(reply) or [(0, 0)])[-1][1] for name, reply in zip(listed, replies, strict=True)}

    def grow(self, grown: Grown) -> bool:
        """Write all of it, or nothing where the log has another size by now; whether it was written."""
        parts: defaultdict[str, bytearray] = defaultdict(bytearray)
        for place, leaf in enumerate(grown.leaves, grown.size):
            parts[keys.heads_bundle(place // WIDTH)] += leaf.packed
            parts[keys.heads_of(leaf.name)] += place.to_bytes(_PLACE, "big") + leaf.seq.to_bytes(_PLACE, "big")
        for tile in grown.tiles:
            parts[keys.heads_tile(tile.level, tile.place)] += tile.hashes
        where = [keys.HEADS_LOG, keys.HEADS_DAYS, *parts]
        after = grown.size + len(grown.leaves)
        what: list[Any] = [grown.size, after, grown.checkpoint, grown.day, *map(bytes, parts.values())]
        return bool(self._wire.call(GROW, where, what))

    def moved(self, partition: int) -> Mapping[GameId, tuple[int, str]]:
        """How the games of a partition stand that have moved since their heads were last logged: seq and head.

        They go on counting as moved until `logged`; what moves after this call does so beyond that.
        """
        names = self._keys.partitions[partition]
        games = [GameId(each.decode()) for each in self._wire.call(MOVED, [names.moved, names.moving])]
        replies = self._wire.all([("HMGET", self._keys.game(game_id).meta, "seq", "head") for game_id in games])
        stand = zip(games, replies, strict=True)
        return {game_id: (int(seq), head.decode()) for game_id, (seq, head) in stand if seq and head}

    def logged(self, partition: int, games: Collection[GameId]) -> None:
        """The log holds the heads of these that `moved` told of."""
        if games:
            self._wire.one("SREM", self._keys.partitions[partition].moving, *games)

    def waiting(self) -> int:
        """How many games count as moved."""
        names = [name for shared in self._keys.partitions for name in (shared.moved, shared.moving)]
        return sum(self._wire.all([("SCARD", name) for name in names]))


def _pairs(data: bytes) -> list[tuple[int, int]]:
    numbers = [int.from_bytes(data[at : at + _PLACE], "big") for at in range(0, len(data), _PLACE)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))
