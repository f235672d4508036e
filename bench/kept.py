"""Caches data that rounds need but do not measure: a release's games, stores and exports.

Created by the measured release, in its first round, and stored in its own folder until the end of the run.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = "ORACLEWHEEL_BENCH_KEPT"
"""Environment variable: a release's folder; without it each process has its own temporary one."""


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The folder with that name; `make` fills it the first time. To write into it, take a copy."""
    whole = _folder() / name
    if not whole.exists():
        making = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=whole.parent))
        make(making)
        making.rename(whole)
    return whole


def _folder() -> Path:
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="ow-kept-")
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
    return Path(os.environ[FOLDER])
