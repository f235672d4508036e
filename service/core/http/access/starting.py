"""Starting games: by their creators, or automatically when the last seat is taken."""

from __future__ import annotations

import time
from collections.abc import Iterable

from domain.kernel.terms import GameId, PlayerId
from service.core import game_start
from service.core.game_start import TooManyRunning
from service.core.http.access.quotas import too_many_games_problem
from service.core.http.context.app import AppContext
from service.core.http.problems import Problem
from service.core.notifications.lobby_notices import FULL, queue_lobby_notice
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby

STARTED_WITHIN = 10
"""Seconds that a start waits for the first commit by default."""


def start_game(context: AppContext, lobby: Lobby) -> None:
    """Start a game whose seats are taken. Raises `LobbyRefusal`, and the problem of too many running games."""
    try:
        game_start.start_game(context.store, context.settings, lobby)
    except TooManyRunning as error:
        raise too_many_games_problem(error.code, error.most) from error
    context.wake(lobby.id)


def start_and_wait(context: AppContext, lobby: Lobby, seconds: float = STARTED_WITHIN) -> bool:
    """Start a game, and wait so many seconds for its first commit. Returns whether it is stored. Raises as `start_game`."""
    news, until = context.store.news.subscribe(lobby.id), time.monotonic() + seconds
    try:
        start_game(context, lobby)
        while context.store.log.head(lobby.id)[0] == 0:
            left = until - time.monotonic()
            if left <= 0:
                return False
            news.wait(min(left, 1.0))
        return True
    finally:
        news.close()


def start_if_full(context: AppContext, game_id: GameId, player_id: PlayerId) -> None:
    """Start a full game that is to start by itself, or notify its creator; ``player_id`` took or filled the last seat."""
    lobby = context.store.lobbies.get(game_id)
    if lobby is None or lobby.status != "lobby" or not lobby.is_full:
        return
    if lobby.auto_start:
        try:
            start_game(context, lobby)
        except (Problem, LobbyRefusal):
            pass  # too many games of the creator are running, or a seat is free again
        else:
            return
    if lobby.creator != player_id:
        notify(context, lobby, [lobby.creator], FULL)


def notify(context: AppContext, lobby: Lobby, players: Iterable[PlayerId], what: str, at: int | None = None) -> None:
    """Notify players of a game that has not started (`service.core.notifications.lobby_notices`)."""
    owed = [queue_lobby_notice(context.store, lobby, player_id, what, at) for player_id in players]
    if any(owed) and context.queue is not None:
        context.queue.post([context.store.schedule.partition(lobby.id)])
