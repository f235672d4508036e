"""Notifies the creator of a game that all seats are taken, because they must start it."""

from __future__ import annotations

from dataclasses import dataclass

from domain.kernel.terms import GameId, PlayerId
from domain.registry import GAMES
from service.core.history.seating import add_opponents, build_seat_names, load_player_names
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store

FULL = "full"
"""Outbox entry: ``full:@`` and the instant at which the last seat was taken."""

TEXT = "Every seat is taken. Start the game when you are ready."


@dataclass(frozen=True, slots=True)
class FullGame:
    """A full game that waits for its creator."""

    lobby: Lobby
    title: str
    """``Nim with Birk``."""


def queue_full_game(store: Store, lobby: Lobby) -> bool:
    """Queue the notification for the creator. Returns whether there is a subscription for it."""
    what, owed = f"{FULL}:@{store.schedule.now()}", False
    for subscription in store.subscriptions.of([lobby.creator]):
        # Each delivery checks whether it is active: a daily mailbox gets this email, but no commits.
        if subscription.game in (None, lobby.id):
            store.outbox.put(lobby.id, subscription.id, what)
            owed = True
    return owed


def parse_instant(rest: str) -> int:
    """When the last seat was taken, from the part after the colon."""
    return int(rest.removeprefix("@"))


def find_full_game(store: Store, game_id: GameId, player_id: PlayerId, *, own: bool = True) -> FullGame | None:
    """The game, if it is full and waits for this player; None otherwise. With ``own`` its title omits their own seats."""
    lobby = store.lobbies.get(game_id)
    if lobby is None or lobby.status != "lobby" or lobby.creator != player_id or not lobby.is_full:
        return None
    holders = [chair.holder for chair in lobby.chairs]
    known = load_player_names(store.accounts, holders)
    seats = lobby.seats_of(player_id) if own else ()
    return FullGame(lobby, add_opponents(GAMES[lobby.kind].title, build_seat_names(holders, known), seats))
