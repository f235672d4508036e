"""Removes abandoned lobbies, and sandboxes some days after their end."""

from __future__ import annotations

from service.core.jobs import worker_context
from service.ops.logging import logger
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis.store import Store

DAY = 24 * 3600 * 1000
"""Milliseconds; a lobby without players is kept for so long."""

log, sandboxes = logger("lobbies"), logger("sandboxes")


def clear_lobbies() -> int:
    """Remove abandoned lobbies and expired sandboxes, as the settings say; returns how many."""
    context = worker_context()
    removed = clear(context.store, context.settings.lobby_days)
    return removed + expire(context.store, context.settings.sandbox_days)


def clear(store: Store, days: int) -> int:
    """Remove lobbies without players, and those unchanged for so many days (0: none); returns how many.

    Keeps a lobby that has changed since it was read.
    """
    if not days:
        return 0
    now, removed = store.schedule.now(), 0
    for lobby, touched in store.lobbies.idle(now - DAY):
        if _has_person(lobby) and touched > now - days * DAY:
            continue
        try:
            store.lobbies.delete(lobby.id, since=touched)
        except LobbyRefusal:
            continue
        removed += 1
        log.info("lobby_removed", game=lobby.id)
    return removed


def _has_person(lobby: Lobby) -> bool:
    return bool(lobby.reserved) or any(chair.holder and not is_bot(chair.holder) for chair in lobby.chairs)


def expire(store: Store, days: int) -> int:
    """Remove sandboxes that have been over for so many days (0: none); returns how many."""
    if not days:
        return 0
    removed = 0
    for game_id in store.archive.finished(store.schedule.now() - days * DAY):
        if store.lobbies.expire_sandbox(game_id):
            removed += 1
            sandboxes.info("sandbox_expired", game=game_id)
    return removed
