"""Temporary folders next to their final place. Leftovers of killed processes are removed by the next use."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def staging(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder with this prefix. It is removed at the end, with its remaining contents.

    The folder is locked while its process lives. An unlocked folder is a leftover of a killed process.
    """
    sweep(parent, prefix)
    stage = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    with _held(stage):
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders with this prefix whose processes have ended."""
    for left in parent.glob(f"{prefix}*"):
        with suppress(OSError), _held(left):
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Acquire the lock of a folder. Raises `BlockingIOError` if another process has it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
