"""A worker process that knows the test game: `python -m tests.workers.with_pennies settle 0`."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from domain.registry import GAMES
from service.features.analysis import jobs
from tests.pennies import PENNIES, PenniesRules
from workers import process, schedule, sweeper

POISON = 666


def fails_once(note):
    """A side job that fails the first time because of the infrastructure."""
    path = Path(note)
    path.write_text(path.read_text() + "tried\n" if path.exists() else "tried\n")
    if path.read_text().count("tried") == 1:
        raise ConnectionError("not today")


class Poisonous(PenniesRules):
    """Pennies whose rules exit the whole process at a certain number of pennies."""

    def decide(self, state, seat, command, dice):
        if getattr(command, "pennies", 0) == POISON:
            os._exit(1)
        return super().decide(state, seat, command, dice)


if __name__ == "__main__":
    GAMES["pennies"] = replace(PENNIES, rules=Poisonous())
    jobs.SECONDS = float(os.environ.get("PIECE_SECONDS", jobs.SECONDS))
    schedule.MINUTE = float(os.environ.get("MINUTE", schedule.MINUTE))
    if os.environ.get("SWEEPER") == "off":
        sweeper.Sweeper.sweep = lambda self: 0
    process.work(
        sys.argv[1],
        int(sys.argv[2]) if len(sys.argv) > 2 else 0,
        schedule.CronSchedule if sys.argv[1] == "cron" else None,
    )
