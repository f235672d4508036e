"""The challenges of a player: games with seats that are reserved for them, or that they have reserved for others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from domain.kernel.terms import GameId, PlayerId
from service.core.accounts.apart import FindApart
from service.core.notifications.lobby_notices import DECLINED, EXPIRED, queue_lobby_notice
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, find_offers, is_bot
from service.store.ports.side_data import NO_GAME
from service.store.redis import keys
from service.store.redis.store import Store

CHALLENGES = "challenges:"
"""Namespace of notes, followed by a player: the games of their challenges, sent and received. Some may be over."""

UNLISTED = "unlisted-players"
"""Namespace of notes: the players who cannot be found by name and challenged."""

MOST_RECEIVED = 100
"""Maximum number of challenges that wait for a player's answer."""

BATCH = 1000
"""Expired challenges that a job handles at most."""

KEPT = 24 * 3600 * 1000
"""Milliseconds for which a game that no one has accepted is kept after its challenge has expired."""

LAST = "last:"
"""Prefix of a game that is deleted at its deadline if no one has accepted the challenge."""


def register(store: Store, lobby: Lobby, until: int) -> None:
    """Add a game to the challenges of its creator and of the players for whom it has seats. Call it before the game is created."""
    for player_id in {lobby.creator, *(each.player for each in lobby.reserved)}:
        store.notes.put(NO_GAME, CHALLENGES + player_id, lobby.id, b"")
    store.wire.one("ZADD", keys.CHALLENGE_DEADLINES, until, lobby.id)


def list_challenges(store: Store, player_id: PlayerId) -> Sequence[Lobby]:
    """The player's challenges that wait for an answer or for the start, the newest first."""
    games = [GameId(name) for name in store.notes.all(NO_GAME, CHALLENGES + player_id)]
    now = store.schedule.now()
    found = [each for each in store.lobbies.read_all(games) if each is not None and _concerns(each, player_id, now)]
    gone = {*games} - {each.id for each in found}
    if gone:
        store.notes.erase(NO_GAME, CHALLENGES + player_id, sorted(gone))
    return sorted(found, key=lambda each: (each.made_at, each.id), reverse=True)


def _concerns(lobby: Lobby, player_id: PlayerId, now: int) -> bool:
    return lobby.status == "lobby" and (
        lobby.creator == player_id or player_id in find_offers(lobby.reserved, now).values()
    )


def count_received(store: Store, player_id: PlayerId, find_apart: FindApart) -> int:
    """How many challenges wait for the player's answer, without those of players who must not reach them."""
    received = [each for each in list_challenges(store, player_id) if each.creator != player_id]
    apart = find_apart(store, player_id, {each.creator for each in received}) if received else {}
    return sum(each.creator not in apart for each in received)


def has_room(store: Store, player_id: PlayerId, new: int, find_apart: FindApart) -> bool:
    """Whether the player can receive so many new challenges."""
    if store.notes.count(NO_GAME, CHALLENGES + player_id) + new <= MOST_RECEIVED:
        return True
    return count_received(store, player_id, find_apart) + new <= MOST_RECEIVED


def decline(store: Store, lobby: Lobby, player_id: PlayerId) -> bool:
    """Decline a challenge and notify the game's creator. Returns whether a delivery is due. Raises `LobbyRefusal`."""
    store.lobbies.decline(lobby.id, player_id)
    store.notes.erase(NO_GAME, CHALLENGES + player_id, [lobby.id])
    return queue_lobby_notice(store, lobby, lobby.creator, DECLINED)


def list_unlisted(store: Store, players: Collection[PlayerId]) -> set[PlayerId]:
    """Those of the players who cannot be found and challenged by others."""
    return {PlayerId(each) for each in store.notes.read(NO_GAME, UNLISTED, list(players))}


def set_listed(store: Store, player_id: PlayerId, *, listed: bool) -> None:
    if listed:
        store.notes.erase(NO_GAME, UNLISTED, [player_id])
    else:
        store.notes.put(NO_GAME, UNLISTED, player_id, b"")


def expire(store: Store) -> list[GameId]:
    """Notify the creators of challenges that have expired, and a day later delete games that no one has accepted.

    Returns the games with notifications to deliver. Safe to repeat.
    """
    now, owed = store.schedule.now(), []
    found = store.wire.one("ZRANGE", keys.CHALLENGE_DEADLINES, 0, now, "BYSCORE", "LIMIT", 0, BATCH)
    for entry in (each.decode() for each in found):
        lobby = store.lobbies.get(GameId(entry.removeprefix(LAST)))
        if lobby is not None and lobby.status == "lobby":
            if entry.startswith(LAST):
                _delete(store, lobby, now)
            else:
                store.wire.one("ZADD", keys.CHALLENGE_DEADLINES, now + KEPT, LAST + lobby.id)
                expired = [each.until for each in lobby.reserved if 0 < each.until <= now]
                if expired and queue_lobby_notice(store, lobby, lobby.creator, EXPIRED, max(expired)):
                    owed.append(lobby.id)
        store.wire.one("ZREM", keys.CHALLENGE_DEADLINES, entry)
    return owed


def _delete(store: Store, lobby: Lobby, now: int) -> None:
    """Delete the game, unless another player has a seat or it has changed just now."""
    if all(chair.holder in (None, lobby.creator) or is_bot(chair.holder) for chair in lobby.chairs):
        with suppress(LobbyRefusal):
            store.lobbies.delete(lobby.id, since=now - 1)


def erase_challenges(store: Store, player_id: PlayerId) -> None:
    """Decline all challenges of a player whose account is being erased, and delete their list."""
    for lobby in list_challenges(store, player_id):
        with suppress(LobbyRefusal):
            decline(store, lobby, player_id)
    _erase_list(store, player_id)
    set_listed(store, player_id, listed=True)


def _erase_list(store: Store, player_id: PlayerId) -> None:
    games: Iterable[str] = store.notes.all(NO_GAME, CHALLENGES + player_id)
    store.notes.erase(NO_GAME, CHALLENGES + player_id, list(games))
