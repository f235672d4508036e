"""The queue of what is thought over: by workers of its own, so that nobody at a table waits for thoughts about another.

Whoever has something to be thought over enqueues a job by its dotted name, under an id that says what it is about. Twice the same is
one job. Jobs are short, some seconds at most, since they are taken one after another and bots at tables wait behind them: what
takes longer is cut into pieces, each of which enqueues the next. However many pieces wait, what is no piece waits for one of them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue as JobQueue
from rq.job import Job
from rq.serializers import JSONSerializer

THINK = "think"
"""The queue; a worker of it listens to no other."""

ALIVE = 15_000
"""Milliseconds after which a worker that gives no sign of life is taken for dead. It gives one every second, if the system lets it:
whoever goes behind all others may have to wait for that too."""

STRAY = 5000
"""Milliseconds for which a worker may have taken a job and not begun it: then it was killed in between."""

AT_ONCE = 4
"""Thoughts of one account that wait or are under way at a time: what it wants besides waits until it asks again, and others do not wait for it."""

PIECE = "analysis"
"""What the ids of pieces begin with."""

_LATELY, _LONGEST = "oraclewheel:pieces", 300_000
"""The mark that a piece is under way or was so lately, and the milliseconds that it lasts at most."""

REST = 4
"""So many times as long as a piece has taken all pieces wait behind what is none."""

_FORGOTTEN = 3600
"""Seconds after which nothing is known any more of what an account had thought over."""

_WORKERS = "oraclewheel:thinkers"
"""The names of the workers, those that have died since among them."""

_UNDER_WAY = frozenset({"queued", "started"})
"""Of a job that need not be enqueued again."""

# A job that came in last goes before all pieces that wait, but for the first where there was none lately: else they might wait for ever.
# Somebody may have taken it already.
_OVERTAKE = """
if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then return 0 end
local left = redis.call('PTTL', KEYS[2])
local pieces = (left > 0 and left <= tonumber(ARGV[3])) and 1 or 0
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if string.sub(id, 1, #ARGV[2]) == ARGV[2] then pieces = pieces + 1 end
  if pieces == 2 then return redis.call('LINSERT', KEYS[1], 'BEFORE', id, ARGV[1]) end
end
return redis.call('RPUSH', KEYS[1], ARGV[1])
"""

_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Thought:
    """Something to be thought over."""

    id: str
    """What it is about: two with the same id are one."""
    job: str
    """The dotted name of the function."""
    arguments: tuple[Any, ...] = ()
    """JSON values."""
    whose: str = ""
    """The account on whose behalf it is; of each there are `AT_ONCE` at a time, of what is nobody's any number."""


class ThinkQueue:
    """Jobs of the queue ``think``, and the workers that live. Raises redis-py's errors where the server is away."""

    def __init__(self, connection: Redis) -> None:
        self._connection = connection
        self._queue = JobQueue(THINK, connection=connection, serializer=JSONSerializer)

    # -- workers ------------------------------------------------------------------------------------------------------

    def lives(self, worker: str) -> None:
        """The sign of life of a worker, by its name as a worker of RQ."""
        pipeline = self._connection.pipeline(transaction=False)
        pipeline.sadd(_WORKERS, worker)
        pipeline.set(_sign(worker), 1, px=ALIVE)
        pipeline.execute()

    def ends(self, worker: str) -> None:
        """The worker takes no more jobs."""
        pipeline = self._connection.pipeline(transaction=False)
        pipeline.delete(_sign(worker))
        pipeline.srem(_WORKERS, worker)
        pipeline.execute()

    def living(self) -> frozenset[str]:
        """The workers that give a sign of life; none: nothing that is enqueued is thought over."""
        return frozenset(self._lasting())

    def silent(self) -> int | None:
        """For how many milliseconds none of those that live has given a sign; None where nobody lives."""
        return min((ALIVE - left for left in self._lasting().values()), default=None)

    def _lasting(self) -> Mapping[str, int]:
        """The workers that give a sign of life, and for how many milliseconds the last one holds."""
        members: Any = self._connection.smembers(_WORKERS)
        known = sorted(worker.decode() for worker in members)
        if not known:
            return {}
        pipeline = self._connection.pipeline(transaction=False)
        for worker in known:
            pipeline.pttl(_sign(worker))
        left = dict(zip(known, pipeline.execute(), strict=True))
        # What has longer to go than it can last was written before the server's clock was set back.
        living = {worker: more for worker, more in left.items() if 0 <= more <= ALIVE}
        if dead := [worker for worker in known if worker not in living]:
            self._connection.srem(_WORKERS, *dead)
        return living

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def enqueue(self, thoughts: Sequence[Thought], seconds: int = 900) -> int:
        """Enqueue those that neither wait nor are being thought over by a worker that lives; how many these were.

        What an account has no room for (`AT_ONCE`) is left out: whoever wants it asks again.
        ``seconds`` is the time that each may take. What a job comes to, it writes down itself.
        """
        if not thoughts:
            return 0
        known = self._states([thought.id for thought in thoughts])
        room = {whose: self._room(whose) for whose in {thought.whose for thought in thoughts} if whose}
        enqueued = 0
        for thought in thoughts:
            status = known[thought.id]
            if status in _UNDER_WAY:
                continue
            if thought.whose:
                if room[thought.whose] <= 0:
                    continue
                room[thought.whose] -= 1
                self._connection.sadd(_wanted(thought.whose), thought.id)
                self._connection.expire(_wanted(thought.whose), _FORGOTTEN)
            if status == "failed":
                self._queue.failed_job_registry.remove(job_id(thought.id))
            self._queue.enqueue(
                thought.job,
                *thought.arguments,
                job_id=job_id(thought.id),
                job_timeout=seconds,
                result_ttl=0,
                failure_ttl=86400,
            )
            if not job_id(thought.id).startswith(job_id(PIECE)):
                self._connection.eval(
                    _OVERTAKE, 2, self._queue.key, _LATELY, job_id(thought.id), job_id(PIECE), _LONGEST
                )
            enqueued += 1
        return enqueued

    @contextmanager
    def piece(self) -> Iterator[None]:
        """While this lasts, and for a while after it, what is no piece goes before all that wait."""
        began = time.monotonic()
        self._connection.set(_LATELY, 1, px=_LONGEST)
        try:
            yield
        finally:
            rest = int(1000 * REST * (time.monotonic() - began))
            self._connection.set(_LATELY, 1, px=max(1, min(_LONGEST, rest)))

    def state(self, id_: str) -> str:
        """``queued``, ``started`` by a worker that lives, ``failed``, or empty where there is no such job, or not any more."""
        return self._states([id_])[id_]

    def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return self._queue.count

    def _room(self, whose: str) -> int:
        """How many more of the account's thoughts may wait; those that do not any more are forgotten."""
        members: Any = self._connection.smembers(_wanted(whose))
        ids = sorted(member.decode() for member in members)
        states = self._states(ids) if ids else {}
        over = [id_ for id_, status in states.items() if status not in _UNDER_WAY]
        if over:
            self._connection.srem(_wanted(whose), *over)
        return AT_ONCE - len(ids) + len(over)

    def _states(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The status of each job; empty where there is none, or where a worker has taken it that does not live any more."""
        pipeline = self._connection.pipeline(transaction=False)
        for id_ in ids:
            pipeline.hmget(Job.key_for(job_id(id_)), "status", "worker_name")
        found = [[(part or b"").decode() for part in parts] for parts in pipeline.execute()]
        living = self.living() if any(status == "started" for status, _ in found) else frozenset()
        strays = self._strays({id_ for id_, (status, _) in zip(ids, found, strict=True) if status == "queued"})
        return {
            id_: "" if id_ in strays or (status == "started" and worker not in living) else status
            for id_, (status, worker) in zip(ids, found, strict=True)
        }

    def _strays(self, queued: Collection[str]) -> Collection[str]:
        """Those that are called queued, but were taken out of the queue long ago by a worker that had no time to begin them."""
        taken = self._queue.intermediate_queue.get_job_ids() if queued else []
        strays = []
        for id_ in sorted(id_ for id_ in queued if job_id(id_) in taken):
            mark = f"oraclewheel:taken:{job_id(id_)}"
            self._connection.set(mark, 1, nx=True, px=2 * STRAY)
            if int(self._connection.pttl(mark)) <= STRAY:
                self._queue.intermediate_queue.remove(job_id(id_))
                strays.append(id_)
        return strays


def thinkers(connection: Redis) -> int:
    """How many workers of the queue live; none where it does not answer."""
    with suppress(RedisError):
        return len(ThinkQueue(connection).living())
    return 0


def job_id(id_: str) -> str:
    """The id of RQ's job; RQ allows letters, digits, ``-`` and ``_``."""
    return f"{THINK}-{_FOREIGN.sub('-', id_)}"


def _sign(worker: str) -> str:
    return f"oraclewheel:thinker:{worker}"


def _wanted(whose: str) -> str:
    return f"oraclewheel:thinks:{whose}"
