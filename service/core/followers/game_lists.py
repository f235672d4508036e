"""The lists of public games by kind and status, and of stalled games."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import orjson

from domain.kernel.terms import GameId
from service.core.followers.follower import ChangedGame
from service.store.redis.store import Store

STATUSES = ("running", "over")
"""The lists that commits change. A game leaves ``lobby`` when it starts, and ``vacant`` at the latest when it is over."""


class GameLists:
    name: ClassVar[str] = "game-lists"
    fields: ClassVar[Sequence[str]] = ("status", "stalled", "visibility", "lobby", "listed")
    cursor: ClassVar[str] = "listed"
    is_late: ClassVar[bool] = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        commands: list[tuple[Any, ...]] = []
        for game in games:
            status, is_stalled = game.fields["status"] or b"", game.fields["stalled"] == b"1"
            listed = status + (b" stalled" if is_stalled else b"")
            if game.fields["listed"] == listed:
                continue
            stalled = self._store.keys.partition(game.game_id).stalled
            commands.append(("SADD" if is_stalled else "SREM", stalled, game.game_id))
            if game.fields["visibility"] == b"public":
                commands += self._listing(game.game_id, status.decode(), orjson.loads(game.fields["lobby"] or b""))
            # Last, so that a process that is killed here does it again.
            commands.append(("HSET", self._store.keys.game(game.game_id).meta, "listed", listed))
        self._store.wire.all(commands)

    def _listing(self, game_id: GameId, status: str, lobby: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """The commands that put a game into its list and take it out of the others."""
        for name in (*STATUSES, "vacant"):
            if name == "vacant" and status == "running":
                continue  # the seats of running games have a follower of their own
            for where in self._store.keys.listings(game_id, lobby["kind"], name):
                yield ("ZADD", where, lobby["made_at"], game_id) if name == status else ("ZREM", where, game_id)
