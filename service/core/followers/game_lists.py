"""The lists of public games by kind and status."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import orjson

from service.core.followers.follower import ChangedGame
from service.store.redis.store import Store

STATUSES = ("running", "over")
"""The lists that commits change. A game leaves ``lobby`` when it starts, and ``vacant`` at the latest when it is over."""


class GameLists:
    name: ClassVar[str] = "game-lists"
    fields: ClassVar[Sequence[str]] = ("status", "visibility", "lobby", "listed")

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        commands: list[tuple[Any, ...]] = []
        for game in games:
            status = game.fields["status"] or b""
            if game.fields["visibility"] != b"public" or game.fields["listed"] == status:
                continue
            lobby = orjson.loads(game.fields["lobby"] or b"")
            left = [name for name in (*STATUSES, "vacant") if name.encode() != status]
            if status == b"running":
                left.remove("vacant")  # see `service.core.followers.seats`
            for name in (status.decode(), *left):
                for where in self._store.keys.listings(game.game_id, lobby["kind"], name):
                    if name.encode() == status:
                        commands.append(("ZADD", where, lobby["made_at"], game.game_id))
                    else:
                        commands.append(("ZREM", where, game.game_id))
            # Last, so that a process that is killed here does it again.
            commands.append(("HSET", self._store.keys.game(game.game_id).meta, "listed", status))
        self._store.wire.all(commands)
