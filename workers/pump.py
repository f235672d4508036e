"""The resident pump: an RQ job that settles commands for a while and then enqueues its successor."""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from collections.abc import Callable

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.child_process import PROCESS
from service.logs import logger
from service.queue import GROUPS, Queue, groups_of
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store
from workers.advance import Advance
from workers.process import Worker, worker_context
from workers.sweeper import Sweeper

LIFE = (30.0, 60.0)
"""Seconds that one pump job lasts, drawn anew each time so that pumps do not end together."""

SWEEP = 1.0
"""Seconds between two sweeps, and the longest wait for a wake."""

PAUSE = 0.1
"""Seconds between attempts to reach a server that is away."""

log = logger("pump")


def pump(slot: int, slots: int) -> int:
    """The job: settle what is ready in the slot's share of the partitions; how many games it took up.

    Ends at once if the slot's pump lives already. A store or a queue that is away is waited for.
    """
    context = worker_context()
    advance = Advance(context.store, context.positions, context.signer)
    resident = Pump(context.store, context.queue, advance, slot, slots, lambda: Worker.stopping)
    handler = signal.getsignal(signal.SIGALRM)
    try:
        return resident.run(random.uniform(*LIFE))
    finally:
        signal.signal(signal.SIGALRM, handler)


class Pump:
    """One pump and the partitions it serves: its own, and those of slots where no pump lives."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        advance: Advance,
        slot: int,
        slots: int,
        stopping: Callable[[], bool],
        sweeper: Sweeper | None = None,
    ) -> None:
        self._store, self._queue, self._advance = store, queue, advance
        self._slot, self._slots = slot, slots
        self._stopping = stopping
        self._sweeper = sweeper or Sweeper(store, queue)
        self._token = f"{os.environ.get(PROCESS, '')}-{secrets.token_hex(8)}"
        self._groups = groups_of(slot, slots)
        self._swept = float("-inf")

    def run(self, seconds: float) -> int:
        """Pump for so long, or until the process is to stop, then hand the slot on to a successor."""
        if not self._queue.hold(self._slot, self._token):
            return 0
        worked = 0
        until = time.monotonic() + seconds
        busy = self._all()
        while time.monotonic() < until and not self._stopping():
            try:
                if time.monotonic() - self._swept >= SWEEP and not self._look_after():
                    return worked
                busy |= self._queue.woken(self._groups)
                if not busy:
                    busy = self._queue.woken(self._groups, self._until_sweep())
                if busy:
                    worked += self._advance.round(sorted(busy))
                    busy &= self._advance.unfinished
            except (StoreDown, RedisConnectionError, RedisTimeoutError) as error:
                log.warning("the store or the queue is away", error=str(error))
                time.sleep(PAUSE)
                # Wakes may have been lost, and whatever this process holds it holds for nothing.
                busy, self._swept = self._all(), float("-inf")
                continue
        self._queue.let_go(self._slot, self._token)
        self._queue.enqueue_pump(self._slot, self._slots)
        return worked

    def _all(self) -> set[int]:
        """Every partition that it serves: what is ready there may have nobody left to wake it."""
        return {number for number in range(self._store.partitions) if number % GROUPS in self._groups}

    def _until_sweep(self) -> float:
        return max(0.001, SWEEP - (time.monotonic() - self._swept))

    def _look_after(self) -> bool:
        """Give a sign of life, see which other pumps do, sweep; False if another pump has taken our slot."""
        if not self._queue.hold(self._slot, self._token):
            log.warning("another pump took the slot", slot=self._slot)
            return False
        living = self._queue.living(self._slots) | {self._slot}
        orphans = [slot for slot in range(self._slots) if slot not in living]
        self._groups = sorted({group for slot in (self._slot, *orphans) for group in groups_of(slot, self._slots)})
        self._queue.ensure_pumps(self._slots)
        self._sweeper.sweep()
        self._swept = time.monotonic()
        return True
