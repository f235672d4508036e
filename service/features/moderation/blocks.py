"""Blocked players, stored for both: who has blocked whom, and since when."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from domain.kernel.terms import PlayerId
from service.core.account_erasure import list_games
from service.core.accounts.apart import Separation
from service.store.ports.lobbies import Lobby, Seating, is_voted_on
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

BLOCKS, BLOCKED_BY = "blocks:", "blocked-by:"
"""Namespaces of notes, each followed by a player: the players whom they have blocked, and those who have blocked them."""

MOST = 1000
"""Players that an account can block."""


def block(store: Store, player_id: PlayerId, other: PlayerId) -> int | None:
    """Block a player; returns since when. None if the player has blocked too many. Safe to repeat.

    Neither is the other's sitter any more, in any game.
    """
    known = list_blocks(store, player_id)
    if other not in known and len(known) >= MOST:
        return None
    since = str(known.get(other, store.schedule.now())).encode()
    # The player's own list last, because it shows that the block is complete.
    store.notes.keep(NO_GAME, BLOCKED_BY + other, player_id, since)
    stored = store.notes.keep(NO_GAME, BLOCKS + player_id, other, since)
    for one, two in ((player_id, other), (other, player_id)):
        store.accounts.refuse_to_sit(one, two)
    for lobby in list_games(store, player_id, "running"):
        _end_contact(store, lobby, {player_id, other})
    return int(stored)


def _end_contact(store: Store, lobby: Lobby, pair: set[PlayerId]) -> None:
    """In a running game: end sitting for each other, and withdraw one's requests for seats that the other would give.

    Requests that the players vote on stay: the vote decides.
    """
    now: Lobby | None = lobby
    while now is not None:
        after = _without_contact(now, pair)
        if after == now.seating or store.lobbies.reseat(now, after):
            return
        now = store.lobbies.get(lobby.id)


def _without_contact(lobby: Lobby, pair: set[PlayerId]) -> Seating:
    sitters = tuple(each for each in lobby.seating.sitters if {each.player, lobby.chairs[each.seat - 1].holder} != pair)
    wishes = lobby.seating.wishes
    if not is_voted_on(lobby):
        wishes = tuple(each for each in wishes if {each[1], lobby.creator} != pair)
    return replace(lobby.seating, sitters=sitters, wishes=wishes)


def unblock(store: Store, player_id: PlayerId, other: PlayerId) -> bool:
    """Unblock a player; whether they were blocked. A block by the other one stays."""
    store.notes.erase(NO_GAME, BLOCKED_BY + other, [player_id])
    return bool(store.notes.erase(NO_GAME, BLOCKS + player_id, [other]))


def list_blocks(store: Store, player_id: PlayerId) -> Mapping[PlayerId, int]:
    """The blocked players, and since when, the oldest first."""
    found = {PlayerId(name): int(since) for name, since in store.notes.all(NO_GAME, BLOCKS + player_id).items()}
    return dict(sorted(found.items(), key=lambda each: (each[1], each[0])))


def find_apart(store: Store, player_id: PlayerId, others: Collection[PlayerId]) -> Mapping[PlayerId, Separation]:
    """See `service.core.accounts.apart.FindApart`. If both have blocked each other, the older block counts."""
    own, by_others = (store.notes.read(NO_GAME, drawer + player_id, list(others)) for drawer in (BLOCKS, BLOCKED_BY))
    return {
        PlayerId(other): Separation(min(int(each[other]) for each in (own, by_others) if other in each), other in own)
        for other in own.keys() | by_others.keys()
    }


def erase_blocks(store: Store, player_id: PlayerId) -> None:
    """Delete all blocks by a player and of a player."""
    for drawer, mirrored in ((BLOCKS, BLOCKED_BY), (BLOCKED_BY, BLOCKS)):
        for other in store.notes.all(NO_GAME, drawer + player_id):
            store.notes.erase(NO_GAME, mirrored + other, [player_id])
            store.notes.erase(NO_GAME, drawer + player_id, [other])
