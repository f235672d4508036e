"""Scheduled notifications of a question: when it is asked, at half and at a tenth of its time, unless answered before.

Each question of a player is put into the outbox under its id: an entry for each instant. News of a game without a
question has an entry too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.notifications.deliveries import DeliveryResult, skip_unrelated
from service.core.notifications.lobby_notices import LOBBY_NOTICES, parse_instant
from service.core.notifications.questions import (
    MessageContext,
    find_last_move,
    find_pending_questions,
    find_status_change,
    load_status_change,
)
from service.core.notifications.schedule import (
    ASKED,
    HALF,
    OVER,
    SEAT_VACANT,
    TENTH,
    ReminderSchedule,
    plan_times,
    skip_quiet_hours,
)
from service.store.ports.lobbies import Lobby
from service.store.ports.outbox import DeliveryCursor, OutboxEntry, Subscription
from service.store.redis.store import Store

ABOUT_GAMES = (ASKED, HALF, TENTH, OVER, SEAT_VACANT, *LOBBY_NOTICES)
"""Kinds of outbox entries about a game, before the colon."""


def schedule_reminders(
    store: Store,
    entry: OutboxEntry,
    cursor: DeliveryCursor,
    subscription: Subscription,
    schedule: ReminderSchedule | None,
    there: int,
) -> DeliveryResult:
    """Put notifications of new questions into the outbox; without a ``schedule`` unsubscribe from the game.

    ``there``: see `find_due_time`.
    """
    lobby = store.lobbies.get(entry.game_id)
    if schedule is None or lobby is None:
        store.outbox.leave([entry.game_id], subscription.id)
        return DeliveryResult(cursor)
    if not lobby.belongs_to(subscription.owner):
        newest = store.log.head(entry.game_id)[0]
        return skip_unrelated(store, entry, cursor, newest, waits=lobby.seating.asks(subscription.owner))
    rows = store.views.asked([entry.game_id]).get(entry.game_id)
    newest = store.log.head(entry.game_id)[0] if rows is None else rows.seq
    for question in find_pending_questions(lobby, rows, subscription.owner):
        if int(question["id"].partition(":")[0]) > cursor.seq:
            for mark in _schedule(store, lobby, schedule, question, there):
                store.outbox.put(entry.game_id, subscription.id, f"{mark}:{question['id']}")
    found = find_status_change(store.log, lobby, rows, subscription.owner, cursor.seq)
    if found is not None:
        store.outbox.put(entry.game_id, subscription.id, f"{found.kind}:{found.seq}")
    return DeliveryResult(DeliveryCursor(newest))


def find_due_instant(
    context: MessageContext, entry: OutboxEntry, player: PlayerId, schedule: ReminderSchedule, there: int
) -> int | None:
    """When the notification of an outbox entry about a game is due; None if it is outdated.

    ``there``: see `find_due_time`.
    """
    what, _, rest = entry.subject.partition(":")
    if what in LOBBY_NOTICES:
        return skip_quiet_hours(schedule, parse_instant(rest))
    if what in (OVER, SEAT_VACANT):
        found = load_status_change(context, entry.game_id, player, int(rest) - 1)
        is_current = found is not None and (found.kind, found.seq) == (what, int(rest))
        return skip_quiet_hours(schedule, found.at) if found is not None and is_current else None
    return find_due_time(context.store, entry.game_id, player, schedule, rest, what, there)


def find_due_time(
    store: Store, game_id: GameId, player: PlayerId, schedule: ReminderSchedule, question: str, mark: str, there: int
) -> int | None:
    """When this mark of a pending question is due; None if the question is not pending, or has no notification.

    A player who has moved in the game within ``there`` milliseconds before the question is assumed to be online.
    """
    lobby = store.lobbies.get(game_id)
    found = find_pending_question(store, lobby, player, question)
    return None if lobby is None or found is None else _schedule(store, lobby, schedule, found, there).get(mark)


def find_pending_question(
    store: Store, lobby: Lobby | None, player: PlayerId, question: str
) -> Mapping[str, Any] | None:
    """The question, if it is pending for the player."""
    rows = None if lobby is None else store.views.asked([lobby.id]).get(lobby.id)
    return next((each for each in find_pending_questions(lobby, rows, player) if each["id"] == question), None)


def _schedule(
    store: Store, lobby: Lobby, schedule: ReminderSchedule, question: Mapping[str, Any], there: int
) -> Mapping[str, int]:
    since, seat = question["since"], Seat(question["seat"])
    moved = find_last_move(store.log, lobby.id, seat, since - there, since) if there else 0
    return plan_times(schedule, since, question["deadline"], moved + there - since if moved else 0, lobby.pace)
