"""Reads the replication offset from a snapshot file (RDB)."""

from __future__ import annotations

from pathlib import Path

_AUX = 0xFA
_HEAD = 9
"""Bytes of the word REDIS and the version after it."""
_LOOKED_AT = 4096
"""Bytes that contain the metadata of the file: a dozen short strings."""


def offset_in(path: Path) -> int | None:
    """The replication offset at the moment of the snapshot; None if the file does not contain it."""
    with path.open("rb") as file:
        data = file.read(_LOOKED_AT)
    if not data.startswith(b"REDIS") and not data.startswith(b"VALKEY"):
        return None
    at = _HEAD
    try:
        while data[at] == _AUX:
            name, at = _word(data, at + 1)
            value, at = _word(data, at)
            if name == b"repl-offset":
                return int(value)
    except (IndexError, ValueError):
        return None
    return None


def _word(data: bytes, at: int) -> tuple[bytes, int]:
    """A string of the file and the position after it. Raises `ValueError` for a compressed one; short strings never are."""
    form, low = data[at] >> 6, data[at] & 0x3F
    if form == 0:
        end = at + 1 + low
        return data[at + 1 : end], end
    if form == 1:
        end = at + 2 + (low << 8 | data[at + 1])
        return data[at + 2 : end], end
    if form == 3 and low < 3:  # an integer of 1, 2 or 4 bytes
        end = at + 1 + (1 << low)
        return str(int.from_bytes(data[at + 1 : end], "little", signed=True)).encode(), end
    raise ValueError("it is packed")
