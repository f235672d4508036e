"""A game as one object of the archive: what is kept of it beside its export, and the export, called by the SHA-256 of both.

Three parts of NDJSON, compressed with Zstandard: a line with the game's own fields, a line with what lies beside its log, and
the lines of its export as anybody gets them. Bytes stand in the first two as text, each byte as the character of its number.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import Any

import orjson

from domain.terms import GameId, Seq
from service.store import packing
from service.store.codec import canonical
from service.store.ports.beside import Held
from service.store.ports.errors import ArchiveDown
from service.store.seal import Sealed, head_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORM = 1
_LEVEL = 10
LARGEST = 1 << 30
"""Bytes of an object when it is unpacked: more is no game."""


def written(game_id: GameId, held: Held, export: bytes) -> bytes:
    """What an object holds. Random bytes stand in it: moved twice, or by two at once, a game is never the same object."""
    card = {"archived": FORM, "at": held.at, "game": game_id, "move": token_hex(8), "meta": _texts(held.meta)}
    beside = {
        "ids": _texts(held.ids),
        "told": _texts(held.told),
        "notes": {drawer: _texts(notes) for drawer, notes in held.drawers.items()},
    }
    return _line(card) + _line(beside) + export


def name_of(content: bytes) -> bytes:
    """The name of an object: 32 bytes."""
    return hashlib.sha256(content).digest()


def packed(content: bytes) -> bytes:
    """As it lies there."""
    return zstd.compress(content, _LEVEL)


def unpacked(game_id: GameId, name: bytes, data: bytes | None) -> bytes:
    """What the object of this name holds; raises `ArchiveDown` where it is missing, or is another."""
    if data is None:
        raise ArchiveDown(f"the object {name.hex()} of {game_id} is missing from the archive")
    try:
        # One byte more than there may be is asked for, so that one is found that has more.
        content = zstd.ZstdDecompressor().decompress(data, LARGEST + 1)
    except zstd.ZstdError as error:
        raise ArchiveDown(f"the object {name.hex()} of {game_id} is damaged: {error}") from error
    if name_of(content) != name:
        raise ArchiveDown(f"the object {name.hex()} of {game_id} is damaged: it is not what its name says")
    return content


def meta_in(content: bytes) -> dict[bytes, bytes]:
    """The game's own fields."""
    return _bytes(_card(content)["meta"])


def game_in(content: bytes) -> GameId:
    """Whose object it is."""
    return GameId(_card(content)["game"])


def held_in(content: bytes) -> Held:
    """What is kept of the game beside its commits."""
    card, beside = _card(content), orjson.loads(content.split(b"\n", 2)[1])
    notes = {drawer: _bytes(names) for drawer, names in beside["notes"].items()}
    return Held(_bytes(card["meta"]), _bytes(beside["ids"]), _bytes(beside["told"]), notes, at=card["at"])


def ended_in(content: bytes) -> int:
    """When its last commit was settled."""
    export = export_in(content)
    for line in reversed(export.splitlines()):
        if line.startswith(b'{"body":'):
            return int(orjson.loads(line)["header"]["at"])
    raise ValueError("there is no commit in it")


def export_in(content: bytes) -> bytes:
    """The export."""
    return content.split(b"\n", 2)[2]


def commits_in(export: bytes) -> Iterator[bytes]:
    """The commits of an export, packed for the log."""
    for line in export.split(b"\n"):
        if not line.startswith(b'{"body":'):
            continue
        document = orjson.loads(line)
        told, header = document["header"], canonical(document["header"])
        body = canonical(document["body"])
        yield packing.pack(
            Sealed(Seq(told["seq"]), told["at"], told["release"], header, body, head_of(header), told["previous"])
        )


def _card(content: bytes) -> Any:
    return orjson.loads(content.split(b"\n", 1)[0])


def _line(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _texts(pairs: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs.items()}


def _bytes(pairs: Mapping[str, str]) -> dict[bytes, bytes]:
    return {name.encode("latin-1"): value.encode("latin-1") for name, value in pairs.items()}
