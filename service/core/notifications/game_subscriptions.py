"""Keeps the list of subscriptions that each game notifies. It is set when either begins, and repaired later."""

from __future__ import annotations

from collections.abc import Iterable

from domain.kernel.terms import GameId, PlayerId
from service.store.ports.lobbies import Lobby, is_bot
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

BATCH_SIZE = 200
"""Games of a player that are looked up at a time."""


def subscribe_all(store: Store, subscription: Subscription) -> bool:
    """Register an active subscription with its games. False if it is for one game and cannot be registered there.

    Call it after storing the subscription, so that games joined in the meantime find it.
    """
    if not subscription.active:
        return True
    games = _list_games(store, subscription)
    subscribed = store.outbox.listen(games, subscription.id) if games else []
    return subscription.game is None or (bool(subscribed) and all(subscribed))


def _list_games(store: Store, subscription: Subscription) -> list[GameId]:
    """The owner's games that the subscription covers and that may still have news."""
    if subscription.game is not None:
        lobby = store.lobbies.get(subscription.game)
        return [] if lobby is None or not lobby.belongs_to(subscription.owner) else [subscription.game]
    games: list[GameId] = []
    cursor = None
    while True:
        page, cursor = store.lobbies.page(player_id=subscription.owner, cursor=cursor, limit=BATCH_SIZE)
        games += [lobby.id for lobby in page if lobby.status != "over"]
        if cursor is None:
            return games


def unsubscribe_all(store: Store, subscription: Subscription) -> None:
    """Remove the subscription from all its games."""
    games = store.accounts.games_of(subscription.owner) if subscription.game is None else [subscription.game]
    if games:
        store.outbox.leave(games, subscription.id)


def subscribe_game(store: Store, game_id: GameId, players: Iterable[PlayerId]) -> None:
    """Register the subscriptions of players who now take part in a game.

    Call it after the players have joined, and before the first commit for the players of a new game.
    """
    for subscription in store.subscriptions.of(players):
        if subscription.active and subscription.game is None:
            store.outbox.listen([game_id], subscription.id)


def unsubscribe_game(store: Store, game_id: GameId, player_id: PlayerId) -> None:
    """Remove a player's subscriptions from a game that is no longer theirs.

    Otherwise they would use up the limited number of subscriptions of a game.
    """
    for subscription in store.subscriptions.of([player_id]):
        if subscription.game in (None, game_id):
            store.outbox.leave([game_id], subscription.id)
            lobby = store.lobbies.get(game_id)
            if lobby is not None and lobby.belongs_to(player_id) and subscription.active:  # they have come back
                store.outbox.listen([game_id], subscription.id)


def list_participants(lobby: Lobby) -> set[PlayerId]:
    """The creator and the players of a game."""
    return {
        lobby.creator,
        *(PlayerId(chair.holder) for chair in lobby.chairs if chair.holder is not None and not is_bot(chair.holder)),
    }


def reconcile(store: Store) -> int:
    """Register every subscription with its games, to repair interrupted changes. Returns the number of subscriptions.

    Runs once an hour.
    """
    count = 0
    for subscription in store.subscriptions.every():
        subscribe_all(store, subscription)
        count += 1
    return count


def subscribe_sitters(store: Store, games: Iterable[GameId]) -> None:
    """Register the subscriptions of sitters with the games in which they sit."""
    for game_id in games:
        lobby = store.lobbies.get(game_id)
        if lobby is not None and lobby.seating.sitters:
            subscribe_game(store, game_id, [each.player for each in lobby.seating.sitters])
