"""Checks that a game's log is as it was written: complete, chained, and ending where meta says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from domain.kernel.terms import GameId, Seq
from service.store import packing
from service.store.chain import BrokenLog, unpacked
from service.store.founding import origin
from service.store.ports.commits import Stored
from service.store.ports.lobbies import Lobby
from service.store.redis.log.log import PAGE
from service.store.redis.log.newest import read_signature
from service.store.redis.store import Store
from service.store.seal import commitment, head_of, verify

_LOOKS = 5
"""Comparisons of the newest commit and meta before they count as different: a game may be played in the meantime."""


class Damaged(Exception):
    """A game's log is not as it was written; the message says where and how."""


@dataclass(frozen=True, slots=True)
class End:
    seq: int
    head: str
    signed: str = ""
    signature: str = ""
    key: str = ""


def end_of(store: Store, game_id: GameId) -> End:
    """The end of a game's log; raises `Damaged` if meta and the newest commit disagree."""
    names = store.keys.game(game_id)
    for _ in range(_LOOKS):
        values, newest = store.wire.all(
            [("HMGET", names.meta, "seq", "head", "sealed"), ("XREVRANGE", names.commits, "+", "-", "COUNT", 1)]
        )
        seq = int(values[0] or 0)
        last = newest[0][0].decode() if newest else "0-0"
        if last == f"{seq}-0":
            return End(seq, (values[1] or b"").decode(), *(read_signature(values[2]) or ("", "", "")))
    raise Damaged(f"the newest commit is {last.partition('-')[0]}, but the game records {seq}")


def verified(store: Store, lobby: Lobby, end: End) -> Iterator[Stored]:
    """Its commits in order, each after it was checked; raises `Damaged`."""
    names, game_id = store.keys.game(lobby.id), lobby.id
    seed = store.wire.one("HGET", names.meta, "seed") or b""
    if commitment(seed) != lobby.commitment:
        raise Damaged("its seed does not match its commitment")
    seq, previous, at, signed = 0, origin(lobby.setup), 0, not end.signed
    while seq < end.seq:
        page = store.wire.one("XRANGE", names.commits, f"{seq + 1}", f"{min(seq + PAGE, end.seq)}")
        if not page:
            raise Damaged(f"commit {seq + 1} of {end.seq} is missing")
        for entry, fields in page:
            seq += 1
            if entry.decode() != f"{seq}-0":
                raise Damaged(f"commit {seq} of {end.seq} is missing")
            try:
                packed = unpacked(game_id, seq, fields)
            except BrokenLog as error:
                raise Damaged(f"commit {seq} cannot be unpacked ({type(error.__cause__).__name__})") from error
            header = packing.header(game_id, seq, packed, previous, seed)
            if head_of(header) != packed.head:
                raise Damaged(f"commit {seq} was changed, or does not follow the one before")
            if packed.at < at:
                raise Damaged(f"commit {seq} is dated before the previous commit")
            previous, at = packed.head, packed.at
            signed = signed or packed.head == end.signed
            yield Stored(Seq(seq), packed.at, packed.release, packed.head, header, packed.body)
    if end.seq and previous != end.head:
        raise Damaged(f"the head after commit {seq} is not the recorded head")
    if not signed or not _genuine(store, end):
        raise Damaged("its newest signature is not for a head in its log")


def _genuine(store: Store, end: End) -> bool:
    if not end.signed:
        return True
    public = store.log.keys().get(end.key)
    return public is not None and verify(bytes.fromhex(public), end.signed, end.signature)
