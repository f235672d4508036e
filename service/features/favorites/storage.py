"""The favorites of a player, stored as notes: who or what, and since when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.terms import GameId, PlayerId
from service.core.http.schemas.fields import BooleanField
from service.core.lobbies.game_fields import GameFields
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

PLAYERS, GAMES = "favorite-players:", "favorite-games:"
"""Namespaces of notes, each followed by the player who has the favorites."""

MOST = 500
"""Maximum number of favorite players, and of favorite games."""


def add_favorite(store: Store, kind: str, owner: PlayerId, id_: str) -> int | None:
    """Add a favorite to `PLAYERS` or `GAMES`; returns since when it is one. None if there are too many. Safe to repeat."""
    known = store.notes.read(NO_GAME, kind + owner, [id_])
    if not known and store.notes.count(NO_GAME, kind + owner) >= MOST:
        return None
    return int(store.notes.keep(NO_GAME, kind + owner, id_, str(store.schedule.now()).encode()))


def remove_favorite(store: Store, kind: str, owner: PlayerId, id_: str) -> bool:
    """Remove a favorite; whether it was one."""
    return bool(store.notes.erase(NO_GAME, kind + owner, [id_]))


def list_players(store: Store, owner: PlayerId) -> Mapping[PlayerId, int]:
    """Favorite players, and since when, the newest first."""
    return {PlayerId(id_): since for id_, since in _list(store, PLAYERS, owner).items()}


def list_games(store: Store, owner: PlayerId) -> Mapping[GameId, int]:
    """Favorite games, and since when, the newest first."""
    return {GameId(id_): since for id_, since in _list(store, GAMES, owner).items()}


def _list(store: Store, kind: str, owner: PlayerId) -> dict[str, int]:
    found = {id_: int(since) for id_, since in store.notes.all(NO_GAME, kind + owner).items()}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def read_favorites(store: Store, owner: PlayerId, games: Sequence[GameId]) -> Mapping[GameId, Mapping[str, Any]]:
    """See `GameFields.read`."""
    return {GameId(game_id): {"favorite": True} for game_id in store.notes.read(NO_GAME, GAMES + owner, games)}


GAME_FIELDS = GameFields(
    {
        "favorite": BooleanField(
            dump_default=False, metadata={"description": "Whether the game is one of your favorites."}
        )
    },
    read_favorites,
)


def erase_favorites(store: Store, owner: PlayerId) -> None:
    """Delete the favorites of a player whose account is being erased."""
    for kind in (PLAYERS, GAMES):
        store.notes.erase(NO_GAME, kind + owner, list(store.notes.all(NO_GAME, kind + owner)))
