"""Erasing an account: what is the player's own goes, and every game stays whole under the pseudonym that their id is.

Whoever is interrupted asks again: nothing is done twice, and the account with its tokens goes last.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from domain.play.record import NO_COMMIT, Submission
from domain.terms import GameId, PlayerId, Seat
from service.post.letters import links
from service.post.listening import leave_everywhere
from service.projections import reports
from service.projections.history import spoken
from service.store.codec import encode_submission
from service.store.ports.accounts import Credential
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, is_voted_on
from service.store.redis.store import Store

RESIGNED = {"type": "resign"}
AT_A_TIME = 100
_ANY_NUMBER = 1 << 30
"""Of refusals and of what nobody asked for: whoever goes may say so."""
_TRIES, _PAUSE = 50, 0.1
"""How often, and after how many seconds, a full queue is tried again."""


def erase(store: Store, credential: Credential, wake: Callable[[GameId], None]) -> None:
    """Erase the account whose credential this is. Running games hear of it as of anybody who resigns."""
    player_id = credential.player
    for lobby in _games(store, player_id, "lobby"):
        _leave(store, lobby, player_id)
    for lobby in _games(store, player_id, "running"):
        _stand_up(store, lobby, player_id)
        for seat in lobby.seats_of(player_id):
            if seat not in lobby.seating.vacant and _resign(store, lobby, seat, credential):
                wake(lobby.id)
    for subscription in store.subscriptions.of([player_id]):
        if subscription.owner != player_id:
            continue  # a device that somebody else has by now
        store.subscriptions.remove(subscription)
        leave_everywhere(store, subscription)
        links.take_back(store, subscription)
    _forget_words(store, player_id)
    for vacation in store.accounts.vacations(player_id):
        store.accounts.drop_vacation(player_id, vacation.id)
    store.accounts.erase(player_id)
    # What another request of theirs has said meanwhile: from now on there is none.
    _forget_words(store, player_id)


def _games(store: Store, player_id: PlayerId, status: str) -> Iterator[Lobby]:
    cursor = None
    while True:
        page, cursor = store.lobbies.page(player_id=player_id, status=status, cursor=cursor, limit=AT_A_TIME)
        yield from page
        if cursor is None:
            return


def _leave(store: Store, lobby: Lobby, player_id: PlayerId) -> None:
    """Free their seats, and remove the game if it is theirs; one that starts at this moment is found among the running ones."""
    try:
        if lobby.creator == player_id:
            store.lobbies.delete(lobby.id, player_id)
            return
        for seat in lobby.seats_of(player_id):
            store.lobbies.leave(lobby.id, player_id, seat)
    except LobbyRefusal:
        return


def _stand_up(store: Store, lobby: Lobby, player_id: PlayerId) -> None:
    """They sit in for nobody any more, and ask for no seat that its creator could give them."""
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
    """Give the seat up; whether a worker has to be woken. A seat that is resigned already refuses it, and that is all."""
    id_ = hashlib.sha256(f"erased\0{lobby.id}\0{credential.player}\0{seat}".encode()).hexdigest()[:24]
    tenure = lobby.seating.since.get(seat, NO_COMMIT)
    submission = Submission(id_, seat, RESIGNED, 0, None, credential.id, "player", tenure)
    for _ in range(_TRIES):
        document = encode_submission(submission)
        receipt = store.log.submit(lobby.id, document, id_, refusals=_ANY_NUMBER, unasked=_ANY_NUMBER)
        if receipt.status != "full":
            return receipt.wake
        time.sleep(_PAUSE)
    return False


def _forget_words(store: Store, player_id: PlayerId) -> None:
    """What they have said, and what they have written to the operator."""
    spoken.erase_all(store, player_id)
    for id_, report in reports.open_reports(store).items():
        if report.by == player_id:
            reports.resolve(store, id_)
