"""Lanes: fixed shares of the partitions, each settled by one short RQ job at a time.

A lane has a lease and a list of woken partitions. The lease names the only job that may settle the lane: the newest
enqueued job, and then that job while it runs. A caller adds a partition to the list and then, if the lane has no lease,
enqueues a job; a job releases the lease only while the list is empty (in one script). So no wake is lost in between.
The lease is an optimization, not a lock: two jobs of one lane do each other no harm. It expires when its job was lost
or killed, and the sweeper then wakes the lane again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue as JobQueue
from rq.serializers import JSONSerializer

from service.ops.logging import logger

SETTLE = "settle"
"""The prefix of the queue names: the worker with the number 1 listens to `settle:1`, which gets the jobs of lane 1."""

JOB = "workers.settle.settle"

LEASE = 2000
"""Milliseconds that a lane waits for a job that was lost or killed."""

TIMEOUT = 300
"""Seconds after which RQ ends a job of a lane."""

_PLAYERS = "oraclewheel:players"
"""Key of the flag that players are playing."""

_KEPT = 1000
"""Maximum entries of a wake list. Beyond it the sweeper finds the games."""

# A lease that ends later than its length allows was written before the server's clock was set back: it is void.
_TAKE = """
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""

_FINISH = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 1 end
if redis.call('LLEN', KEYS[2]) > 0 then return 0 end
return redis.call('DEL', KEYS[1])
"""

_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Lanes:
    """The lanes of one number of lanes. Processes with different numbers settle the same games without harm."""

    def __init__(self, connection: Redis, count: int) -> None:
        self.count = count
        self._connection = connection
        self._take: Any = connection.register_script(_TAKE)
        self._finish: Any = connection.register_script(_FINISH)
        self._release: Any = connection.register_script(_RELEASE)

    def lane_of(self, partition: int) -> int:
        return partition % self.count

    def partitions(self, lane: int, partitions: int) -> set[int]:
        return set(range(lane, partitions, self.count))

    # -- waking -------------------------------------------------------------------------------------------------------

    def wake(self, partitions: Iterable[int]) -> None:
        """Report that games in these partitions are ready; enqueue a job for each lane without a lease.

        An unreachable queue is no error: the sweeper finds the games.
        """
        lanes: dict[int, list[int]] = {}
        for partition in partitions:
            lanes.setdefault(self.lane_of(partition), []).append(partition)
        for lane, woken in lanes.items():
            token = secrets.token_hex(8)
            try:
                pipeline: Any = self._connection.pipeline(transaction=False)
                waiting, left = pipeline.rpush(self._wakes(lane), *woken).pttl(self._lease(lane)).execute()
                if waiting > _KEPT:
                    self._connection.ltrim(self._wakes(lane), -_KEPT, -1)
                is_leased = 0 <= left <= LEASE
                if not is_leased and self._connection.set(self._lease(lane), token, px=LEASE, nx=left < 0):
                    self._enqueue(lane, token)
            except RedisError as error:
                logger("queue").warning("wake_lost", partitions=woken, error=str(error))

    def _enqueue(self, lane: int, token: str) -> None:
        """Enqueue a job for the lane's worker, or for the next one without waiting jobs if that is busy or gone."""
        queues = (self.queue((lane + after) % self.count) for after in range(self.count))
        queue = next((each for each in queues if not each.count), self.queue(lane))
        queue.enqueue(JOB, lane, self.count, token, job_timeout=TIMEOUT, result_ttl=0, failure_ttl=86400)

    # -- settling -----------------------------------------------------------------------------------------------------

    def take(self, lane: int, token: str) -> bool:
        """Acquire or renew the lease of a lane; False if it names another job."""
        return bool(self._take(keys=[self._lease(lane)], args=[token, LEASE]))

    def woken(self, lane: int, seconds: float = 0) -> set[int]:
        """The partitions in the wake list, which is emptied. With ``seconds``, wait that long for the first of them."""
        found: Any = (
            self._connection.blmpop(seconds, 1, self._wakes(lane), direction="LEFT", count=_KEPT)
            if seconds > 0
            else self._connection.lmpop(1, self._wakes(lane), direction="LEFT", count=_KEPT)
        )
        return set() if found is None else set(map(int, found[1]))

    def has_wakes(self, lane: int) -> bool:
        return bool(self._connection.llen(self._wakes(lane)))

    def finish(self, lane: int, token: str) -> bool:
        """Release the lease; False if wakes have come in, and then the job still has it."""
        return bool(self._finish(keys=[self._lease(lane), self._wakes(lane)], args=[token]))

    def release(self, lane: int, token: str) -> None:
        """Release the lease, whether or not wakes have come in: the next wake or the sweeper enqueues a job."""
        self._release(keys=[self._lease(lane)], args=[token])

    def continue_later(self, lane: int, token: str, left: Iterable[int]) -> None:
        """Enqueue the job again, behind the jobs that wait for this worker; it keeps its lease.

        ``left``: partitions in which games may still be ready.
        """
        if self.take(lane, token):
            if woken := list(left):
                self._connection.rpush(self._wakes(lane), *woken)
            self.queue(lane).enqueue(JOB, lane, self.count, token, job_timeout=TIMEOUT, result_ttl=0, failure_ttl=86400)

    def report_players(self) -> None:
        """Report that a player's command was settled just now."""
        self._connection.set(_PLAYERS, 1, px=LEASE)

    def players_active(self) -> bool:
        """Whether a player's command was settled in any lane lately."""
        return 0 <= int(self._connection.pttl(_PLAYERS)) <= LEASE

    def queue(self, worker: int) -> JobQueue:
        return JobQueue(queue_name(worker), connection=self._connection, serializer=JSONSerializer)

    # -- statistics ---------------------------------------------------------------------------------------------------

    def running(self) -> set[int]:
        """The lanes with a lease."""
        pipeline = self._connection.pipeline(transaction=False)
        for lane in range(self.count):
            pipeline.pttl(self._lease(lane))
        return {lane for lane, left in enumerate(pipeline.execute()) if 0 <= left <= LEASE}

    def publish(self, lane: int, stats: Mapping[str, Any]) -> None:
        """Publish the statistics of a lane's job (`workers.settle.SettleStats.snapshot`), for `oraclewheel top`."""
        self._connection.set(self._stats(lane), json.dumps(stats), px=2 * LEASE)

    def stats(self) -> dict[int, dict[str, Any]]:
        """The statistics that jobs published in the last seconds, by lane."""
        found: Any = self._connection.mget([self._stats(lane) for lane in range(self.count)])
        return {lane: json.loads(text) for lane, text in enumerate(found) if text is not None}

    def unread(self) -> int:
        pipeline = self._connection.pipeline(transaction=False)
        for lane in range(self.count):
            pipeline.llen(self._wakes(lane))
        return sum(pipeline.execute())

    def _lease(self, lane: int) -> str:
        return f"oraclewheel:lane:{self.count}:{lane}"

    def _wakes(self, lane: int) -> str:
        return f"oraclewheel:lane:{self.count}:{lane}:wakes"

    def _stats(self, lane: int) -> str:
        return f"oraclewheel:lane:{self.count}:{lane}:stats"


def queue_name(worker: int) -> str:
    return f"{SETTLE}:{worker}"
