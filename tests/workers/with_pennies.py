"""A worker process that knows the tiny game: `python -m tests.workers.with_pennies pump`."""

from __future__ import annotations

import os
import sys

from domain.registry import GAMES
from tests.pennies import PENNIES
from workers import process, sweeper

if __name__ == "__main__":
    GAMES["pennies"] = PENNIES
    if os.environ.get("SWEEPER") == "off":
        sweeper.Sweeper.sweep = lambda self: 0
    process.work(sys.argv[1])
