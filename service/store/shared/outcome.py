"""The outcome of a submission: a commit without its header."""

from __future__ import annotations

from domain.kernel.terms import GameId, Seq
from service.store.chain import unpacked
from service.store.ports.commits import Stored


def stored(game_id: GameId, seq: bytes | int, packed: bytes) -> Stored:
    """The commit with this seq, packed in these bytes; raises `BrokenLog` if they cannot be unpacked."""
    number = Seq(int(seq))
    found = unpacked(game_id, number, (b"c", packed))
    return Stored(number, found.at, found.release, found.head, b"", found.body)
