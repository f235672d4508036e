"""Starts games, and limits the number of an account's running games."""

from __future__ import annotations

from collections.abc import Callable

from domain.kernel.terms import GameId
from service.core.notifications.game_subscriptions import list_participants, subscribe_game
from service.ops.logging import logger
from service.ops.settings import Settings
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis.store import Store

SLOT_SECONDS = 10 * 365 * 24 * 3600
"""Seconds that a game holds its place. `acquire_game_slot` frees the places of games that are over or deleted."""

NEW_GAME_SECONDS = 60
"""Seconds for which a game with a place may not be stored yet."""

LEFT, OLDEST = 10_000, 24 * 3600 * 1000
"""Milliseconds after the last change of a full lobby in which its API process may still start it, and after which no one does."""

log = logger("lobbies")


class TooManyRunning(Exception):
    """The creator has reached the limit of running games of this kind."""

    def __init__(self, code: str, most: int) -> None:
        super().__init__(code)
        self.code, self.most = code, most


def start_game(store: Store, settings: Settings, lobby: Lobby) -> None:
    """Start a full game. The caller must wake its partition. Raises `TooManyRunning` and `LobbyRefusal`."""
    if lobby.status == "lobby":
        _acquire_running_slots(store, settings, lobby)
    subscribe_game(store, lobby.id, list_participants(lobby))
    store.lobbies.start(lobby.id, lobby.creator, "begin")


def start_full(store: Store, settings: Settings) -> list[GameId]:
    """Start full games with ``auto_start`` that an API process left unstarted; returns those to wake a worker for.

    The API starts a game after its last seat was taken. It may have been killed in between, or the creator may have had
    too many running games.
    """
    now, started = store.schedule.now(), []
    for lobby, _ in store.lobbies.idle(now - LEFT, now - OLDEST):
        if not lobby.auto_start or not lobby.is_full:
            continue
        try:
            start_game(store, settings, lobby)
        except (TooManyRunning, LobbyRefusal):
            continue
        started.append(lobby.id)
        log.info("full_game_started", game=lobby.id)
    return started


def acquire_game_slot(store: Store, name: str, game_id: GameId, most: int, counts: Callable[[Lobby], bool]) -> bool:
    """Take one of ``most`` places (0: no limit) for a game. False if games that ``counts`` accepts have all of them."""
    places = store.places
    if not most or places.hold(name, game_id, most, SLOT_SECONDS)[0]:
        return True
    # A game that is over or deleted keeps its place until another game needs it.
    settled = [GameId(place) for place, left in places.held(name).items() if left < SLOT_SECONDS - NEW_GAME_SECONDS]
    lobbies = ((each, store.lobbies.get(each)) for each in settled)
    gone = [each for each, lobby in lobbies if lobby is None or not counts(lobby)]
    places.let_go([(name, each) for each in gone])
    return bool(gone) and places.hold(name, game_id, most, SLOT_SECONDS)[0]


def _acquire_running_slots(store: Store, settings: Settings, lobby: Lobby) -> None:
    names = [(f"running:{lobby.creator}", settings.running_games, "too-many-running-games")]
    if all(is_bot(chair.holder) for chair in lobby.chairs):
        names.append((f"bot-games:{lobby.creator}", settings.running_bot_games, "too-many-bot-games"))
    held: list[tuple[str, str]] = []
    for name, most, code in names:
        if not acquire_game_slot(store, name, lobby.id, most, _is_not_over):
            store.places.let_go(held)
            raise TooManyRunning(code, most)
        held.append((name, lobby.id))


def _is_not_over(lobby: Lobby) -> bool:
    return lobby.status != "over"
