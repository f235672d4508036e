"""Due deliveries: an entry in the outbox for each subscription of a game with new commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any, ClassVar

from redis.exceptions import ResponseError

from service.core.followers.follower import ChangedGame
from service.store.redis.store import Store

CAUSES = 8
"""Number of the last commits with a request whose request ids are kept: deliveries name the request of a commit."""


class Notifications:
    name: ClassVar[str] = "notifications"
    fields: ClassVar[Sequence[str]] = ("listening", "requests")
    cursor: ClassVar[str] = ""
    is_late: ClassVar[bool] = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        listened = [game for game in games if game.fields["listening"]]
        if not listened:
            return
        now, keys = self._store.schedule.now(), self._store.keys
        requests: list[tuple[Any, ...]] = []
        entries: list[tuple[Any, ...]] = []
        for game in listened:
            if game.requests:
                known = (game.fields["requests"] or b"").decode().splitlines()
                lines = dict.fromkeys([*game.requests.splitlines(), *known])
                newest = "".join(f"{line}\n" for line in islice(lines, CAUSES))
                requests.append(("HSET", keys.game(game.game_id).meta, "requests", newest))
            # A pending delivery will include these commits; one that is being made looks for more at its end.
            subscriptions = (game.fields["listening"] or b"").decode().split()
            due = [part for each in subscriptions for part in (now, f"{game.game_id} {each}")]
            entries.append(("ZADD", keys.partition(game.game_id).outbox, "NX", *due))
        self._store.wire.all(requests)
        for game, entry, added in zip(listened, entries, self._store.wire.many(entries), strict=True):
            if isinstance(added, ResponseError):
                # It is no outbox: replace it. Subscriptions that missed something are found once an hour.
                self._store.wire.all([("DEL", entry[1]), entry])
            if added:
                self._store.outbox.owe([keys.number(game.game_id)])
