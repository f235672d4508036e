"""Labels of games, stored for each player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.terms import GameId, PlayerId
from service.core.http.schemas.fields import StringField
from service.core.http.schemas.requests import MAX_TITLE
from service.core.lobbies.game_fields import GameFields
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

LABELS = "labels:"
"""Namespace of notes, followed by a player: the player's labels by game."""

MOST = 1000
"""Number of games that an account can label."""


def set_label(store: Store, player_id: PlayerId, game_id: GameId, label: str) -> bool:
    """Label a game, instead of any previous label. False if the player has labelled too many other games."""
    namespace = LABELS + player_id
    if not store.notes.read(NO_GAME, namespace, [game_id]) and store.notes.count(NO_GAME, namespace) >= MOST:
        return False
    store.notes.put(NO_GAME, namespace, game_id, label.encode())
    return True


def remove_label(store: Store, player_id: PlayerId, game_id: GameId) -> None:
    """Remove the player's label of a game, if there is one."""
    store.notes.erase(NO_GAME, LABELS + player_id, [game_id])


def erase_labels(store: Store, player_id: PlayerId) -> None:
    """Remove all labels of a player."""
    store.notes.erase(NO_GAME, LABELS + player_id, list(store.notes.all(NO_GAME, LABELS + player_id)))


def read_labels(store: Store, player_id: PlayerId, games: Sequence[GameId]) -> Mapping[GameId, Mapping[str, Any]]:
    """See `GameFields.read`."""
    found = store.notes.read(NO_GAME, LABELS + player_id, games)
    return {GameId(game_id): {"label": label.decode()} for game_id, label in found.items()}


LABEL = StringField(
    MAX_TITLE,
    allow_none=True,
    dump_default=None,
    metadata={"description": "Your private label of the game. Null if there is none."},
)

GAME_FIELDS = GameFields({"label": LABEL}, read_labels)
