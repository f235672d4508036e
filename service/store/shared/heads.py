"""The tiles and bundles of the log of heads, from what stores keep of it: the hashes of leaves follow from the leaves."""

from __future__ import annotations

from service.store.ledger.leaves import bundled, unpacked
from service.store.ledger.tiles import HASH, ReadTile
from service.store.ports.beside import Ledger


def tiles_of(ledger: Ledger) -> ReadTile:
    """How the log's tiles are read; a tile that is not there yet is shorter than it was asked for."""

    def read(level: int, place: int, width: int) -> bytes:
        if level:
            return ledger.tile(level, place)[: width * HASH]
        return b"".join(leaf.hash for leaf in unpacked(ledger.leaves(place))[:width])

    return read


def bundle(ledger: Ledger, place: int, width: int) -> bytes:
    """The first entries of a bundle; empty where there are fewer."""
    leaves = unpacked(ledger.leaves(place))
    return bundled(leaves[:width]) if len(leaves) >= width else b""
