"""Finds lost wakes, due commands, dead workers, and deadlines that passed in an outage; one process at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from domain.kernel.terms import GameId
from service.core.followers.runner import GROUP
from service.core.pace.clock import made_up, waits_out_outages
from service.core.queue import Queue
from service.ops.logging import logger
from service.store.chain import BrokenLog
from service.store.redis.log.schedule import SWEPT
from service.store.redis.store import Store

LOCK = 1500
"""Milliseconds after which another process takes over from a sweeper that is gone."""

OUTAGE = 15_000
"""Milliseconds without a sweep that count as an outage; shorter gaps are restarts."""

BACK = 1000
"""Minimum milliseconds since the last heartbeat by which the store's clock must have gone back to count as set back."""

FOLLOWED_EVERY = 5.0
"""Seconds between two checks for changes that the followers have not seen."""

TOGETHER = 128
"""Partitions swept together, in two round trips: a compromise between few trips and short ones."""

log = logger("sweeper")


class Sweeper:
    """Finds lost work. Running it twice, late, or not at all for a while changes only when things happen."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue
        self._followed = float("-inf")

    def sweep(self) -> int:
        """One round over all partitions, unless another process is the sweeper; returns how many games were made ready."""
        if not self._store.schedule.lock("sweeper", LOCK):
            return 0
        self._forgive()
        ready = 0
        for first in range(0, self._store.partitions, TOGETHER):
            swept = self._store.schedule.sweep_all(range(first, min(first + TOGETHER, self._store.partitions)))
            for partition, found in swept.items():
                if found:
                    ready += found
                    self._queue.wake(partition)
        if time.monotonic() - self._followed > FOLLOWED_EVERY:
            # Normally the settle worker that made the commits calls the followers: unless it was killed in between.
            for partition in self._store.changes.behind(GROUP, range(self._store.partitions)):
                self._queue.wake(partition)
            self._followed = time.monotonic()
        return ready

    def _forgive(self) -> None:
        """Put off deadlines that passed while nothing was swept; call before the sweep, which would submit them."""
        # Read the heartbeat before the time, and again if they are far apart: a process that is delayed in between for
        # longer than the lock lasts would take the next sweeper's heartbeats for a clock that was set back, or miss
        # them as an outage.
        before, now = self._store.schedule.last_beat(SWEPT), self._store.schedule.now()
        if before is not None and not -BACK < now - before < OUTAGE and self._store.schedule.last_beat(SWEPT) != before:
            return
        if before is not None and before - now >= BACK:
            log.warning("clock_set_back", duration_ms=before - now)
            for partition in range(self._store.partitions):
                self._store.schedule.clock_back(partition, before - now)
        if before is not None and now - before >= OUTAGE:
            log.warning("no_sweeps", duration_ms=now - before)
            for partition in range(self._store.partitions):
                for game_id, due in self._store.schedule.overdue(partition, before):
                    pace = self._pace(game_id)
                    if pace is None or not waits_out_outages(pace):
                        continue
                    try:
                        by = made_up(pace, due.when, before, now)
                        receipt = self._store.schedule.put_off(game_id, due.question, by)
                    except BrokenLog as error:
                        log.warning("deadline_game_not_readable", game=game_id, reason=str(error))
                        continue
                    log.warning("deadline_deferred", game=game_id, question=due.question, receipt=receipt.status)
        # Last, so that if this process is killed before, the next one sees the outage as well.
        self._store.schedule.beat(SWEPT)

    def _pace(self, game_id: GameId) -> Mapping[str, Any] | None:
        try:
            lobby = self._store.lobbies.get(game_id)
        except BrokenLog:
            return None  # its settle worker quarantines it
        return None if lobby is None else lobby.pace
