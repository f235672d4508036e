"""Jobs for compute workers that run until a test lets them end."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from workers.requests import limit


def ponder(folder):
    """Record the id of the process, and run until there is a file `enough`."""
    notes = Path(folder)
    with (notes / "began").open("a") as file:
        file.write(f"{os.getpid()}\n")
    while not (notes / "enough").exists():
        time.sleep(0.02)
    with (notes / "done").open("a") as file:
        file.write(f"{os.getpid()}\n")


def endless(seconds):
    """A request that catches every exception raised to end it."""
    limit(seconds)
    while True:
        with suppress(Exception):
            while True:
                pass


def large(seconds):
    limit(seconds)
    return len(bytearray(2 << 30))


def note(folder, what):
    with (Path(folder) / "notes").open("a") as file:
        file.write(f"{what}\n")


def fails(folder):
    raise ValueError(folder)


def thinkers_of(folder, what="began"):
    """The ids of the processes that have begun, or that are done."""
    file = Path(folder) / what
    return [int(line) for line in file.read_text().split()] if file.exists() else []
