"""How long commands have waited to be settled: what tells a service that answers from one that works."""

from __future__ import annotations

import time
from collections.abc import Callable

from service.store.redis.store import Store


class Backlog:
    """Watches the oldest commands by a clock of its own as well: the store's may have been set back."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._seen: dict[tuple[str, str], float] = {}

    def seconds(self) -> float:
        """How long the oldest waiting command has waited; 0 if none does. Raises `StoreDown`.

        Games that are put aside, which only an operator or another release can help, do not count.
        """
        waiting, now = self._store.schedule.waiting(), self._clock()
        self._seen = {(each.game_id, each.entry): self._seen.get((each.game_id, each.entry), now) for each in waiting}
        return max(
            (max(each.milliseconds / 1000, now - self._seen[each.game_id, each.entry]) for each in waiting), default=0.0
        )
