"""How long commands have been waiting to be settled: shows whether the workers of a service make progress."""

from __future__ import annotations

import time
from collections.abc import Callable

from service.store.redis.store import Store


class Backlog:
    """Also uses the monotonic clock: the store's clock may have been set back."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._seen: dict[tuple[str, str], float] = {}

    def seconds(self) -> float:
        """Seconds that the oldest waiting command has waited; 0 if none does. Raises `StoreDown`.

        Games that were put off, which need an operator or another release, do not count.
        """
        waiting, now = self._store.schedule.waiting(), self._clock()
        self._seen = {(each.game_id, each.entry): self._seen.get((each.game_id, each.entry), now) for each in waiting}
        return max(
            (max(each.milliseconds / 1000, now - self._seen[each.game_id, each.entry]) for each in waiting), default=0.0
        )
