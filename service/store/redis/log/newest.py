"""A game's state for readers, as one field of its meta, and the parts of its views: compact caches.

``newest`` is a line of text, ``<release> <seq> <seen> <asked seats>`` (the last two joined by commas, ``-`` for none),
which submit.lua reads as well, and after it the pending questions and the table, deflated. It is valid while its seq is
that of the log. A part of a view is a line ``<release> <seq>`` and the deflated JSON; it is valid while nothing has
changed for its place since that commit. Unreadable data counts as missing and is recomputed.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from domain.kernel.terms import Seq
from service.store.ports.commits import Rows

_SHARED = (
    b'{"about":{},"due":null,"id":"1:0:1","kind":"turn","rule":"SET-01","seat":1,"since":17},{"outcome":null,"pace":{"mode":'
    b'"free"},"sandbox":false,"seats":[{"controller":"player","seat":1},{"controller":"bot:greedy","seat":2},'
    b'{"controller":"player","seat":3},{"controller":"player","seat":4}]}'
)
_TAIL = zlib.compressobj(6, zlib.DEFLATED, -10, 3, zdict=_SHARED)
_UNTAIL = zlib.decompressobj(-10, zdict=_SHARED)
_QUICK = 1
"""The level for views: the highest one saves a fifth more and takes three times as long."""


@dataclass(frozen=True, slots=True)
class Newest:
    release: str
    seq: int
    seen: tuple[int, ...]
    asked: bytes
    table: bytes


def packed_newest(rows: Rows | None) -> bytes:
    """The field for the meta hash; empty if there are no rows or no questions."""
    if rows is None or not rows.asked:
        return b""
    seats = ",".join(sorted({str(question["seat"]) for question in orjson.loads(rows.asked)}))
    seen = ",".join(map(str, rows.seen))
    deflater = _TAIL.copy()
    tail = deflater.compress(rows.asked + b"\n" + rows.table) + deflater.flush()
    return f"{rows.release} {rows.seq} {seen or '-'} {seats or '-'}\n".encode() + tail


def read_newest(packed: bytes | None) -> Newest | None:
    """The opposite of `packed_newest`; None for anything else."""
    try:
        line, _, tail = (packed or b"").partition(b"\n")
        release, seq, seen, _ = line.decode().split(" ")
        asked, _, table = _UNTAIL.copy().decompress(tail).partition(b"\n")
        # Check the JSON here: a later reader would take an error for a fault of the game.
        orjson.loads(asked), orjson.loads(table or b"null")
        return Newest(release, int(seq), () if seen == "-" else tuple(map(int, seen.split(","))), asked, table)
    except (ValueError, zlib.error):
        return None


def packed_signature(rows: Rows | None) -> bytes:
    """The signature of the rows' head, with that head, for the meta hash; empty if unsigned."""
    if rows is None or not rows.signature:
        return b""
    return bytes.fromhex(rows.head) + bytes.fromhex(rows.signature) + rows.key_id.encode()


def read_signature(sealed: bytes | None) -> tuple[str, str, str] | None:
    """The newest signed head, its signature, and the key id; None if no head was signed."""
    return None if sealed is None else (sealed[:32].hex(), sealed[32:96].hex(), sealed[96:].decode())


def packed_views(rows: Rows) -> list[str | int | bytes]:
    """The fields and values of the views in the rows."""
    cover = f"{rows.release} {rows.seq}\n".encode()
    fields: list[str | int | bytes] = [0, cover + zlib.compress(rows.public, _QUICK, -15)] if rows.public else []
    for seat, private in rows.private.items():
        fields += [seat, cover + zlib.compress(private, _QUICK, -15)]
    return fields


def read_views(
    newest: Newest, places: Sequence[int], packed: Sequence[bytes | None]
) -> tuple[Mapping[int, bytes], bool]:
    """The parts for these places that are valid for ``newest``, and whether any belongs to a later commit."""
    parts, later = {}, False
    for place, part in zip(places, packed, strict=True):
        try:
            cover, _, body = (part or b"").partition(b"\n")
            release, _, seq = cover.decode().partition(" ")
            made = Seq(int(seq)) if seq else -1
            later = later or made > newest.seq
            since = newest.seen[place] if place < len(newest.seen) else 0
            if release == newest.release and since <= made <= newest.seq:
                parts[place] = zlib.decompress(body, -15)
        except (ValueError, zlib.error):
            continue
    return parts, later
