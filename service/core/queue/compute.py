"""Compute jobs, which RQ's forking workers run, each in its own process.

Requests (pictures, positions to check) are jobs whose result the API waits for (`ComputeRequests`).
Moves of search bots and analyses may be enqueued repeatedly by several callers: a job that waits or runs is not
enqueued again (`ComputeQueue`). If a worker or the queue is lost, the job is no longer known, and is enqueued the next
time.
"""

from __future__ import annotations

import re
import time
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.exceptions import LockError, RedisError
from rq import Queue as JobQueue
from rq import Retry
from rq.job import Job
from rq.results import Result
from rq.serializers import JSONSerializer
from rq.utils import now, utcparse
from rq.worker import Worker

from domain.kernel.terms import GameId

COMPUTE = "compute"
"""The name of the worker process."""

REQUESTS, MOVES, ANALYSES = "compute:requests", "compute:moves", "compute:analyses"

LEVELS = (1.0, 4.0, 16.0, 64.0)
"""Thresholds in seconds of recent use: above each, the moves for an account wait in the next queue, with lower priority."""

MOVE_QUEUES = (MOVES, *(f"{MOVES}-{level}" for level in range(1, len(LEVELS) + 1)))

QUEUES = (REQUESTS, *MOVE_QUEUES, ANALYSES)
"""In order of priority: an analysis waits while moves wait."""

FORGET = 10
"""Seconds in which one second of use expires."""

WAITING = 64
"""Maximum number of waiting requests; further ones are rejected at once."""

ALIVE = 15.0
"""Seconds since its last heartbeat for which a worker counts as running. Heartbeats may be late: it has low priority."""

PER_ACCOUNT = 4
"""Maximum moves for the games of one account that wait or are computed; others are enqueued later."""

_TIMEOUT = 900
"""Seconds after which RQ ends a job. Jobs end themselves earlier."""

_KEPT = 10
"""Seconds for which RQ keeps the result of a request."""

_ENQUEUE_SECONDS = 5
"""Seconds for which a caller may find missing jobs and enqueue them while others wait."""

_RETRY = 2
"""How often RQ restarts a job that has failed or whose process was killed."""

# The use of an account expires with time: it is the remaining life of the key.
_USE = """
local left = math.max(0, redis.call('PTTL', KEYS[1]))
redis.call('SET', KEYS[1], 1, 'PX', math.min(left + ARGV[1], 3600000))
"""

_FOREIGN = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class ComputeJob:
    """A job, whose id is the same whenever the same result is wanted."""

    id: str
    """Letters, digits, `-` and `_`."""
    queue: str
    function: str
    """The dotted name."""
    arguments: tuple[Any, ...] = ()
    """JSON values."""
    owner: str = ""
    """The account whose share of the workers it uses (`PER_ACCOUNT`). Empty: no limit."""


def move_job(function: str, game_id: GameId, question: str, owner: str) -> ComputeJob:
    """The job for the answer of a search bot."""
    return ComputeJob(
        f"{_prefix(owner)}{plain_id(f'{game_id} {question}')}", MOVES, function, (game_id, question), owner
    )


class ComputeQueue:
    """The compute queues and their workers. Raises redis-py's errors if the server is away."""

    def __init__(self, connection: Redis) -> None:
        self._connection = connection
        self._add_use: Any = connection.register_script(_USE)
        self._queues = {
            name: JobQueue(name, connection=connection, serializer=JSONSerializer) for name in (*MOVE_QUEUES, ANALYSES)
        }

    def workers(self) -> int:
        return len(self._workers())

    def silence(self) -> int | None:
        """Milliseconds since the last heartbeat of any running worker; None if none runs."""
        ages = [age for age, _ in self._workers()]
        return int(1000 * max(0.0, min(ages))) if ages else None

    def waiting(self) -> int:
        return sum(queue.count for queue in self._queues.values())

    def active(self) -> set[str]:
        """The ids of all jobs that wait or that a running worker has started."""
        running = {job for _, job in self._workers() if job}
        return running.union(*(queue.get_job_ids() for queue in self._queues.values()))

    def enqueue(self, jobs: Sequence[ComputeJob]) -> int:
        """Enqueue the jobs that are not active and whose owner is below the limit; returns how many.

        One caller at a time: RQ would enqueue a job twice that two callers found missing. Returns 0 if others kept this
        call waiting for `_ENQUEUE_SECONDS` seconds; callers ask again later.
        """
        if not jobs:
            return 0
        lock = self._connection.lock(
            "oraclewheel:compute-enqueue", timeout=_ENQUEUE_SECONDS, blocking_timeout=_ENQUEUE_SECONDS, sleep=0.01
        )
        if not lock.acquire():
            return 0
        try:
            return self._enqueue_missing(jobs)
        finally:
            with suppress(LockError):  # it has lapsed
                lock.release()

    def _enqueue_missing(self, jobs: Sequence[ComputeJob]) -> int:
        active, enqueued = self.active(), 0
        used = _used(active, {job.owner for job in jobs if job.owner})
        use = self.recent_use({job.owner for job in jobs})
        for job in sorted(jobs, key=lambda job: use[job.owner]):
            if job.id in active or (job.owner and used[job.owner] >= PER_ACCOUNT):
                continue
            queue = self._queues[move_queue(use[job.owner]) if job.queue == MOVES else job.queue]
            queue.failed_job_registry.remove(job.id)
            queue.enqueue(
                job.function,
                *job.arguments,
                job_id=job.id,
                job_timeout=_TIMEOUT,
                result_ttl=0,
                failure_ttl=86400,
                retry=Retry(max=_RETRY),
            )
            active.add(job.id)
            used[job.owner] += 1
            enqueued += 1
        return enqueued

    def add_use(self, owner: str, seconds: float) -> None:
        """Count the time of a move for an account."""
        if owner and seconds > 0:
            self._add_use(keys=[_use_key(owner)], args=[int(1000 * FORGET * seconds)])

    def recent_use(self, owners: Collection[str]) -> Mapping[str, float]:
        """The seconds of search that each account has used lately."""
        pipeline, names = self._connection.pipeline(transaction=False), list(owners)
        for owner in names:
            pipeline.pttl(_use_key(owner))
        return {owner: max(0, int(left)) / 1000 / FORGET for owner, left in zip(names, pipeline.execute(), strict=True)}

    def _workers(self) -> list[tuple[float, str]]:
        """For each running worker the seconds since its last heartbeat, and the id of its job."""
        keys = Worker.all_keys(queue=self._queues[MOVES])
        pipeline = self._connection.pipeline(transaction=False)
        for key in keys:
            pipeline.hmget(key, "last_heartbeat", "current_job")
        found = [[(value or b"").decode() for value in values] for values in (pipeline.execute() if keys else [])]
        aged = [((now() - utcparse(heartbeat)).total_seconds(), job) for heartbeat, job in found if heartbeat]
        return [(age, job) for age, job in aged if abs(age) < ALIVE]  # negative: its clock was set back since


class Unanswered(Exception):
    """No worker had time for a request, or the queue is away."""


class JobFailed(Exception):
    """The process of a request ended without a result: it took too long, or more memory than allowed."""


class ComputeRequests:
    def __init__(self, connection: Redis) -> None:
        self._connection = connection
        self._queue = JobQueue(REQUESTS, connection=connection, serializer=JSONSerializer)

    def result(self, function: str, arguments: Sequence[Any], seconds: int, owner: str) -> Any:
        """The result of a function, called in another process with JSON arguments. It ends itself after ``seconds``.

        Waits that long for the owner's last request, for a worker, and for the result: each account or address has one
        request at a time, so a request waits behind at most one of each other. Raises `Unanswered` or `JobFailed`.
        """
        lock = self._connection.lock(
            f"oraclewheel:request:{owner}", timeout=3 * seconds + 2, blocking_timeout=seconds, sleep=0.05
        )
        try:
            if self._queue.count >= WAITING or not lock.acquire():
                raise Unanswered
            try:
                found = self._found(function, arguments, seconds)
            finally:
                with suppress(LockError):  # it has lapsed
                    lock.release()
        except RedisError as error:
            raise Unanswered from error
        if found.type is not Result.Type.SUCCESSFUL:
            raise JobFailed
        return found.return_value

    def _found(self, function: str, arguments: Sequence[Any], seconds: int) -> Result:
        job = self._queue.enqueue(
            function,
            *arguments,
            job_timeout=2 * seconds,
            ttl=4 * seconds,  # if this process dies, no one deletes the job
            result_ttl=_KEPT,
            failure_ttl=_KEPT,
            description=function,
        )
        found = _result(job, seconds)
        if found is None and self._queue.get_job_position(job) is None:
            found = _result(job, seconds + 1)
        if found is None:
            job.delete()
            raise Unanswered
        return found


def _result(job: Job, seconds: int) -> Result | None:
    """The result of a job within so many seconds; waits a second at a time, because connections time out."""
    until = time.monotonic() + seconds
    while True:
        found = job.latest_result(timeout=1)
        if found is not None or time.monotonic() >= until:
            return found


def move_queue(use: float) -> str:
    """The queue for moves of an account with this recent use in seconds: less use has a higher priority."""
    return MOVE_QUEUES[bisect(LEVELS, use)]


def search_workers(connection: Redis) -> int:
    """The number of running workers; 0 if the server does not respond."""
    with suppress(RedisError):
        return ComputeQueue(connection).workers()
    return 0


def _used(active: Iterable[str], owners: Collection[str]) -> Counter[str]:
    prefixes: Mapping[str, str] = {_prefix(owner): owner for owner in owners}
    counts = Counter(id_[: id_.find("-", len("move-")) + 1] for id_ in active if id_.startswith("move-"))
    return Counter({owner: counts[prefix] for prefix, owner in prefixes.items()})


def _prefix(owner: str) -> str:
    return f"move-{plain_id(owner)}-"


def _use_key(owner: str) -> str:
    return f"oraclewheel:compute-use:{owner}"


def plain_id(text: str) -> str:
    """The text with characters that RQ allows in ids, without the hyphen that separates their parts."""
    return _FOREIGN.sub("_", text)
