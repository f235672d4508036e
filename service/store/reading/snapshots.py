"""Seals snapshots of positions for a store, and checks them when they are read back."""

from __future__ import annotations

import hmac

from domain import RELEASE
from domain.kernel.game import AnyGame
from domain.kernel.record import Position
from service.store.codec import pack_position, unpack_position

_FORM = b"1"


def seal_snapshot(seed: bytes, position: Position) -> bytes:
    """A position, including its head, with a checksum that requires the game's seed."""
    document = pack_position(position)
    return _FORM + b" " + _checksum(seed, document) + b"\n" + document


def open_snapshot(game: AnyGame, seed: bytes, seq: int, snapshot: bytes) -> Position | None:
    """The position that was sealed after commit ``seq`` by this release; None for anything else.

    Snapshots are caches: discard one that does not fit, and replay the log. The caller compares the position's head
    with that of the commit in the log.
    """
    cover, _, document = snapshot.partition(b"\n")
    if not hmac.compare_digest(cover, _FORM + b" " + _checksum(seed, document)):
        return None
    try:
        position = unpack_position(game, document)
    except (ValueError, TypeError, LookupError, AttributeError):  # written by another build of this release
        return None
    return position if position.seq == seq and position.head else None


def _checksum(seed: bytes, document: bytes) -> bytes:
    return hmac.digest(seed, b"snapshot" + RELEASE.encode() + b"\n" + document, "sha256").hex().encode()
