"""Once an hour: games that never started, and that nobody comes back to, are removed."""

from __future__ import annotations

from service.process.logs import logger
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store

DAY = 24 * 3600 * 1000
"""Milliseconds; so long a lobby is kept in which nobody sits."""

log = logger("lobbies")


def clear(store: Store, days: int) -> int:
    """Remove lobbies in which nobody sits, and those without any change for so many days (0: none); how many.

    What has changed since it was looked at stays.
    """
    if not days:
        return 0
    now, removed = store.schedule.now(), 0
    for lobby, touched in store.lobbies.idle(now - DAY):
        if _anybody(lobby) and touched > now - days * DAY:
            continue
        try:
            store.lobbies.delete(lobby.id, since=touched)
        except LobbyRefusal:
            continue
        removed += 1
        log.info("an abandoned game was removed before its start", game=lobby.id)
    return removed


def _anybody(lobby: Lobby) -> bool:
    return any(chair.holder and not chair.holder.startswith("bot:") for chair in lobby.chairs)
