"""Studies, stored for each player."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from domain.kernel.terms import GameId, PlayerId
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

STUDIES = "studies:"
"""Namespace of notes, followed by a player: the player's studies by id."""

MOST = 200
"""Number of studies that an account can have."""


class StoredStudy(msgspec.Struct, frozen=True):
    """A study of a game."""

    game: GameId
    """The game that is studied."""
    origin: GameId
    """The game or study with the commit that it starts from."""
    seq: int
    """That commit."""
    seat: int
    """The player's seat in the game that is studied."""
    draw: int | None
    """The draw of everything hidden from the seat. None: the study continues the state of another study."""
    name: str
    created_at: int
    """Milliseconds of Unix time."""


def add_study(store: Store, player_id: PlayerId, id_: GameId, study: StoredStudy) -> StoredStudy:
    """Store a study, unless it is stored already. Returns the stored one."""
    note = store.notes.keep(NO_GAME, STUDIES + player_id, id_, msgspec.json.encode(study))
    return msgspec.json.decode(note, type=StoredStudy)


def replace_study(store: Store, player_id: PlayerId, id_: GameId, study: StoredStudy) -> None:
    """Store a study instead of the previous version."""
    store.notes.put(NO_GAME, STUDIES + player_id, id_, msgspec.json.encode(study))


def find_study(store: Store, player_id: PlayerId, id_: GameId) -> StoredStudy | None:
    """The player's study with this id."""
    note = store.notes.read(NO_GAME, STUDIES + player_id, [id_]).get(id_)
    return None if note is None else msgspec.json.decode(note, type=StoredStudy)


def list_studies(store: Store, player_id: PlayerId) -> dict[GameId, StoredStudy]:
    """All studies of a player by id, the newest first."""
    found = {
        GameId(id_): msgspec.json.decode(note, type=StoredStudy)
        for id_, note in store.notes.all(NO_GAME, STUDIES + player_id).items()
    }
    return dict(sorted(found.items(), key=lambda each: (-each[1].created_at, each[0])))


def remove_studies(store: Store, player_id: PlayerId, ids: Iterable[GameId]) -> None:
    """Remove studies of a player from the list."""
    store.notes.erase(NO_GAME, STUDIES + player_id, list(ids))


def erase_studies(store: Store, player_id: PlayerId) -> None:
    """Remove all studies of a player from the list."""
    remove_studies(store, player_id, list_studies(store, player_id))
