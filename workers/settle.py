"""The settle job: settle what is ready in one lane, wait a moment for more, and end.

The API and the sweeper enqueue it (`service.core.queue.lanes`). Safe to kill: the leases of its lane and of its games lapse,
and the sweeper wakes the lane again.
"""

from __future__ import annotations

import functools
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.core.jobs import worker_context
from service.core.queue import Queue
from service.core.queue.lanes import Lanes
from service.ops.logging import logger
from service.ops.metrics.catalogue import SETTLE_TIME, SETTLING, WAITING
from service.ops.metrics.slowest import SLOWEST
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store
from workers.advance import Advance
from workers.commits.search_answers import Thinking, shared_thinking
from workers.process import Worker

IDLE = 1.0
"""Seconds that the job waits for more work before it ends."""

RENEW = 0.5
"""Seconds between two renewals of the lane's lease."""

TURN = 1.0
"""Seconds after which the job makes room for another one for the same worker."""

LIFE = 30.0
"""Seconds after which the job enqueues itself again, so that none lasts forever."""

BOTS_SHARE = 0.25
"""Share of a worker's time for games with only bots while players play, on any worker."""

PAUSE = 0.1
"""Seconds between attempts to reach a server that is away."""

log = logger("settle")


def settle(lane: int, lanes: int, token: str) -> int:
    """The job: settle what is ready in the lane. Returns how many games it claimed.

    It ends at once if the lane's lease names another job.
    """
    context = worker_context()
    own = Lanes(context.queue.connection, lanes)
    job = SettleLane(
        context.store, context.queue, own, _advance(), lane, token, lambda: Worker.stopping, shared_thinking()
    )
    return job.run(LIFE)


@functools.cache
def _advance() -> Advance:
    """Cached for the process, with its positions and its data about quarantined games."""
    context = worker_context()
    return Advance(context.store, context.positions, context.signer, thinking=shared_thinking())


class SettleLane:
    def __init__(
        self,
        store: Store,
        queue: Queue,
        lanes: Lanes,
        advance: Advance,
        lane: int,
        token: str,
        stopping: Callable[[], bool],
        asking: Thinking | None = None,
    ) -> None:
        self._store, self._queue, self._lanes, self._advance = store, queue, lanes, advance
        self._lane, self._token, self._stopping, self._asking = lane, token, stopping, asking
        self._partitions = lanes.partitions(lane, store.partitions)
        self._stats = SettleStats()
        self._renewed = float("-inf")
        self._games = 0

    def run(self, seconds: float) -> int:
        """Settle for at most so many seconds; returns how many games were claimed.

        While the store or the queue is away, it waits until they are back: RQ's worker would not survive the end of a
        job.
        """
        begun = worked = time.monotonic()
        busy, woken, away = set[int](), set[int](), False
        while True:
            try:
                now = time.monotonic()
                if away or now - self._renewed >= RENEW:
                    away = False
                    if not self._lanes.take(self._lane, self._token):
                        return self._games  # another job settles the lane
                    self._renewed = now
                    self._publish()
                    self._share()
                    if self._stopping():
                        return self._stop()
                    if now - begun >= seconds or (now - begun >= TURN and self._lanes.queue(self._lane).count):
                        self._lanes.continue_later(self._lane, self._token, busy)
                        return self._games
                busy, woken = self._settle(busy, woken)
                if busy:
                    worked = time.monotonic()
                    continue
                left = worked + IDLE - time.monotonic()
                if left <= 0 and self._lanes.finish(self._lane, self._token):
                    self._advance.close()
                    return self._games
                with self._stats.spent(WAITING):
                    busy = woken = self._lanes.woken(self._lane, max(0.001, min(left, RENEW)))
                if busy:
                    worked = time.monotonic()
            except (StoreDown, RedisConnectionError, RedisTimeoutError) as error:
                if self._stopping():
                    return self._games
                log.warning("server_unavailable", lane=self._lane, error=str(error))
                time.sleep(PAUSE)
                # Wakes may be lost, and the leases of our games with them.
                busy = woken = set(self._partitions)
                away = True

    def _settle(self, busy: set[int], woken: set[int]) -> tuple[set[int], set[int]]:
        """Settle a batch; returns partitions in which games may still be ready, and those woken in the meantime."""
        if not busy:
            return busy, woken
        with self._stats.spent(SETTLING):
            self._games += self._stats.count(self._advance.round(sorted(busy), self._woken, woken))
        left = busy & self._advance.unfinished
        if owing := self._store.outbox.owing():
            self._queue.post(owing)
        woken = self._lanes.woken(self._lane, min(RENEW, self._advance.rest())) if left else set[int]()
        return left | woken, woken

    def _share(self) -> None:
        if self._advance.players_served():
            self._lanes.report_players()
        self._advance.bots_share = BOTS_SHARE if self._lanes.players_active() else 1.0

    def _woken(self) -> bool:
        with suppress(RedisError):  # the next renewal of the lease detects that the queue is away
            return self._lanes.has_wakes(self._lane)
        return False

    def _publish(self) -> None:
        self._lanes.publish(self._lane, self._stats.snapshot())
        if self._asking is not None:
            self._asking.refresh()

    def _stop(self) -> int:
        self._lanes.release(self._lane, self._token)
        return self._games


class SettleStats:
    """How a job spends its time: added to the metrics, and published for `oraclewheel top`."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}
        self._games = 0
        self._since = time.perf_counter()

    @contextmanager
    def spent(self, activity: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            SETTLE_TIME.note(seconds, activity)
            self._spent[activity] = self._spent.get(activity, 0.0) + seconds

    def count(self, games: int) -> int:
        self._games += games
        return games

    def snapshot(self) -> Mapping[str, Any]:
        """Statistics since the last call.

        ``process`` (host and process id), the shares of the time spent ``settling`` and ``waiting`` (0 to 1), the
        ``games`` claimed per second, and the ``slow`` commands that were settled
        (`service.ops.metrics.slowest.SlowCommand`).
        """
        now = time.perf_counter()
        length = max(now - self._since, 1e-9)
        shares = {activity: round(seconds / length, 3) for activity, seconds in self._spent.items()}
        games, self._spent, self._games, self._since = self._games / length, {}, 0, now
        slow = [asdict(each) for each in SLOWEST.taken()]
        return {"process": f"{socket.gethostname()}:{os.getpid()}", **shares, "games": round(games, 1), "slow": slow}
