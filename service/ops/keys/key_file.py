"""The file of a private key: created at first use, and readable by the service only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from service.ops.logging import logger
from service.ops.private_files import close, is_open

SIZE = 32
"""Size of a key in bytes."""

log = logger("signing")


class BadKey(ValueError):
    """The file does not contain a valid key."""


def private(path: Path, what: str, make: Callable[[], bytes]) -> bytes:
    """The key in the file. If there is no file, a new key is created.

    Raises `BadKey` if the file contains anything but the 64 hex digits of a key. ``what`` names the key in errors, such
    as ``signing key``.
    """
    if not path.exists():
        _write(path, make())
    if not path.is_file():
        raise BadKey(f"{path} is not a file")  # permissions are not changed: it may be a folder of other users
    if is_open(path):
        log.warning("key_file_exposed", key=what, path=str(path), closed=close(path))
    return held(path, what)


def held(path: Path, what: str) -> bytes:
    """The key in a file, read only. Raises `BadKey` if it is not valid."""
    try:
        found = bytes.fromhex(path.read_text().strip())
    except (ValueError, UnicodeDecodeError):
        found = b""
    if len(found) != SIZE:
        raise BadKey(f"{path} does not contain a {what} (64 hex digits)")
    return found


def _write(path: Path, key: bytes) -> None:
    """Create the file. Several processes may do this at once: each writes its own file, and the first to link it wins."""
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
