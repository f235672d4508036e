"""Removes finished sandboxes some days after their end."""

from __future__ import annotations

from service.ops.logging import logger
from service.store.redis.store import Store

DAY = 24 * 3600 * 1000
"""Milliseconds."""

log = logger("sandboxes")


def expire(store: Store, days: int) -> int:
    """Remove sandboxes that have been over for so many days (0: none); returns how many."""
    if not days:
        return 0
    removed = 0
    for game_id in store.archive.finished(store.schedule.now() - days * DAY):
        if store.lobbies.expire_sandbox(game_id):
            removed += 1
            log.info("sandbox_expired", game=game_id)
    return removed
