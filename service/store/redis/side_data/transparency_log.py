"""The public log of heads in Redis: in one slot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from service.store.ports.side_data import Grown
from service.store.redis import keys
from service.store.redis.client import RedisClient
from service.store.redis.conditional import Command, execute_if
from service.store.transparency.leaves import bundled, unpacked
from service.store.transparency.tiles import HASH, WIDTH

FOLLOWER = "transparency"
"""The name of the consumer group of the changes of games."""

SIGN = "heads"
"""Name of the heartbeat (`Schedule.beat`) after all heads have been logged."""

_PLACE, _PAIR = 8, 16
"""Bytes of a number, and of a pair of place in the log and seq."""


class TransparencyLog:
    """The public log of heads. Append-only: data that was read once never changes."""

    def __init__(self, wire: RedisClient) -> None:
        self._wire = wire

    def named(self, name: str) -> str:
        """The log's name; set to this one if it has none yet."""
        _, there = self._wire.all(
            [("HSETNX", keys.HEADS_LOG, "name", name), ("HGET", keys.HEADS_LOG, "name")],
        )
        return str(there.decode())

    def checkpoint(self) -> tuple[int, bytes]:
        """Number of leaves, and their signed checkpoint; empty before the first one."""
        size, note = self._wire.one("HMGET", keys.HEADS_LOG, "size", "checkpoint")
        return int(size or 0), note or b""

    def days(self) -> Mapping[str, bytes]:
        """The first checkpoint of every day on which the log grew."""
        found = self._wire.one("HGETALL", keys.HEADS_DAYS)
        return {day.decode(): note for day, note in zip(found[::2], found[1::2], strict=True)}

    def leaves(self, place: int) -> bytes:
        """The packed leaves of a bundle; fewer than 256 in the last one."""
        return self._wire.one("GET", keys.heads_bundle(place)) or b""

    def tile(self, level: int, place: int) -> bytes:
        """The hashes of a tile; fewer than 256 in the last one."""
        return self._wire.one("GET", keys.heads_tile(level, place)) or b""

    def read_tile(self, level: int, place: int, width: int) -> bytes:
        """The first hashes of a tile.

        Those of the lowest level come from the leaves (`service.store.transparency.tiles.ReadTile`).
        """
        if level:
            return self.tile(level, place)[: width * HASH]
        return b"".join(leaf.hash for leaf in unpacked(self.leaves(place))[:width])

    def bundle(self, place: int, width: int) -> bytes:
        """The first entries of a bundle; empty if there are fewer."""
        leaves = unpacked(self.leaves(place))
        return bundled(leaves[:width]) if len(leaves) >= width else b""

    def of(self, name: str) -> Sequence[tuple[int, int]]:
        """A game's heads in the log: pairs of place and seq, in order."""
        return _pairs(self._wire.one("GET", keys.heads_of(name)) or b"")

    def newest(self, names: Collection[str]) -> Mapping[str, int]:
        """The seq of each game's newest head in the log, 0 if it has none."""
        listed = list(names)
        replies = self._wire.all([("GETRANGE", keys.heads_of(name), -_PAIR, -1) for name in listed])
        return {name: (_pairs(reply) or [(0, 0)])[-1][1] for name, reply in zip(listed, replies, strict=True)}

    def grow(self, grown: Grown) -> bool:
        """Write everything atomically, or nothing if the log has another size by now; whether it was written."""
        parts: defaultdict[str, bytearray] = defaultdict(bytearray)
        for place, leaf in enumerate(grown.leaves, grown.size):
            parts[keys.heads_bundle(place // WIDTH)] += leaf.packed
            parts[keys.heads_of(leaf.name)] += place.to_bytes(_PLACE, "big") + leaf.seq.to_bytes(_PLACE, "big")
        for tile in grown.tiles:
            parts[keys.heads_tile(tile.level, tile.place)] += tile.hashes
        after = grown.size + len(grown.leaves)
        writes: list[Command] = [("APPEND", name, bytes(added)) for name, added in parts.items()]
        writes.append(("HSET", keys.HEADS_LOG, "size", after, "checkpoint", grown.checkpoint))
        writes.append(("HSETNX", keys.HEADS_DAYS, grown.day, grown.checkpoint))
        return execute_if(self._wire, {("HGET", keys.HEADS_LOG, "size"): grown.size or None}, writes)


def _pairs(data: bytes) -> list[tuple[int, int]]:
    numbers = [int.from_bytes(data[at : at + _PLACE], "big") for at in range(0, len(data), _PLACE)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))
