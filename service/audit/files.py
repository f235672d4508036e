"""Reads export files, up to a limit: the user may name a device that has no end."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import IO

MAX_BYTES = 1 << 30
"""Maximum bytes of an export. No game is larger."""


def require_readable(path: Path, most: int = MAX_BYTES) -> None:
    """Raises `OSError` for anything except a pipe and a regular file of at most ``most`` bytes. Does not open it."""
    found = path.stat()
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISFIFO(found.st_mode)):
        raise OSError("it is neither a regular file nor a pipe")
    if found.st_size > most:
        raise OSError(_size_error(most))


def read_file(path: Path, most: int = MAX_BYTES) -> bytes:
    """The content of a file. Raises `OSError` as `require_readable` does, or if it cannot be read."""
    require_readable(path, most)
    with path.open("rb") as file:
        return read_stream(file, most)


def read_stream(file: IO[bytes], most: int = MAX_BYTES) -> bytes:
    """The rest of a stream. Raises `OSError` if it is longer than ``most`` bytes."""
    data = file.read(most + 1)
    if len(data) > most:
        raise OSError(_size_error(most))
    return data


def _size_error(most: int) -> str:
    return f"it is larger than {most >> 20} MiB"
