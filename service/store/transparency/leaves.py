"""Leaves of the log: a game's head at some commit, with the game's id only as a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from service.store.transparency.tree import leaf_hash

PACKED = 72
"""Bytes of a leaf in a store."""
_SEQ = 8
_NAMED = b"oraclewheel/log/1\n"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A game's head after commit `seq`."""

    name: str
    """The game's name in the log (`name_of`)."""
    seq: int
    head: str

    @property
    def entry(self) -> bytes:
        """The leaf's bytes in the log: canonical JSON."""
        return b'{"game":"%b","head":"%b","seq":%d}' % (self.name.encode(), self.head.encode(), self.seq)

    @property
    def hash(self) -> bytes:
        return leaf_hash(self.entry)

    @property
    def packed(self) -> bytes:
        """The leaf's bytes in a store."""
        return bytes.fromhex(self.name) + self.seq.to_bytes(_SEQ, "big") + bytes.fromhex(self.head)


class NoEntries(ValueError):
    """The bytes are not entries of a log of heads."""


def name_of(game_id: str) -> str:
    """The name of a game in the log: a digest of its id, hex, because the ids of private games are secret."""
    return hashlib.sha256(_NAMED + game_id.encode()).hexdigest()


def unpacked(packed: bytes) -> list[Leaf]:
    """The leaves in concatenated `packed` bytes."""
    return [_leaf(packed[at : at + PACKED]) for at in range(0, len(packed), PACKED)]


def _leaf(packed: bytes) -> Leaf:
    return Leaf(packed[:32].hex(), int.from_bytes(packed[32:40], "big"), packed[40:].hex())


def bundled(leaves: list[Leaf]) -> bytes:
    """The entries as a bundle, each preceded by its length in two bytes."""
    return b"".join(len(leaf.entry).to_bytes(2, "big") + leaf.entry for leaf in leaves)


def unbundled(bundle: bytes) -> Iterator[Leaf]:
    """The leaves of a bundle; raises `NoEntries` if it is malformed or not canonical."""
    at = 0
    while at < len(bundle):
        length = int.from_bytes(bundle[at : at + 2], "big")
        entry = bundle[at + 2 : at + 2 + length]
        at += 2 + length
        try:
            read = orjson.loads(entry)
            leaf = Leaf(str(read["game"]), int(read["seq"]), str(read["head"]))
        except (ValueError, KeyError, TypeError) as error:
            raise NoEntries("an entry of the log cannot be read") from error
        if leaf.entry != entry:
            raise NoEntries("an entry of the log is not in its canonical form")
        yield leaf
