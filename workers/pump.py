"""The resident pump: an RQ job that settles commands for a while and then enqueues its successor."""

from __future__ import annotations

import functools
import os
import random
import secrets
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.process.child_process import PROCESS
from service.process.figures.catalogue import PUMPED, SETTLING, SWEEPING, WAITING
from service.process.figures.slowest import SLOWEST
from service.process.logs import logger
from service.queue import GROUPS, Queue, groups_of, partitions_of
from service.queue.thinking import ThinkQueue
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store
from service.store.ports.waiting import Work
from workers.advance import GAMES_A_CLAIM, Advance
from workers.process import Worker, worker_context
from workers.sweeper import Sweeper
from workers.thinking.asking import Asking

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
    asking = _asking()
    advance = Advance(context.store, context.positions, context.signer, thinking=asking)
    resident = Pump(context.store, context.queue, advance, slot, slots, lambda: Worker.stopping, asking=asking)
    handler = signal.getsignal(signal.SIGALRM)
    try:
        return resident.run(random.uniform(*LIFE))
    finally:
        signal.signal(signal.SIGALRM, handler)


@functools.cache
def _asking() -> Asking:
    """That of this process: how long nobody has given a sign of life is known for longer than one job lasts."""
    context = worker_context()
    queue, settings = ThinkQueue(context.queue.connection), context.settings
    asking = Asking(queue, context.store, context.queue, settings.think_seconds, expected=settings.thinkers > 0)
    with suppress(RedisError):
        asking.refresh()
    return asking


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
        asking: Asking | None = None,
    ) -> None:
        self._store, self._queue, self._advance = store, queue, advance
        self._slot, self._slots = slot, slots
        self._stopping = stopping
        self._sweeper, self._asking = sweeper or Sweeper(store, queue), asking
        self._token = f"{os.environ.get(PROCESS, '')}-{secrets.token_hex(8)}"
        self._groups = groups_of(slot, slots)
        self._hearing = Hearing(store, queue, slot, slots)
        self._swept = float("-inf")
        self._doing = Doing()

    def run(self, seconds: float) -> int:
        """Pump for so long, or until the process is to stop, then hand the slot on to a successor."""
        if not self._queue.hold(self._slot, self._token):
            return 0
        try:
            return self._pump(time.monotonic() + seconds)
        finally:
            self._hearing.close()

    def _pump(self, until: float) -> int:
        worked, busy = 0, self._all()
        while time.monotonic() < until and not self._stopping():
            try:
                if time.monotonic() - self._swept >= SWEEP:
                    if not self._queue.hold(self._slot, self._token):
                        log.warning("another pump took the slot", slot=self._slot)
                        return worked
                    with self._doing.spent(SWEEPING):
                        busy |= self._look_after()
                with self._doing.spent(WAITING):
                    handed, woken = self._hearing.heard(0 if busy else self._until_sweep())
                busy |= woken
                with self._doing.spent(SETTLING):
                    if busy:
                        worked += self._doing.took_up(self._advance.round(sorted(busy)))
                        busy &= self._advance.unfinished
                    worked += self._doing.took_up(len(handed))
                    busy |= self._advance.take(handed)
                if owing := self._store.outbox.owing():
                    self._queue.post(owing)
            except (StoreDown, RedisConnectionError, RedisTimeoutError) as error:
                log.warning("the store or the queue is away", error=str(error))
                time.sleep(PAUSE)
                # Wakes may have been lost, and whatever this process holds it holds for nothing.
                self._hearing.close()
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

    def _look_after(self) -> set[int]:
        """See which other pumps give a sign of life, and sweep; the partitions that it serves from now on as well."""
        before = self._all()
        living = self._queue.living(self._slots) | {self._slot}
        orphans = [slot for slot in range(self._slots) if slot not in living]
        self._groups = sorted({group for slot in (self._slot, *orphans) for group in groups_of(slot, self._slots)})
        self._hearing.listen(self._groups)
        self._queue.ensure_pumps(self._slots)
        self._queue.tell(self._slot, self._doing.told())
        self._sweeper.sweep()
        if self._asking is not None:
            self._asking.look(self._all())
        self._swept = time.monotonic()
        # Whoever served them is gone, with what was handed over to them.
        return self._all() - before


class Doing:
    """What a pump does with its time: counted for ever, and told of the stretch since it was told last."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}
        self._games = 0
        self._since = time.perf_counter()

    @contextmanager
    def spent(self, doing: str) -> Iterator[None]:
        """Count the time that the block takes, to whatever end it comes."""
        began = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            PUMPED.note(seconds, doing)
            self._spent[doing] = self._spent.get(doing, 0.0) + seconds

    def took_up(self, games: int) -> int:
        """So many games were taken up."""
        self._games += games
        return games

    def told(self) -> Mapping[str, Any]:
        """What was done since this was called last.

        ``process`` (host and process id), the shares of the time spent ``settling``, ``sweeping`` and ``waiting`` (0 to 1), the
        ``games`` taken up in a second, and the ``slow`` commands that were settled (`service.process.figures.slowest.Slow`).
        """
        now = time.perf_counter()
        length = max(now - self._since, 1e-9)
        shares = {doing: round(seconds / length, 3) for doing, seconds in self._spent.items()}
        games, self._spent, self._games, self._since = self._games / length, {}, 0, now
        slow = [asdict(each) for each in SLOWEST.taken()]
        return {"process": f"{socket.gethostname()}:{os.getpid()}", **shares, "games": round(games, 1), "slow": slow}


class Hearing:
    """What a pump hears, whichever comes first: commands that the store hands over, and wakes of the queue."""

    def __init__(self, store: Store, queue: Queue, slot: int, slots: int) -> None:
        self._inbox, self._ear = store.log.inbox(), queue.ear()
        self._partitions, self._slot, self._slots = store.partitions, slot, slots
        self._groups: Sequence[int] = ()
        self._left = False

    def listen(self, groups: Sequence[int]) -> None:
        """From now on to these wake lists and their partitions."""
        self._groups = groups
        self._inbox.listen(partitions_of(self._slot, self._slots, groups, self._partitions))

    def heard(self, seconds: float) -> tuple[Sequence[Work], set[int]]:
        """What was handed over, and the partitions that wakes have come for, after waiting so long for the first of them."""
        self._ear.ask(self._groups, SWEEP)
        poll = select.poll()
        inbox, ear = self._inbox.fileno(), self._ear.fileno()
        for each in (inbox, ear):
            poll.register(each, select.POLLIN)
        came = {number for number, _ in poll.poll(0 if self._left else 1000 * seconds)}
        handed = self._inbox.taken(GAMES_A_CLAIM) if self._left or inbox in came else ()
        self._left = len(handed) == GAMES_A_CLAIM
        return handed, self._ear.heard() if ear in came else set()

    def close(self) -> None:
        """Nobody listens any more: wakes stay in their lists, and what is handed over is found by a sweep."""
        self._left = False
        self._inbox.close()
        self._ear.close()
