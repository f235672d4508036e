"""Games that have not started: removes abandoned ones, and starts full ones with ``auto_start``."""

from __future__ import annotations

from domain.kernel.terms import GameId
from service.core.game_start import TooManyRunning, start_game
from service.ops.logging import logger
from service.ops.settings import Settings
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis.store import Store

DAY = 24 * 3600 * 1000
"""Milliseconds; a lobby without players is kept for so long."""

LEFT = 10_000
"""Milliseconds after the last change of a full lobby in which its API process may still start it."""

log = logger("lobbies")


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


def start_full(store: Store, settings: Settings) -> list[GameId]:
    """Start full games with ``auto_start`` that an API process left unstarted; returns those to wake a worker for.

    The API starts a game after its last seat was taken. It may have been killed in between, or the creator may have had
    too many running games.
    """
    now, started = store.schedule.now(), []
    for lobby, _ in store.lobbies.idle(now - LEFT, now - DAY):
        if not lobby.auto_start or not lobby.is_full:
            continue
        try:
            start_game(store, settings, lobby)
        except (TooManyRunning, LobbyRefusal):
            continue
        started.append(lobby.id)
        log.info("full_game_started", game=lobby.id)
    return started


def _has_person(lobby: Lobby) -> bool:
    return any(chair.holder and not is_bot(chair.holder) for chair in lobby.chairs)
