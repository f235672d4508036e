"""Which games are told to which subscriptions: set when either begins, and set right by whoever finds it otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from domain.terms import GameId, PlayerId
from service.projections.history.seating import is_bot
from service.store.ports.lobbies import Lobby
from service.store.ports.outbox import Subscription
from service.store.ports.store import Store


def listen_everywhere(store: Store, subscription: Subscription) -> bool:
    """Have its games told to a subscription that is there; False where it is for one game, and that cannot be.

    Done after it was stored, so that a game which is joined meanwhile finds it.
    """
    if not subscription.active:
        return True
    games = store.accounts.games_of(subscription.owner) if subscription.game is None else [subscription.game]
    told = store.outbox.listen(games, subscription.id) if games else []
    return subscription.game is None or all(told)


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


def people_of(lobby: Lobby) -> set[PlayerId]:
    """Whose game it is: those who sit there, and who made it."""
    return {
        lobby.creator,
        *(PlayerId(chair.holder) for chair in lobby.chairs if chair.holder is not None and not is_bot(chair.holder)),
    }


def mend(store: Store) -> int:
    """Have every game told to every subscription that it should be told to; how many subscriptions there are.

    Once an hour: for what was cut off half-way, and for what releases before this one appended beside us.
    """
    count = 0
    for subscription in store.subscriptions.every():
        listen_everywhere(store, subscription)
        count += 1
    return count
