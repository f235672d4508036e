"""The queue Redis: RQ's jobs and the leases of lanes. Everything in it may be lost at any time."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from redis.exceptions import RedisError
from rq import Queue as JobQueue
from rq import Retry
from rq.exceptions import DeserializationError
from rq.serializers import JSONSerializer
from rq.utils import now
from rq.worker import Worker

from service.process.failures import unsettled
from service.process.logs import logger
from service.queue.compute import QUEUES, REQUESTS
from service.queue.connected import connected
from service.queue.lanes import SETTLE, Lanes, queue_name

CRON, SIDE = "cron", "side"
"""Queues, beside those of the lanes and `compute.QUEUES`; their workers listen to exactly one, because only then RQ takes a job without ever dropping it."""

_SERVING, _SIGN = "oraclewheel:serving", 10_000
"""The key, and the milliseconds, of the sign that workers run."""

_ALIVE = 3000
"""Milliseconds after which a drain of the outbox that gives no sign of life is taken for dead."""

_HEARTBEAT = timedelta(seconds=60)
"""A worker whose last heartbeat is older is taken for dead: none of its jobs lasts as long without one."""

POSTED, _DRAIN = "oraclewheel:post", "oraclewheel:drain"
"""The list of partitions in which subscriptions are owed something, and the sign that somebody sees to it, or was asked to."""

# A drain that lives hears of the partitions from its list; another one is asked for where none does.
_POST = """
if redis.call('RPUSH', KEYS[1], unpack(ARGV, 2)) > 1000 then redis.call('LTRIM', KEYS[1], -1000, -1) end
local left = redis.call('PTTL', KEYS[2])
if left >= 0 and left <= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], 'asked', 'PX', ARGV[1])
return 1
"""

_SLOW, _MOST_SLOW = "oraclewheel:slow-receivers", 10_000
"""The receivers that count as slow, by until when (seconds), and how many are kept."""

_DRAIN_JOB = "workers.post.drain.drain"

_LET_GO = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Queue:
    """What the API and the workers ask of the queue Redis."""

    def __init__(self, url: str, lanes: int = 2) -> None:
        """``lanes`` is the number of settle workers (`Settings.settle_workers`)."""
        self.connection = connected(url)
        self.lanes = Lanes(self.connection, lanes)

    def wake(self, partition: int) -> None:
        """Report that a game there has become ready. An unreachable queue is no error: the sweeper finds the game."""
        self.lanes.wake([partition])

    def wake_all(self, partitions: Iterable[int]) -> None:
        """As `wake`, for games in several partitions."""
        self.lanes.wake(partitions)

    def answers(self) -> bool:
        """Whether the server answers."""
        try:
            return bool(self.connection.ping())
        except RedisError:
            return False

    # -- workers ------------------------------------------------------------------------------------------------------

    def report_serving(self) -> None:
        """Leave the sign that workers run."""
        self.connection.set(_SERVING, 1, px=_SIGN)

    def serving(self) -> bool:
        """Whether workers run."""
        return 0 <= int(self.connection.pttl(_SERVING)) <= _SIGN

    def settling(self) -> int:
        """How many lanes have a worker that lives."""
        return sum(any(map(_is_alive, Worker.all(queue=self.lanes.queue(lane)))) for lane in range(self.lanes.count))

    # -- the outbox ---------------------------------------------------------------------------------------------------

    def post(self, partitions: Collection[int]) -> None:
        """Say that subscriptions are owed something there. An unreachable queue is no error: a sweep finds it."""
        try:
            if self.connection.eval(_POST, 2, POSTED, _DRAIN, _ALIVE, *partitions):
                self._jobs(SIDE).enqueue(_DRAIN_JOB, job_timeout=600, result_ttl=60, failure_ttl=86400)
        except RedisError:
            logger("queue").warning("what is owed was not posted", exc_info=True)

    def posted(self, seconds: float) -> set[int]:
        """The partitions in which something is owed since they were asked for last; waits so long for the first of them."""
        found: Any = (
            self.connection.blmpop(seconds, 1, POSTED, direction="LEFT", count=1000)
            if seconds
            else self.connection.lmpop(1, POSTED, direction="LEFT", count=1000)
        )
        return set() if found is None else set(map(int, found[1]))

    def drains(self, token: str) -> None:
        """The sign of life of who drains the outbox."""
        self.connection.set(_DRAIN, token, px=_ALIVE)

    def drained(self, token: str) -> None:
        """Who drained the outbox ends."""
        self.connection.eval(_LET_GO, 1, _DRAIN, token)

    def drop_drains(self) -> None:
        """Remove other drains from the queue: they were asked for while jobs kept the worker from the one that begins now."""
        queue = self._jobs(SIDE)
        for job in queue.get_jobs():
            with suppress(DeserializationError):  # the worker that takes the job reports it
                if job.func_name == _DRAIN_JOB and queue.remove(job):
                    job.delete()

    def slow_receivers(self) -> dict[str, float]:
        """The receivers that earlier drains have found to be slow, and for how many more seconds they count as such."""
        found: Any = self.connection.zrange(_SLOW, 0, -1, withscores=True)
        return {receiver.decode(): until - time.time() for receiver, until in found if until > time.time()}

    def keep_slow_receivers(self, receivers: Mapping[str, float]) -> None:
        """Keep these receivers, and for how many seconds they count as slow, for the drains to come."""
        pipeline = self.connection.pipeline(transaction=False)
        pipeline.zadd(_SLOW, {receiver: time.time() + seconds for receiver, seconds in receivers.items()})
        pipeline.zremrangebyscore(_SLOW, "-inf", time.time())
        pipeline.zremrangebyrank(_SLOW, 0, -_MOST_SLOW - 1)
        pipeline.execute()

    def side_waits(self) -> bool:
        """Whether jobs wait that a side worker could take."""
        return bool(self._jobs(SIDE).count or self._jobs(REQUESTS).count)

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def enqueue_cron(self, name: str, seconds: int) -> None:
        """Enqueue a short periodic job by its dotted name, unless jobs wait for the worker: the next time will do as well."""
        queue = self._jobs(CRON)
        if not queue.count:
            queue.enqueue(name, job_timeout=seconds, result_ttl=0, failure_ttl=86400)

    def enqueue_side(self, name: str, *args: Any, seconds: int = 300) -> None:
        """Enqueue a side job by its dotted name; tried again with back-off when the infrastructure fails it."""
        retry = Retry(max=5, interval=[1, 5, 15, 60, 300])
        self._jobs(SIDE).enqueue(name, *args, job_timeout=seconds, result_ttl=60, failure_ttl=86400, retry=retry)

    def failed(self) -> dict[str, list[str]]:
        """The ids of the jobs that RQ has given up and whose work no other has done since, for each queue."""
        # A request that fails is reported to its client, and may have been made to fail.
        return {name: unsettled(self._jobs(name)) for name in self._names() if name != REQUESTS}

    def settle_failed(self, name: str) -> int:
        """Try failed side jobs again, and delete those whose work others have done since; how many there were."""
        registry = self._jobs(name).failed_job_registry
        ids, open_ones = registry.get_job_ids(), set(unsettled(self._jobs(name)))
        for id_ in ids:
            if is_periodic(name) or id_ not in open_ones:
                registry.remove(id_, delete_job=True)
            else:
                registry.requeue(id_)
        return len(ids)

    def waiting(self) -> dict[str, int]:
        """How many jobs wait in each queue."""
        return {name: self._jobs(name).count for name in self._names()}

    def _names(self) -> list[str]:
        return [*(queue_name(lane) for lane in range(self.lanes.count)), CRON, SIDE, *QUEUES]

    def _jobs(self, name: str) -> JobQueue:
        return JobQueue(name, connection=self.connection, serializer=JSONSerializer)


def is_periodic(name: str) -> bool:
    """Whether the jobs of a queue find all their work anew each time, so that a failed one need not be tried again."""
    return name == CRON or name.startswith(SETTLE)


def _is_alive(worker: Any) -> bool:
    return worker.last_heartbeat is not None and now() - worker.last_heartbeat < _HEARTBEAT
