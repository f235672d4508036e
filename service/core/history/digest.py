"""Where the digest of a player begins: after their last move."""

from __future__ import annotations

import orjson

from domain.kernel.terms import GameId, Seat
from service.store.chain import reading
from service.store.redis.log.log import Log

BATCH_SIZE = 128
"""Commits read at a time, newest first."""


def find_last_turn(log: Log, game_id: GameId, seat: Seat) -> int:
    """The seq of the last accepted command of the seat's player; 0 before the first."""
    last: int = log.head(game_id)[0]
    while last > 0:
        first = max(1, last - BATCH_SIZE + 1)
        for stored in reversed(list(log.commits(game_id, first, last))):
            with reading(game_id, stored.seq):
                body = orjson.loads(stored.body)
                actor = body["actor"]
                if actor["seat"] == seat and actor["by"] == "player" and "refusal" not in body:
                    return stored.seq
        last = first - 1
    return 0
