"""Stores the results of tournament games."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from domain.tournaments.results import result_of
from service.core.followers.follower import ChangedGame
from service.features.tournaments.storage import GAME_FIELD, store_result
from service.store.redis.store import Store


class TournamentFollower:
    """Stores the result of each game that has the id of a tournament, when it is over. The result is its own cursor."""

    name: ClassVar[str] = "tournaments"
    fields: ClassVar[Sequence[str]] = ("status", GAME_FIELD)
    cursor: ClassVar[str] = ""
    is_late: ClassVar[bool] = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        for game in games:
            tournament = game.fields[GAME_FIELD]
            if tournament is None or game.fields["status"] != b"over" or not game.seq:
                continue
            _, steps = game.steps_after(game.seq - 1)
            last = steps[-1]
            result = result_of(last.after.table, last.after.head, last.commit.at)
            if result is not None:
                store_result(self._store, tournament.decode(), game.game_id, result)
