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

from service.core.queue.compute import QUEUES, REQUESTS
from service.core.queue.connected import connected
from service.core.queue.failures import unsettled
from service.core.queue.lanes import SETTLE, Lanes, queue_name
from service.ops.logging import logger

CRON, SIDE = "cron", "side"
"""Queues in addition to those of the lanes and `compute.QUEUES`.

The cron worker listens to only one queue, because only then RQ takes a job without a moment in which it can be lost.
"""

_SERVING, _SIGN = "oraclewheel:serving", 10_000
"""Key of the heartbeat of the cron worker, and its lifetime in milliseconds."""

_ALIVE = 3000
"""Milliseconds without a heartbeat after which a drain of the outbox counts as dead."""

_HEARTBEAT = timedelta(seconds=60)
"""A worker with an older last heartbeat counts as dead: none of its jobs lasts that long without one."""

POSTED, _DRAIN = "oraclewheel:post", "oraclewheel:drain"
"""The list of partitions with due deliveries, and the heartbeat of a drain, or of a requested one."""

# A running drain reads the partitions from the list; without one, a drain is requested.
_POST = """
if redis.call('RPUSH', KEYS[1], unpack(ARGV, 2)) > 1000 then redis.call('LTRIM', KEYS[1], -1000, -1) end
local left = redis.call('PTTL', KEYS[2])
if left >= 0 and left <= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], 'asked', 'PX', ARGV[1])
return 1
"""

_SLOW, _MOST_SLOW = "oraclewheel:slow-receivers", 10_000
"""Sorted set of slow receivers, by until when they count as slow (Unix seconds), and its maximum size."""

_DRAIN_JOB = "workers.notifications.drain.drain"

_LET_GO = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Queue:
    def __init__(self, url: str, lanes: int = 2) -> None:
        """``lanes`` is the number of settle workers (`Settings.settle_workers`)."""
        self.connection = connected(url)
        self.lanes = Lanes(self.connection, lanes)

    def wake(self, partition: int) -> None:
        """Report that a game in this partition is ready. An unreachable queue is no error: the sweeper finds the game."""
        self.lanes.wake([partition])

    def wake_all(self, partitions: Iterable[int]) -> None:
        """As `wake`, for games in several partitions."""
        self.lanes.wake(partitions)

    def answers(self) -> bool:
        try:
            return bool(self.connection.ping())
        except RedisError:
            return False

    # -- workers ------------------------------------------------------------------------------------------------------

    def report_serving(self) -> None:
        """Set the heartbeat that workers are running."""
        self.connection.set(_SERVING, 1, px=_SIGN)

    def serving(self) -> bool:
        return 0 <= int(self.connection.pttl(_SERVING)) <= _SIGN

    def settling(self) -> int:
        """Number of lanes with a running worker."""
        return sum(any(map(_is_alive, Worker.all(queue=self.lanes.queue(lane)))) for lane in range(self.lanes.count))

    # -- the outbox ---------------------------------------------------------------------------------------------------

    def post(self, partitions: Collection[int]) -> None:
        """Report due deliveries in these partitions. An unreachable queue is no error: a sweep finds them."""
        try:
            if self.connection.eval(_POST, 2, POSTED, _DRAIN, _ALIVE, *partitions):
                self._jobs(SIDE).enqueue(_DRAIN_JOB, job_timeout=600, result_ttl=60, failure_ttl=86400)
        except RedisError:
            logger("queue").warning("delivery_not_enqueued", exc_info=True)

    def posted(self, seconds: float) -> set[int]:
        """The reported partitions since the last call; waits up to ``seconds`` for the first."""
        found: Any = (
            self.connection.blmpop(seconds, 1, POSTED, direction="LEFT", count=1000)
            if seconds
            else self.connection.lmpop(1, POSTED, direction="LEFT", count=1000)
        )
        return set() if found is None else set(map(int, found[1]))

    def drains(self, token: str) -> None:
        """Set the heartbeat of a drain."""
        self.connection.set(_DRAIN, token, px=_ALIVE)

    def drained(self, token: str) -> None:
        """Remove the heartbeat of a drain that ends."""
        self.connection.eval(_LET_GO, 1, _DRAIN, token)

    def drop_drains(self) -> None:
        """Remove other drains from the queue, which were requested while other jobs delayed the one that begins now."""
        queue = self._jobs(SIDE)
        for job in queue.get_jobs():
            with suppress(DeserializationError):  # the worker that takes the job reports it
                if job.func_name == _DRAIN_JOB and queue.remove(job):
                    job.delete()

    def slow_receivers(self) -> dict[str, float]:
        """The receivers that earlier drains found to be slow, with their remaining seconds as slow."""
        found: Any = self.connection.zrange(_SLOW, 0, -1, withscores=True)
        return {receiver.decode(): until - time.time() for receiver, until in found if until > time.time()}

    def keep_slow_receivers(self, receivers: Mapping[str, float]) -> None:
        """Store the slow receivers and their remaining seconds for later drains."""
        pipeline = self.connection.pipeline(transaction=False)
        pipeline.zadd(_SLOW, {receiver: time.time() + seconds for receiver, seconds in receivers.items()})
        pipeline.zremrangebyscore(_SLOW, "-inf", time.time())
        pipeline.zremrangebyrank(_SLOW, 0, -_MOST_SLOW - 1)
        pipeline.execute()

    def side_waits(self) -> bool:
        return bool(self._jobs(SIDE).count or self._jobs(REQUESTS).count)

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def enqueue_cron(self, name: str, seconds: int) -> None:
        """Enqueue a short periodic job by its dotted name, unless jobs are waiting: then the next time suffices."""
        queue = self._jobs(CRON)
        if not queue.count:
            queue.enqueue(name, job_timeout=seconds, result_ttl=0, failure_ttl=86400)

    def enqueue_side(self, name: str, *args: Any, seconds: int = 300) -> None:
        """Enqueue a side job by its dotted name; retried with back-off when it fails."""
        retry = Retry(max=5, interval=[1, 5, 15, 60, 300])
        self._jobs(SIDE).enqueue(name, *args, job_timeout=seconds, result_ttl=60, failure_ttl=86400, retry=retry)

    def failed(self) -> dict[str, list[str]]:
        """The ids of the jobs that RQ has given up and whose work no later job has done, by queue."""
        # Failed requests are reported to their clients, who may even cause them.
        return {name: unsettled(self._jobs(name)) for name in self._names() if name != REQUESTS}

    def settle_failed(self, name: str) -> int:
        """Retry failed side jobs, and delete those whose work later jobs have done; returns how many there were."""
        registry = self._jobs(name).failed_job_registry
        ids, open_ones = registry.get_job_ids(), set(unsettled(self._jobs(name)))
        for id_ in ids:
            if is_periodic(name) or id_ not in open_ones:
                registry.remove(id_, delete_job=True)
            else:
                registry.requeue(id_)
        return len(ids)

    def waiting(self) -> dict[str, int]:
        """Number of waiting jobs, by queue."""
        return {name: self._jobs(name).count for name in self._names()}

    def _names(self) -> list[str]:
        return [*(queue_name(lane) for lane in range(self.lanes.count)), CRON, SIDE, *QUEUES]

    def _jobs(self, name: str) -> JobQueue:
        return JobQueue(name, connection=self.connection, serializer=JSONSerializer)


def is_periodic(name: str) -> bool:
    """Whether the jobs of a queue find all their work each time they run, so that failed ones need no retry."""
    return name == CRON or name.startswith(SETTLE)


def _is_alive(worker: Any) -> bool:
    return worker.last_heartbeat is not None and now() - worker.last_heartbeat < _HEARTBEAT
