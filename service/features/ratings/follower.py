"""Notes which rated games are over. A job of side workers adds them to the lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

import orjson

from domain.kernel.terms import GameId
from domain.table.rated import RATED
from service.core.followers.follower import ChangedGame
from service.store.founding import IMPORTED
from service.store.redis import keys
from service.store.redis.conditional import set_fields
from service.store.redis.store import Store

PENDING = keys.ratings("pending")
"""Sorted set: finished games that are in no list yet, by when they were noted."""


def note_finished(store: Store, game_id: GameId) -> None:
    """Remember that a rated game is over, until it is in its list. Safe to repeat."""
    store.wire.one("ZADD", PENDING, store.schedule.now(), game_id)


class RatingsFollower:
    """Writes a field of a rated game that is over: the seq of its last commit."""

    name: ClassVar[str] = "ratings"
    fields: ClassVar[Sequence[str]] = ("status", "lobby", "rated")
    cursor: ClassVar[str] = "rated"
    is_late: ClassVar[bool] = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        for game in games:
            if game.fields["status"] == b"over" and game.number("rated") != game.seq and _is_rated(game):
                note_finished(self._store, game.game_id)
                # After the note, so that a process that is killed here notes it again.
                key = self._store.keys.game(game.game_id).meta
                set_fields(self._store.wire, key, {"rated": game.fields["rated"]}, {"rated": game.seq})


def _is_rated(game: ChangedGame) -> bool:
    lobby = orjson.loads(game.fields["lobby"] or b"{}")
    return lobby.get("table", {}).get(RATED) is True and lobby["creator"] != IMPORTED and lobby.get("sandbox") is None
