"""Files and folders that only their owner can read."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
"""The permission bits of all users but the owner; also the umask."""


def keep_private() -> None:
    """Make new files of this process and its children readable by their user only."""
    os.umask(OTHERS)


def opened_privately(path: Path) -> int:
    """A file descriptor for reading and writing, of a file that is created if missing. Only its owner can read it.

    Existing content stays. Existing permissions are restricted.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_mode & OTHERS:
        with suppress(OSError):
            os.fchmod(descriptor, 0o600)
    return descriptor


def write(path: Path, text: str) -> None:
    """Write a small file atomically: after a crash it has either the new or the previous content."""
    descriptor, own = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(own).replace(path)
    except BaseException:
        Path(own).unlink(missing_ok=True)
        raise


def is_open(path: Path) -> bool:
    """Whether other users have any permission on the path; False if it does not exist."""
    try:
        return bool(mode_of(path) & OTHERS)
    except OSError:
        return False


def close(path: Path) -> bool:
    """Remove all permissions of other users. False if the path is not ours to change."""
    if is_shared(path):
        return False
    try:
        path.chmod(mode_of(path) & ~OTHERS)
    except OSError:
        return False
    return True


def is_shared(path: Path) -> bool:
    """Whether the path is the root folder or one in which all users write, such as /tmp.

    Restricting it would break the machine.
    """
    return path == path.parent or bool(mode_of(path) & stat.S_ISVTX)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
