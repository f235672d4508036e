"""Appends leaves to the transparency log, under a new signed checkpoint."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from service.store.ports.side_data import Grown
from service.store.redis.side_data.transparency_log import TransparencyLog
from service.store.seal import Signer
from service.store.transparency.leaves import Leaf
from service.store.transparency.notes import Checkpoint, Key, signed
from service.store.transparency.tiles import TiledTree, edge, grown, width_at
from service.store.transparency.tree import root


def name_for(public_url: str) -> str:
    """The name of a new log: its public address without the scheme, or a random name if that is unknown."""
    return public_url.partition("://")[2] + "/v1/log" if public_url else f"oraclewheel/{secrets.token_hex(8)}"


def grow(ledger: TransparencyLog, signer: Signer, name: str, leaves: Sequence[Leaf], now: int) -> bool:
    """Write leaves and their checkpoint, or nothing if another process has written in the meantime.

    Whether it was written.
    """
    size, _ = ledger.checkpoint()
    stored = ledger.read_tile
    partial = {level: stored(level, place, width) for level, place, width in edge(size)}
    added = grown(size, partial, [leaf.hash for leaf in leaves])
    after, new = size + len(leaves), {(tile.level, tile.place): tile.hashes for tile in added}

    def read(level: int, place: int, _: int) -> bytes:
        had = width_at(size, level, place)
        return (stored(level, place, had) if had else b"") + new.get((level, place), b"")

    key = Key(ledger.named(name), signer.public)
    text = Checkpoint(key.name, after, root(after, TiledTree(after, read).node)).text
    day = datetime.fromtimestamp(now / 1000, UTC).date().isoformat()
    above = [tile for tile in added if tile.level]
    return ledger.grow(Grown(size, leaves, above, signed(text, key, signer.sign_text).written, day))
