"""Tracks whether search workers run, and enqueues searches for questions to search bots."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection, Sequence

from redis.exceptions import RedisError

from domain.kernel.terms import GameId
from service.core.jobs import worker_context
from service.core.queue import Queue
from service.core.queue.compute import ComputeJob, ComputeQueue, move_job
from service.ops.logging import logger
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import Due
from service.store.redis.store import Store
from service.store.shared.system import due_submission

CHOOSE = "workers.searching.move_choice.choose"
"""The job that computes one answer of a bot."""

GRACE = 10.0
"""Seconds without any heartbeat after which search workers count as gone: a restart takes less."""

START = 20.0
"""Seconds that search workers have to start."""

_KNOWN = 10_000
"""Number of games whose creators are cached."""

log = logger("thinking")


class SearchRequests:
    """The search workers, as a settle worker knows them (`workers.commits.search_answers.Thinking`)."""

    def __init__(
        self,
        compute: ComputeQueue,
        store: Store,
        queue: Queue,
        seconds: int,
        now: Callable[[], float] = time.monotonic,
        *,
        expected: bool = False,
    ) -> None:
        """``seconds``: time limit for a search; ``now``: a monotonic clock.

        ``expected``: search workers are started with this process, and get time to start.
        """
        self._compute, self._store, self._queue, self._seconds = compute, store, queue, seconds
        self._now, self._since = now, now() + (START if expected else 0)
        """Time of the last known heartbeat, or of the first check for one."""
        self._seen, self._lives = expected, False
        self._makers: dict[GameId, str] = {}

    @property
    def patience(self) -> int:
        """Milliseconds for a search; 0 if no search worker has sent a heartbeat lately."""
        return 1000 * self._seconds if self._seen and not self._alone else 0

    @property
    def _alone(self) -> bool:
        return not self._lives and self._now() - self._since >= GRACE

    def look(self, partitions: Collection[int]) -> int:
        """Check for search workers, and request again the awaited answers in these partitions that no job computes.

        Returns how many: those of a killed worker, those whose job was lost, and those of bots that had to wait.
        Without a heartbeat for `GRACE`, fallback bots answer at once.
        """
        self.refresh()
        awaited = self._store.schedule.awaited(partitions, 1000 * self._seconds)
        if self._alone:
            return sum(self._have_answered(*each) for each in awaited)
        return self._compute.enqueue([self._thought(*each) for each in awaited])

    def refresh(self) -> None:
        """Check whether any search worker is alive. Raises redis-py's errors."""
        silence = self._compute.silence()
        self._lives = silence is not None
        if silence is not None:
            self._since, self._seen = self._now() - silence / 1000, True

    def _have_answered(self, game_id: GameId, question: str) -> bool:
        """Submit early what the store would submit at the time limit, under the same id; whether it was the first."""
        document = due_submission(game_id, Due(0, question, "think"))
        receipt = self._store.log.submit(game_id, document, document["id"])
        if receipt.wake:
            self._queue.wake(self._store.schedule.partition(game_id))
        return receipt.status == "accepted"

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        try:
            self._compute.enqueue([self._thought(*each) for each in questions])
        except (RedisError, StoreDown):
            log.warning("search_jobs_not_queued", exc_info=True)

    def _thought(self, game_id: GameId, question: str) -> ComputeJob:
        """The job for a due question (`Due.question`), counted for the game's creator; one per question."""
        if game_id not in self._makers:
            if len(self._makers) >= _KNOWN:
                self._makers.clear()
            lobby = self._store.lobbies.get(game_id)
            self._makers[game_id] = "" if lobby is None else lobby.creator
        return move_job(CHOOSE, game_id, question, self._makers[game_id])


@functools.cache
def shared_asking() -> SearchRequests:
    """Cached for the process, because the time without heartbeats spans many jobs."""
    context = worker_context()
    queue, settings = ComputeQueue(context.queue.connection), context.settings
    return SearchRequests(
        queue, context.store, context.queue, settings.search_seconds, expected=settings.search_workers > 0
    )
