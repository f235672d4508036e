"""A temporary folder beside what it is to become: gone on leaving, or, where its process was killed, when the next one is made there."""

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
    """A new folder whose name begins so; it is removed on leaving, with whatever is still in it.

    As long as its process lives the folder is locked: what nobody holds any more was left by one that was killed.
    """
    sweep(parent, prefix)
    stage = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    with _held(stage):
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders of that name whose processes are gone."""
    for left in parent.glob(f"{prefix}*"):
        with suppress(OSError), _held(left):
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; raises `BlockingIOError` where somebody else does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
