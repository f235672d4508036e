"""Whether search workers run, and the jobs for what search bots are asked."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection, Sequence

from redis.exceptions import RedisError

from domain.terms import GameId
from service.process.logs import logger
from service.queue import Queue
from service.queue.compute import ComputeJob, ComputeQueue, move_job
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import Due
from service.store.redis.store import Store
from service.store.shared.system import due_submission
from workers.process import worker_context

CHOOSE = "workers.thinking.choosing.choose"
"""The job that thinks about one answer of a bot."""

GRACE = 10.0
"""Seconds without a sign of life of anybody after which nobody is waited for: who has died is started anew by then, if at all."""

START = 20.0
"""Seconds that search workers have to start."""

_KNOWN = 10_000
"""Games of which it is remembered who made them."""

log = logger("thinking")


class Asking:
    """The search workers, as a settle worker knows them (`workers.commits.thought.Thinking`)."""

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
        """``seconds`` are those for which an answer may be thought over; ``now`` are those of a clock that is never set.

        ``expected``: search workers are started with this process, and are awaited until they had time to start.
        """
        self._compute, self._store, self._queue, self._seconds = compute, store, queue, seconds
        self._now, self._since = now, now() + (START if expected else 0)
        """When the last sign of life was given, as far as this process knows; or when it began to look for one."""
        self._seen, self._lives = expected, False
        self._makers: dict[GameId, str] = {}

    @property
    def patience(self) -> int:
        """Milliseconds for which an answer may be thought over; 0 where nobody has given a sign of life lately."""
        return 1000 * self._seconds if self._seen and not self._alone else 0

    @property
    def _alone(self) -> bool:
        return not self._lives and self._now() - self._since >= GRACE

    def look(self, partitions: Collection[int]) -> int:
        """See whether anybody thinks, and ask again for what is awaited in these partitions and nobody thinks about.

        How many questions these were: those of a thinker that was killed, those whose job was lost, and those of bots that had to wait.
        Where nobody has given a sign of life for `GRACE`, they are the stand-ins' to answer, whatever time is left.
        """
        self.refresh()
        awaited = self._store.schedule.awaited(partitions, 1000 * self._seconds)
        if self._alone:
            return sum(self._have_answered(*each) for each in awaited)
        return self._compute.enqueue([self._thought(*each) for each in awaited])

    def refresh(self) -> None:
        """See whether any search worker lives. Raises redis-py's errors."""
        silence = self._compute.silence()
        self._lives = silence is not None
        if silence is not None:
            self._since, self._seen = self._now() - silence / 1000, True

    def _have_answered(self, game_id: GameId, question: str) -> bool:
        """Submit what the store would when the patience ends, under the same id; whether nobody had before."""
        document = due_submission(game_id, Due(0, question, "think"))
        receipt = self._store.log.submit(game_id, document, document["id"])
        if receipt.wake:
            self._queue.wake(self._store.schedule.partition(game_id))
        return receipt.status == "accepted"

    def ask(self, questions: Sequence[tuple[GameId, str]]) -> None:
        """See `workers.commits.thought.Thinking.ask`."""
        try:
            self._compute.enqueue([self._thought(*each) for each in questions])
        except (RedisError, StoreDown):
            log.warning("search_jobs_not_queued", exc_info=True)

    def _thought(self, game_id: GameId, question: str) -> ComputeJob:
        """The job that thinks about a question that is due (`Due.question`), on behalf of who made the game; one for each."""
        if game_id not in self._makers:
            if len(self._makers) >= _KNOWN:
                self._makers.clear()
            lobby = self._store.lobbies.get(game_id)
            self._makers[game_id] = "" if lobby is None else lobby.creator
        return move_job(CHOOSE, game_id, question, self._makers[game_id])


@functools.cache
def shared_asking() -> Asking:
    """The process keeps it: for how long no search worker has sent a heartbeat spans many jobs."""
    context = worker_context()
    queue, settings = ComputeQueue(context.queue.connection), context.settings
    return Asking(queue, context.store, context.queue, settings.search_seconds, expected=settings.search_workers > 0)
