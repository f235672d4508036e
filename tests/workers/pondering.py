"""A job that thinks until it is told that it has thought enough."""

from __future__ import annotations

import os
import time
from pathlib import Path


def ponder(folder):
    """Note which process thinks, and think until there is a file ``enough``."""
    notes = Path(folder)
    with (notes / "began").open("a") as file:
        file.write(f"{os.getpid()}\n")
    while not (notes / "enough").exists():
        time.sleep(0.02)
    with (notes / "done").open("a") as file:
        file.write(f"{os.getpid()}\n")


def note(folder, what):
    with (Path(folder) / "notes").open("a") as file:
        file.write(f"{what}\n")


def fails(folder):
    raise ValueError(folder)


def thinkers_of(folder, what="began"):
    """The processes that have begun, or that are done."""
    file = Path(folder) / what
    return [int(line) for line in file.read_text().split()] if file.exists() else []
