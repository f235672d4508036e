"""Scheduled notifications of a question: when it is asked, at half and at a tenth of its time, unless answered before.

Each question of a player is put into the outbox under its id: an entry for each instant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.terms import GameId, PlayerId, Seat
from service.notifications.email.content import asked_of, moved_at, news_of
from service.notifications.email.mailbox import Mailbox, marks
from service.store.ports.lobbies import Lobby
from service.store.ports.outbox import Owed, Subscription, Told
from service.store.redis.store import Store
from workers.notifications.deliveries import Verdict, to_strangers


def put_off(
    store: Store, owed: Owed, told: Told, subscription: Subscription, box: Mailbox | None, there: int
) -> Verdict:
    """Put notifications of new questions into the outbox; without a ``box`` unsubscribe from the game.

    ``there``: see `due_at`.
    """
    lobby = store.lobbies.get(owed.game_id)
    if box is None or lobby is None:
        store.outbox.leave([owed.game_id], subscription.id)
        return Verdict(told)
    if not lobby.belongs_to(subscription.owner):
        newest = store.log.head(owed.game_id)[0]
        return to_strangers(store, owed, told, newest, waits=lobby.seating.asks(subscription.owner))
    rows = store.views.asked([owed.game_id]).get(owed.game_id)
    newest = store.log.head(owed.game_id)[0] if rows is None else rows.seq
    for question in asked_of(lobby, rows, subscription.owner):
        if int(question["id"].partition(":")[0]) > told.seq:
            for mark in _marks(store, lobby, box, question, there):
                store.outbox.put(owed.game_id, subscription.id, f"{mark}:{question['id']}")
    found = news_of(store.log, lobby, rows, subscription.owner, told.seq)
    if found is not None:
        store.outbox.put(owed.game_id, subscription.id, f"{found.what}:{found.seq}")
    return Verdict(Told(newest))


def due_at(
    store: Store, game_id: GameId, player: PlayerId, box: Mailbox, question: str, mark: str, there: int
) -> int | None:
    """When this mark of a pending question is due; None if the question is not pending, or has no notification.

    A player who has moved in the game within ``there`` milliseconds before the question is assumed to be online.
    """
    lobby = store.lobbies.get(game_id)
    found = stands(store, lobby, player, question)
    return None if lobby is None or found is None else _marks(store, lobby, box, found, there).get(mark)


def stands(store: Store, lobby: Lobby | None, player: PlayerId, question: str) -> Mapping[str, Any] | None:
    """The question, if it is pending for the player."""
    rows = None if lobby is None else store.views.asked([lobby.id]).get(lobby.id)
    return next((each for each in asked_of(lobby, rows, player) if each["id"] == question), None)


def _marks(store: Store, lobby: Lobby, box: Mailbox, question: Mapping[str, Any], there: int) -> Mapping[str, int]:
    since, seat = question["since"], Seat(question["seat"])
    moved = moved_at(store.log, lobby.id, seat, since - there, since) if there else 0
    return marks(box, since, question["deadline"], moved + there - since if moved else 0, lobby.pace)
