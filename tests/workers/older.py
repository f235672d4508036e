"""A worker of a release that does not know vacation substitutes: `python -m tests.workers.older <store>`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import domain

domain.RELEASE = "0.0.9"  # before any other module reads it

from domain.kernel.terms import Seat  # noqa: E402
from domain.table import vacations  # noqa: E402


@dataclass(frozen=True, slots=True)
class VacationAnnounced:
    """The event as an earlier release defined it."""

    seat: Seat
    vacation: str
    begins: int
    ends: int


vacations.VACATIONS.events["vacation_announced"] = VacationAnnounced

from domain.registry import GAMES  # noqa: E402
from service.store.reading.bodies import prepare  # noqa: E402
from service.store.redis.store import open_store  # noqa: E402
from workers.advance import Advance  # noqa: E402

if __name__ == "__main__":
    prepare(GAMES.values())
    store = open_store(sys.argv[1])
    worker = Advance.in_process(store)
    while worker.round(range(store.partitions)):
        pass
    print(json.dumps({game: [mark.code, mark.release] for game, mark in store.schedule.marks().items()}))
