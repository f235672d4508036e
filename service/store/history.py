"""What stands in the log: commits, heads, signatures, snapshots."""

from __future__ import annotations

from collections.abc import Iterator

from domain import RELEASE
from service.store import packing
from service.store.connect import Script, Wire
from service.store.founding import origin
from service.store.keys import Keys
from service.store.ports import Stored

SEQ_AT = Script("seq_at")
PAGE = 256
"""Commits read in one round trip."""


class RedisHistory:
    """The part of the log that looks back."""

    _wire: Wire
    _keys: Keys

    def commits(
        self, game: str, first: int = 1, last: int | None = None, limit: int | None = None, *, headers: bool = False
    ) -> Iterator[Stored]:
        """See `service.store.ports.Log.commits`."""
        names = self._keys.game(game)
        first = max(first, 1)
        if limit is not None:
            last = min(first + limit - 1, last if last is not None else first + limit - 1)
        # The head before the first one stands in the commit before it.
        end, start = "+" if last is None else str(last), first - 1
        told = [("HMGET", names.meta, "seed", "setup"), ("XRANGE", names.commits, start, end, "COUNT", PAGE)]
        (seed, setup), page = self._wire.all(told)
        previous = origin(setup or b"")
        while seed is not None:
            for entry, fields in page:
                seq, packed = int(entry.partition(b"-")[0]), packing.unpack(fields[1])
                if seq >= first:
                    header = packing.header(game, seq, packed, previous, seed) if headers else b""
                    yield Stored(seq, packed.at, packed.release, packed.head, header, packed.body)
                previous, start = packed.head, seq + 1
            if len(page) < PAGE:
                return
            page = self._wire.one("XRANGE", names.commits, start, end, "COUNT", PAGE)

    def head(self, game: str) -> tuple[int, str]:
        """See `service.store.ports.Log.head`."""
        seq, head = self._wire.one("HMGET", self._keys.game(game).meta, "seq", "head")
        return (0, "") if seq is None else (int(seq), head.decode())

    def signature(self, game: str) -> tuple[str, str, str] | None:
        """See `service.store.ports.Log.signature`."""
        signed, signature, key = self._wire.one("HMGET", self._keys.game(game).meta, "signed", "signature", "key")
        return None if signed is None else (signed.decode(), signature.decode(), key.decode())

    def snapshot(self, game: str, at_most: int | None = None) -> tuple[int, bytes] | None:
        """See `service.store.ports.Log.snapshot`."""
        name = self._keys.game(game).snapshots
        seqs = sorted((int(seq) for seq in self._wire.one("HKEYS", name)), reverse=True)
        for seq in seqs:
            if at_most is None or seq <= at_most:
                packed = self._wire.one("HGET", name, seq)
                if packed is not None and packing.snapshot_release(packed) == RELEASE:
                    return seq, packing.unpack_snapshot(packed)
        return None

    def seq_at(self, game: str, at: int) -> int:
        """See `service.store.ports.Log.seq_at`."""
        names = self._keys.game(game)
        return int(self._wire.call(SEQ_AT, [names.meta, names.commits], [at]))
