"""A game as one object of the archive: its data outside the log, and its export. Its name is the SHA-256 of both.

Three parts of NDJSON, compressed with Zstandard: a line with the game's own fields, a line with its data outside the
log, and the lines of its public export. Bytes are encoded as Latin-1 text in the first two.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import Any

import orjson

from domain.kernel.terms import GameId, Seq
from service.store import packing
from service.store.codec import canonical
from service.store.ports.errors import ArchiveDown
from service.store.ports.side_data import GameData
from service.store.seal import Sealed, head_of
from service.store.shared.older_fields import converted, is_older

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORM = 2
"""The form of the game's own fields. Objects of form 1 were written by release 0.3.0 and are converted when read."""
_LEVEL = 10
LARGEST = 1 << 30
"""Maximum size in bytes of an unpacked object."""


def written(game_id: GameId, held: GameData, export: bytes) -> bytes:
    """The content of an object. Contains random bytes: archiving a game again never gives the same object."""
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
    return zstd.compress(content, _LEVEL)


def unpacked(game_id: GameId, name: bytes, data: bytes | None) -> bytes:
    """The content of the object with this name; raises `ArchiveDown` if it is missing or damaged."""
    if data is None:
        raise ArchiveDown(f"the object {name.hex()} of {game_id} is missing from the archive")
    try:
        # Ask for one byte more than the maximum, so that a larger object is detected.
        content = zstd.ZstdDecompressor().decompress(data, LARGEST + 1)
    except zstd.ZstdError as error:
        raise ArchiveDown(f"the object {name.hex()} of {game_id} is damaged: {error}") from error
    if name_of(content) != name:
        raise ArchiveDown(f"the object {name.hex()} of {game_id} is damaged: it is not what its name says")
    return content


def meta_in(content: bytes) -> dict[bytes, bytes]:
    """The game's own fields."""
    return _meta(_card(content))


def game_in(content: bytes) -> GameId:
    return GameId(_card(content)["game"])


def held_in(content: bytes) -> GameData:
    """The game's data other than its commits."""
    card, beside = _card(content), orjson.loads(content.split(b"\n", 2)[1])
    notes = {drawer: _bytes(names) for drawer, names in beside["notes"].items()}
    return GameData(_meta(card), _bytes(beside["ids"]), _bytes(beside["told"]), notes, at=card["at"])


def ended_in(content: bytes) -> int:
    """When its last commit was settled."""
    export = export_in(content)
    for line in reversed(export.splitlines()):
        if line.startswith(b'{"body":'):
            return int(orjson.loads(line)["header"]["at"])
    raise ValueError("there is no commit in it")


def export_in(content: bytes) -> bytes:
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


def _meta(card: Any) -> dict[bytes, bytes]:
    meta = _bytes(card["meta"])
    if card["archived"] == FORM or not is_older(meta):
        return meta
    fields, gone = converted(meta)
    changed = {
        name.encode(): value if isinstance(value, bytes) else str(value).encode() for name, value in fields.items()
    }
    return {name: value for name, value in {**meta, **changed}.items() if value and name.decode() not in gone}


def _card(content: bytes) -> Any:
    return orjson.loads(content.split(b"\n", 1)[0])


def _line(document: Mapping[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _texts(pairs: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs.items()}


def _bytes(pairs: Mapping[str, str]) -> dict[bytes, bytes]:
    return {name.encode("latin-1"): value.encode("latin-1") for name, value in pairs.items()}
