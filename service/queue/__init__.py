"""The queue Redis: wakes for the pumps, and RQ's jobs. Everything in it may be lost at any time and comes back."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from redis import ConnectionPool
from redis.exceptions import RedisError
from rq import Queue as JobQueue
from rq import Retry
from rq.serializers import JSONSerializer

from service.process.failures import unsettled
from service.process.logs import logger
from service.queue.connected import connected
from service.queue.thinking import THINK

PUMP, SIDE = "pump", "side"
"""Queues, beside `thinking.THINK`; a worker listens to exactly one, because only then RQ takes a job without ever dropping it."""

GROUPS = 16
"""Wake lists. A pump reads those of its own groups of partitions, so that no other pump takes the game from it."""

_SERVING, _SIGN = "oraclewheel:serving", 10_000
"""The key, and the milliseconds, of the sign that somebody keeps workers alive."""

_ALIVE = 3000
"""Milliseconds after which a pump, or a drain of the outbox, that gives no sign of life is taken for dead."""

POSTED, _DRAIN = "oraclewheel:post", "oraclewheel:drain"
"""The list of partitions in which subscriptions are owed something, and the sign that somebody sees to it, or was asked to."""

# What has longer to go than it can last was written before the server's clock was set back: its holder may be long dead.
_HOLD = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""

_ASK = """
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
return 1
"""

_FREE = """
if string.sub(redis.call('GET', KEYS[1]) or '', 1, #ARGV[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1], KEYS[2])
"""

# All wakes that have come, in one round trip, however many lists they lie in.
_WOKEN = """
local found, pop = {}, {unpack(KEYS)}
for _, word in ipairs({'LEFT', 'COUNT', 1000}) do pop[#pop + 1] = word end
while true do
  local popped = redis.call('LMPOP', #KEYS, unpack(pop))
  if not popped then return found end
  for _, wake in ipairs(popped[2]) do found[#found + 1] = wake end
end
"""

# A drain that lives hears of the partitions from its list; another one is asked for where none does.
_POST = """
redis.call('RPUSH', KEYS[1], unpack(ARGV, 2))
redis.call('LTRIM', KEYS[1], -1000, -1)
if redis.call('EXISTS', KEYS[2]) == 1 and redis.call('PTTL', KEYS[2]) <= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], 'asked', 'PX', ARGV[1])
return 1
"""

_LET_GO = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Wakes(Protocol):
    """Hints that a game in a partition is ready; the sweeper finds it without them, a second later."""

    def wake(self, partition: int) -> None:
        """Say that a game there has become ready; never fails."""


def groups_of(slot: int, slots: int) -> list[int]:
    """The wake lists that a pump reads; more pumps than there are lists share them."""
    return list(range(slot % GROUPS, GROUPS, min(slots, GROUPS)))


def partitions_of(slot: int, slots: int, groups: Collection[int], partitions: int) -> frozenset[int]:
    """The partitions of these wake lists that a pump alone is handed commands of, however many pumps share the lists."""
    sharing = len(range(slot % GROUPS, slots, GROUPS))
    return frozenset(
        number
        for number in range(partitions)
        if number % GROUPS in groups and number // GROUPS % sharing == slot // GROUPS
    )


class Ear:
    """One wait for wakes that goes on while its pump works: asked for once, and answered when the first have come."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._connection: Any = None
        self._asked = False

    def ask(self, groups: Sequence[int], seconds: float) -> None:
        """Wait for the wakes of these lists, for so long; nothing happens while the wait before goes on."""
        if self._asked:
            return
        if self._connection is None:
            self._connection = self._pool.make_connection()
            self._connection.connect()
        lists = [_wakes(group) for group in groups]
        self._connection.send_command("BLMPOP", seconds, len(lists), *lists, "LEFT", "COUNT", 1000)
        self._asked = True

    def fileno(self) -> int:
        """What can be read from when there is an answer."""
        return int(self._connection._sock.fileno())  # noqa: SLF001 - redis-py hands it out nowhere

    def heard(self) -> set[int]:
        """The partitions that wakes have come for; none while nothing was heard."""
        if not self._asked or not self._connection.can_read(0):
            return set()
        popped = self._connection.read_response()
        self._asked = False
        return set() if popped is None else set(map(int, popped[1]))

    def close(self) -> None:
        """Nobody waits any more; what came in this moment is found by whoever has the slot next."""
        self._asked = False
        if self._connection is not None:
            self._connection.disconnect()


class Queue:
    """What the API and the workers ask of the queue Redis."""

    def __init__(self, url: str) -> None:
        self.connection = connected(url)
        self._woken: Any = self.connection.register_script(_WOKEN)

    # -- wakes --------------------------------------------------------------------------------------------------------

    def wake(self, partition: int) -> None:
        """Say that a game there has become ready. An unreachable queue is no error: the sweeper needs none."""
        try:
            self.connection.rpush(wakes_of(partition), partition)
        except RedisError:
            logger("queue").warning("a wake was lost", partition=partition, exc_info=True)

    def woken(self, groups: Sequence[int], seconds: float = 0) -> set[int]:
        """The partitions that wakes have come for; with ``seconds``, waiting so long for the first of them.

        Whoever waits has nothing to do and gets the wakes of one list, as soon as there are any; the next call finds the rest.
        """
        lists = [_wakes(group) for group in groups]
        if seconds > 0:
            popped: Any = self.connection.blmpop(seconds, len(lists), *lists, direction="LEFT", count=1000)
            return set() if popped is None else set(map(int, popped[1]))
        return set(map(int, self._woken(keys=lists)))

    def unheard(self) -> int:
        """How many wakes lie in the lists that no pump has heard."""
        pipeline = self.connection.pipeline(transaction=False)
        for group in range(GROUPS):
            pipeline.llen(_wakes(group))
        return sum(pipeline.execute())

    def ear(self) -> Ear:
        """A wait for wakes beside other things; it raises redis-py's errors."""
        return Ear(self.connection.connection_pool)

    # -- pumps --------------------------------------------------------------------------------------------------------

    def hold(self, slot: int, token: str) -> bool:
        """Leave the sign of life of the pump in a slot; False if another one lives there."""
        return bool(self.connection.eval(_HOLD, 1, _slot(slot), token, _ALIVE))

    def let_go(self, slot: int, token: str) -> None:
        """The pump in the slot ends."""
        self.connection.eval(_LET_GO, 1, _slot(slot), token)

    def free(self, owner: str, slots: int) -> None:
        """A process that is known to be dead holds no slot any more; its tokens began with this."""
        for slot in range(slots):
            self.connection.eval(_FREE, 2, _slot(slot), _slot(slot) + ":asked", owner)

    def living(self, slots: int) -> set[int]:
        """The slots in which a pump lives."""
        pipeline = self.connection.pipeline(transaction=False)
        for slot in range(slots):
            pipeline.pttl(_slot(slot))
        return {slot for slot, left in enumerate(pipeline.execute()) if 0 <= left <= _ALIVE}

    def tell(self, slot: int, told: Mapping[str, Any]) -> None:
        """Leave word of what the pump in a slot does; it is as short-lived as its sign of life."""
        self.connection.set(_slot(slot) + ":told", json.dumps(told), px=_ALIVE)

    def told(self, slots: int) -> dict[int, dict[str, Any]]:
        """What each pump has told of its last second, by its slot (see `workers.pump.Doing.told`)."""
        found: Any = self.connection.mget([_slot(slot) + ":told" for slot in range(slots)])
        return {slot: json.loads(told) for slot, told in enumerate(found) if told is not None}

    def serve(self) -> None:
        """Whoever keeps workers alive leaves a sign of it."""
        self.connection.set(_SERVING, 1, px=_SIGN)

    def serving(self) -> bool:
        """Whether somebody keeps workers alive."""
        return 0 <= int(self.connection.pttl(_SERVING)) <= _SIGN

    def ensure_pumps(self, slots: int) -> int:
        """Enqueue a pump for every slot without one; how many were missing."""
        missing = sorted(set(range(slots)) - self.living(slots))
        return sum(self.enqueue_pump(slot, slots) for slot in missing)

    def enqueue_pump(self, slot: int, slots: int) -> bool:
        """Enqueue the pump of a slot, unless that was done a moment ago."""
        if not self.connection.eval(_ASK, 1, _slot(slot) + ":asked", _ALIVE):
            return False
        self._jobs(PUMP).enqueue("workers.pump.pump", slot, slots, job_timeout=-1, result_ttl=60, failure_ttl=86400)
        return True

    # -- the outbox ---------------------------------------------------------------------------------------------------

    def post(self, partitions: Collection[int]) -> None:
        """Say that subscriptions are owed something there. An unreachable queue is no error: a sweep finds it."""
        try:
            if self.connection.eval(_POST, 2, POSTED, _DRAIN, _ALIVE, *partitions):
                self._jobs(SIDE).enqueue("workers.post.drain.drain", job_timeout=-1, result_ttl=60, failure_ttl=86400)
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

    def side_waits(self) -> bool:
        """Whether side jobs wait for a worker."""
        return bool(self._jobs(SIDE).count)

    # -- jobs ---------------------------------------------------------------------------------------------------------

    def enqueue_side(self, name: str, *args: Any, seconds: int = 300) -> None:
        """Enqueue a side job by its dotted name; tried again with back-off when the infrastructure fails it."""
        retry = Retry(max=5, interval=[1, 5, 15, 60, 300])
        self._jobs(SIDE).enqueue(name, *args, job_timeout=seconds, result_ttl=60, failure_ttl=86400, retry=retry)

    def failed(self) -> dict[str, list[str]]:
        """The ids of the jobs that RQ has given up and whose work no other has done since, for each queue."""
        return {name: unsettled(self._jobs(name)) for name in (PUMP, SIDE, THINK)}

    def settle_failed(self, name: str) -> int:
        """Try failed side jobs again, and clear away what others have done since, as all pumps; how many there were."""
        registry = self._jobs(name).failed_job_registry
        ids, open_ones = registry.get_job_ids(), set(unsettled(self._jobs(name)))
        for id_ in ids:
            if name == PUMP or id_ not in open_ones:
                registry.remove(id_, delete_job=True)
            else:
                registry.requeue(id_)
        return len(ids)

    def waiting(self) -> dict[str, int]:
        """How many jobs wait in each queue."""
        return {name: self._jobs(name).count for name in (PUMP, SIDE, THINK)}

    def _jobs(self, name: str) -> JobQueue:
        return JobQueue(name, connection=self.connection, serializer=JSONSerializer)


def wakes_of(partition: int) -> str:
    """The list that a wake of this partition goes into."""
    return _wakes(partition % GROUPS)


def _wakes(group: int) -> str:
    return f"oraclewheel:wake:{group}"


def _slot(slot: int) -> str:
    return f"oraclewheel:pump:{slot}"
