"""A process that computes one move of a bot and is killed at a given line."""

from __future__ import annotations

from service.core.positions.cache import Positions
from service.features.search_bots.choosing import Choosing
from service.store.redis.store import open_store
from tests.fatal_line import dying

WATCHED = ("service/features/search_bots/choosing.py", "redis/log/log.py")
WORTHS = {"search:1": 20, "search:2": 40, "search:3": 60}


class Unwoken:
    def wake(self, partition):
        """Ignore the wake: a sweep finds what is ready."""


def run(url, game, due, at, counted):
    """Compute the move; die at the `at`-th line (0: never). Puts the number of lines and the outcome into `counted`."""
    store = open_store(url)
    choosing = Choosing(store, Positions(store), Unwoken(), WORTHS)
    with dying(WATCHED, at) as lines:
        came = choosing.answer(game, due)
    if counted is not None:
        counted.put((lines[0], came))
