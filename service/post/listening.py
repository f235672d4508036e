"""Which games are told to which subscriptions: set when either begins, and set right by whoever finds it otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from domain.terms import GameId, PlayerId
from service.projections.history.seating import is_bot
from service.store.ports.lobbies import Lobby
from service.store.ports.outbox import Subscription
from service.store.redis.store import Store

AT_A_TIME = 200
"""Games of a player that are looked up at a time."""


def listen_everywhere(store: Store, subscription: Subscription) -> bool:
    """Have its games told to a subscription that is there; False where it is for one game, and that cannot be.

    Done after it was stored, so that a game which is joined meanwhile finds it.
    """
    if not subscription.active:
        return True
    games = _own_games(store, subscription)
    told = store.outbox.listen(games, subscription.id) if games else []
    return subscription.game is None or (bool(told) and all(told))


def _own_games(store: Store, subscription: Subscription) -> list[GameId]:
    """Those of its games that are its owner's and may have something to tell."""
    if subscription.game is not None:
        lobby = store.lobbies.get(subscription.game)
        return [] if lobby is None or not lobby.belongs_to(subscription.owner) else [subscription.game]
    games: list[GameId] = []
    cursor = None
    while True:
        page, cursor = store.lobbies.page(player_id=subscription.owner, cursor=cursor, limit=AT_A_TIME)
        games += [lobby.id for lobby in page if lobby.status != "over"]
        if cursor is None:
            return games


def leave_everywhere(store: Store, subscription: Subscription) -> None:
    """Tell it nothing more."""
    games = store.accounts.games_of(subscription.owner) if subscription.game is None else [subscription.game]
    if games:
        store.outbox.leave(games, subscription.id)


def listen_in(store: Store, game_id: GameId, players: Iterable[PlayerId]) -> None:
    """Have a game told to all that these players have subscribed to, whose game it is from now on.

    To be called after they came to the table, and before its first commit for all who are there.
    """
    for subscription in store.subscriptions.of(players):
        if subscription.active and subscription.game is None:
            store.outbox.listen([game_id], subscription.id)


def leave_in(store: Store, game_id: GameId, player_id: PlayerId) -> None:
    """Have a game told no more to what a player has subscribed to, if it is not theirs any more.

    Else their places among those who listen would be taken for ever, and there are so many of a game's.
    """
    for subscription in store.subscriptions.of([player_id]):
        if subscription.game in (None, game_id):
            store.outbox.leave([game_id], subscription.id)
            lobby = store.lobbies.get(game_id)
            if lobby is not None and lobby.belongs_to(player_id) and subscription.active:  # they came back meanwhile
                store.outbox.listen([game_id], subscription.id)


def people_of(lobby: Lobby) -> set[PlayerId]:
    """Whose game it is: those who sit there, and who made it."""
    return {
        lobby.creator,
        *(PlayerId(chair.holder) for chair in lobby.chairs if chair.holder is not None and not is_bot(chair.holder)),
    }


def mend(store: Store) -> int:
    """Have every game told to every subscription that it should be told to; how many subscriptions there are.

    Once an hour: for what was interrupted.
    """
    count = 0
    for subscription in store.subscriptions.every():
        listen_everywhere(store, subscription)
        count += 1
    return count


def sitters_listen(store: Store, games: Iterable[GameId]) -> None:
    """Have the games told to who sits in there."""
    for game_id in games:
        lobby = store.lobbies.get(game_id)
        if lobby is not None and lobby.seating.sitters:
            listen_in(store, game_id, [each.player for each in lobby.seating.sitters])
