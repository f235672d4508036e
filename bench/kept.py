"""What rounds need and do not measure, made once in a sitting: a release's games, stores and exports.

They are made by the release that is measured, in the first of its rounds, and lie in a folder of its own until the sitting ends.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = "ORACLEWHEEL_BENCH_KEPT"
"""The environment variable that names a release's folder; without it each process has one of its own, which goes with it."""


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name; `make` fills it the first time. Whoever wants to write into it takes a copy."""
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
