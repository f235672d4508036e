"""Commits in the stream: the parts that cannot be recomputed, and the body deflated with a preset dictionary.

A packed commit has one byte for the dictionary's number, six for the instant, 32 for the head, one for the length of
the release, the release itself, and the body (raw deflate). The header is recomputed from these.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import orjson

from domain.kernel.terms import GameId
from service.store.codec import canonical
from service.store.seal import Sealed, digest, header_of, salt

DICTIONARY = 1
"""The newest dictionary: `reading/dictionary_<number>.json`, a list of pieces of bodies.

0 means no dictionary. Never change a released one.
"""
_WINDOW = -14
"""Raw deflate, 16 KiB."""
_LEVEL, _MEMORY = 6, 7
"""Level 9 saves two bytes a commit and costs 12 µs."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A commit as stored in the stream."""

    at: int
    head: str
    release: str
    body: bytes


def settled_at(packed: bytes) -> int:
    """The instant of a packed commit, without unpacking it."""
    return int.from_bytes(packed[1:7], "big")


@cache
def dictionary(number: int) -> bytes:
    """The preset dictionary with this number; raises `LookupError` if this release does not have it."""
    if number == 0:
        return b""
    file = resources.files(f"{__package__}.reading").joinpath(f"dictionary_{number}.json")
    if not file.is_file():
        raise LookupError(f"commits are packed with dictionary {number}, which this release does not have")
    return "".join(orjson.loads(file.read_bytes())).encode()


@cache
def _deflater(number: int) -> Any:
    preset = dictionary(number)
    if preset:
        return zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zdict=preset)
    return zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY)


@cache
def _inflater(number: int) -> Any:
    preset = dictionary(number)
    return zlib.decompressobj(_WINDOW, zdict=preset) if preset else zlib.decompressobj(_WINDOW)


def pack(sealed: Sealed, number: int = DICTIONARY) -> bytes:
    # Copying a primed compressor is cheaper than loading the dictionary, which costs more than packing a commit.
    deflater = _deflater(number).copy()
    body = deflater.compress(sealed.body) + deflater.flush()
    release = sealed.release.encode()
    return b"".join(
        (
            bytes((number,)),
            sealed.at.to_bytes(6, "big"),
            bytes.fromhex(sealed.head),
            bytes((len(release),)),
            release,
            body,
        )
    )


def unpack(packed: bytes) -> Packed:
    start = 40 + packed[39]
    return Packed(
        int.from_bytes(packed[1:7], "big"),
        packed[7:39].hex(),
        packed[40:start].decode(),
        _inflater(packed[0]).copy().decompress(packed[start:]),
    )


def header(game_id: GameId, seq: int, packed: Packed, previous: str, seed: bytes) -> bytes:
    """Recompute the header of a commit; ``previous`` is the head before it."""
    digest_ = digest(salt(seed, seq), packed.body)
    return canonical(header_of(game_id, seq, previous, packed.at, packed.release, digest_))


def pack_snapshot(release: str, document: bytes) -> bytes:
    """A snapshot with the release that made it, compressed."""
    return release.encode() + b"\n" + zlib.compress(document, 6)


def snapshot_release(packed: bytes) -> str:
    return packed[: packed.index(b"\n")].decode()


def unpack_snapshot(packed: bytes) -> bytes:
    return zlib.decompress(packed[packed.index(b"\n") + 1 :])
