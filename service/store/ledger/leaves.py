"""What the log holds: that a game stood at a head, with the game's id as a digest alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from service.store.ledger.tree import leaf_hash

PACKED = 72
"""Bytes of a leaf as stores keep it."""
_SEQ = 8
_NAMED = b"oraclewheel/log/1\n"


@dataclass(frozen=True, slots=True)
class Leaf:
    """That a game stood at a head with a commit."""

    name: str
    """What the log calls the game (`name_of`)."""
    seq: int
    head: str

    @property
    def entry(self) -> bytes:
        """Its bytes in the log: canonical JSON."""
        return b'{"game":"%b","head":"%b","seq":%d}' % (self.name.encode(), self.head.encode(), self.seq)

    @property
    def hash(self) -> bytes:
        """Its hash in the tree."""
        return leaf_hash(self.entry)

    @property
    def packed(self) -> bytes:
        """Its bytes in a store."""
        return bytes.fromhex(self.name) + self.seq.to_bytes(_SEQ, "big") + bytes.fromhex(self.head)


class NoEntries(ValueError):
    """What holds no entries of a log of heads."""


def name_of(game_id: str) -> str:
    """What the log calls a game: a digest of its id, hex, because the ids of private games are not for everybody."""
    return hashlib.sha256(_NAMED + game_id.encode()).hexdigest()


def unpacked(packed: bytes) -> list[Leaf]:
    """The leaves that a store has written one after another."""
    return [_leaf(packed[at : at + PACKED]) for at in range(0, len(packed), PACKED)]


def _leaf(packed: bytes) -> Leaf:
    return Leaf(packed[:32].hex(), int.from_bytes(packed[32:40], "big"), packed[40:].hex())


def bundled(leaves: list[Leaf]) -> bytes:
    """Their entries as a bundle, each behind its length."""
    return b"".join(len(leaf.entry).to_bytes(2, "big") + leaf.entry for leaf in leaves)


def unbundled(bundle: bytes) -> Iterator[Leaf]:
    """The leaves of a bundle; raises `NoEntries` for what none of ours holds."""
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
