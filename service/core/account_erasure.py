"""Erases an account: personal data is deleted, and games stay complete, with the account's id as a pseudonym.

Safe to interrupt and run again. The account and its tokens are deleted last.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from domain.kernel.record import NO_COMMIT, Submission
from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.accounts import apps
from service.core.history import chat
from service.core.notifications.game_subscriptions import unsubscribe_all
from service.store.codec import encode_submission
from service.store.ports.accounts import Credential
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, is_voted_on
from service.store.redis.store import Store

RESIGN_COMMAND = {"type": "resign"}
BATCH_SIZE = 100
_NO_LIMIT = 1 << 30
"""Disables the limits on refusals and unrequested commands, so that a resignation is always accepted."""
_TRIES, _PAUSE = 50, 0.1
"""Number of retries if a queue is full, and the seconds between them."""


def erase(
    store: Store,
    credential: Credential,
    wake: Callable[[GameId], None],
    erasers: Iterable[Callable[[Store, PlayerId], object]] = (),
) -> None:
    """Erase the account of this credential. Its running games see a normal resignation.

    ``erasers`` erase the data that features store of it. Each is called twice.
    """
    player_id = credential.player
    for lobby in list_games(store, player_id, "lobby"):
        _leave_lobby(store, lobby, player_id)
    for lobby in list_games(store, player_id, "running"):
        withdraw_requests(store, lobby, player_id)
        for seat in lobby.seats_of(player_id):
            if seat not in lobby.seating.vacant and _resign(store, lobby, seat, credential):
                wake(lobby.id)
    for subscription in store.subscriptions.of([player_id]):
        if subscription.owner != player_id:
            continue  # a device that another account uses by now
        store.subscriptions.remove(subscription)
        unsubscribe_all(store, subscription)
    erasers = (*erasers, chat.erase_all, apps.erase_apps)
    for each in erasers:
        each(store, player_id)
    store.accounts.erase(player_id)
    # A concurrent request may have stored something. No further request is possible from here on.
    for each in erasers:
        each(store, player_id)


def list_games(store: Store, player_id: PlayerId, status: str) -> Iterator[Lobby]:
    """The player's games with this status."""
    cursor = None
    while True:
        page, cursor = store.lobbies.page(player_id=player_id, status=status, cursor=cursor, limit=BATCH_SIZE)
        yield from page
        if cursor is None:
            return


def _leave_lobby(store: Store, lobby: Lobby, player_id: PlayerId) -> None:
    """Free the player's seats; delete the game if they created it. A game that starts in the meantime is handled as a running one."""
    if lobby.creator != player_id:
        free_lobby_seats(store, lobby, player_id)
        return
    with suppress(LobbyRefusal):
        store.lobbies.delete(lobby.id, player_id)


def free_lobby_seats(store: Store, lobby: Lobby, player_id: PlayerId) -> None:
    """Free the player's seats in a game that has not started. One that starts in the meantime is left as it is."""
    with suppress(LobbyRefusal):
        for seat in lobby.seats_of(player_id):
            store.lobbies.leave(lobby.id, player_id, seat)


def withdraw_requests(store: Store, lobby: Lobby, player_id: PlayerId) -> None:
    """End the player's sitting for others, and withdraw their seat requests unless a vote decides on them."""
    now: Lobby | None = lobby
    while now is not None:
        sitters = tuple(each for each in now.seating.sitters if each.player != player_id)
        wishes = now.seating.wishes
        if not is_voted_on(now):
            wishes = tuple(each for each in wishes if each[1] != player_id)
        after = replace(now.seating, sitters=sitters, wishes=wishes)
        if after == now.seating or store.lobbies.reseat(now, after):
            return
        now = store.lobbies.get(lobby.id)


def _resign(store: Store, lobby: Lobby, seat: Seat, credential: Credential) -> bool:
    """Resign the seat. Returns whether a worker must be woken. A seat that has resigned already refuses, which is harmless."""
    id_ = hashlib.sha256(f"erased\0{lobby.id}\0{credential.player}\0{seat}".encode()).hexdigest()[:24]
    tenure = lobby.seating.since.get(seat, NO_COMMIT)
    submission = Submission(id_, seat, RESIGN_COMMAND, 0, None, credential.id, "player", tenure)
    for _ in range(_TRIES):
        document = encode_submission(submission)
        receipt = store.log.submit(lobby.id, document, id_, refusals=_NO_LIMIT, unasked=_NO_LIMIT)
        if receipt.status != "full":
            return receipt.wake
        time.sleep(_PAUSE)
    return False
