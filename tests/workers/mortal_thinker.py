"""A process of its own that thinks about one answer of a bot, and is killed at a line that it is told."""

from __future__ import annotations

from service.projections.positions.cache import Positions
from service.store.redis.store import open_store
from tests.fatal_line import dying
from workers.thinking.choosing import Choosing

WATCHED = ("workers/thinking/choosing.py", "redis/log/log.py")
WORTHS = {"search:1": 20, "search:2": 40, "search:3": 60}


class Unwoken:
    def wake(self, partition):
        """Nobody hears it: a sweep finds what is ready."""


def run(url, game, due, at, counted):
    """Answer; die at the ``at``-th line (0: never); how many lines there were is put into ``counted``, with what came of it."""
    store = open_store(url)
    choosing = Choosing(store, Positions(store), Unwoken(), WORTHS)
    with dying(WATCHED, at) as lines:
        came = choosing.answer(game, due)
    if counted is not None:
        counted.put((lines[0], came))
