"""The file of a private key: made on first use, and readable by the service alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from service.instance.folder import close, is_open
from service.process.logs import logger

SIZE = 32
"""Bytes of a key."""

log = logger("signing")


class BadKey(ValueError):
    """The file does not hold such a key."""


def private(path: Path, what: str, make: Callable[[], bytes]) -> bytes:
    """The key in that file; where there is none, one is made.

    Raises `BadKey` if the file holds anything but the 64 hex digits of a key; ``what`` says which: ``signing key``.
    """
    if not path.exists():
        _write(path, make())
    if not path.is_file():
        raise BadKey(f"{path} is not a file")  # and nothing of it is closed: it may be a folder that others live in
    if is_open(path):
        log.warning("a key was readable by other users of this machine", key=what, path=str(path), closed=close(path))
    return held(path, what)


def held(path: Path, what: str) -> bytes:
    """The key in a file, which is only read. Raises `BadKey` for anything else."""
    try:
        found = bytes.fromhex(path.read_text().strip())
    except (ValueError, UnicodeDecodeError):
        found = b""
    if len(found) != SIZE:
        raise BadKey(f"{path} does not contain a {what} (64 hex digits)")
    return found


def _write(path: Path, key: bytes) -> None:
    """Several processes may start at once: each writes a file of its own, and the first to link it has made the key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, own = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(key.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(own, path)
    except FileExistsError:
        pass
    finally:
        Path(own).unlink()
