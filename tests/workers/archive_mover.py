"""A process that moves games to the archive and is killed at a given line."""

from __future__ import annotations

from domain.registry import GAMES
from service.features.archive.mover import move_all
from service.store.redis.store import open_store
from tests.fatal_line import dying
from tests.pennies import PENNIES

WATCHED = ("service/features/archive/mover.py", "redis/archive.py", "shared/objects.py")


def run(url, archive, at, counted):
    """Move every game; die at the `at`-th line of the moving code (0: never). Puts the number of lines into `counted`."""
    GAMES["pennies"] = PENNIES
    store = open_store(url, archive=archive)
    with dying(WATCHED, at) as lines:
        moved = [each.word for each in move_all(store, 0)]
    if counted is not None:
        counted.put((lines[0], moved))
