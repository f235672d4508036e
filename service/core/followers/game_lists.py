"""The lists of public games by kind and status, and of stalled games."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import orjson

from domain.kernel.terms import GameId
from service.core.followers.follower import ChangedGame
from service.store.redis.conditional import set_fields
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
        for game in games:
            fields = game.fields
            while not self._list(game.game_id, fields):
                names = self.fields
                values = self._store.wire.one("HMGET", self._store.keys.game(game.game_id).meta, *names)
                fields = dict(zip(names, values, strict=True))

    def _list(self, game_id: GameId, fields: Mapping[str, bytes | None]) -> bool:
        """Whether the game is in the right lists now: False if it was changed in the meantime."""
        status, is_stalled = fields["status"] or b"", fields["stalled"] == b"1"
        listed = status + (b" stalled" if is_stalled else b"")
        if fields["listed"] == listed:
            return True
        commands: list[tuple[Any, ...]] = []
        commands.append(("SADD" if is_stalled else "SREM", self._store.keys.partition(game_id).stalled, game_id))
        if fields["visibility"] == b"public":
            commands += self._listing(game_id, status.decode(), orjson.loads(fields["lobby"] or b""))
        self._store.wire.all(commands)
        # Last, so that a process that is killed here does it again.
        before = {name: fields[name] for name in ("status", "stalled", "listed")}
        return set_fields(self._store.wire, self._store.keys.game(game_id).meta, before, {"listed": listed})

    def _listing(self, game_id: GameId, status: str, lobby: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        """The commands that put a game into its list and take it out of the others."""
        for name in (*STATUSES, "vacant"):
            if name == "vacant" and status == "running":
                continue  # the seats of running games have a follower of their own
            for where in self._store.keys.listings(game_id, lobby["kind"], name):
                yield ("ZADD", where, lobby["made_at"], game_id) if name == status else ("ZREM", where, game_id)
