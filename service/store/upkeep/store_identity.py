"""A store's identity and progress: a random id, the number of games ever created, a mark that only increases."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from service.store.redis import keys
from service.store.redis.client import RedisClient
from service.store.redis.conditional import execute_if


@dataclass(frozen=True, slots=True)
class StoreIdentity:
    """Identity and progress of a store, or those that a data folder last recorded."""

    id: str
    games: int
    """Ever created; a lower bound."""
    mark: int
    """Incremented every few seconds while the service runs."""
    at: int
    """The instant of the mark, in milliseconds."""

    def is_behind(self, other: StoreIdentity) -> bool:
        """Whether a store in this state has lost data compared to `other`."""
        return self.mark < other.mark or self.games < other.games


def standing(wire: RedisClient) -> StoreIdentity | None:
    """The store's identity and progress; None if it has no id."""
    id_, games, mark, at = wire.one("HMGET", keys.STORE, "id", "games", "mark", "at")
    return StoreIdentity(id_.decode(), int(games or 0), int(mark or 0), int(at or 0)) if id_ else None


def raised(wire: RedisClient, id_: str) -> StoreIdentity | None:
    """Increment the mark and return the new state; changes nothing if the id differs or is missing."""
    writes = [("HINCRBY", keys.STORE, "mark", 1), ("HSET", keys.STORE, "at", wire.now())]
    execute_if(wire, {("HGET", keys.STORE, "id"): id_}, writes)
    return standing(wire)


def named(wire: RedisClient) -> StoreIdentity:
    """Give the store an id if it has none, and correct the number of games if there are more."""
    wire.one("HSETNX", keys.STORE, "id", secrets.token_hex(16))
    counted, known = count_games(wire), wire.one("HGET", keys.STORE, "games")
    if counted > int(known or 0):
        wire.one("HSET", keys.STORE, "games", counted)
    found = standing(wire)
    assert found is not None
    return found


def is_empty(wire: RedisClient) -> bool:
    """Whether it has no game and no account; a store that was only inspected has its number of partitions."""
    return count_games(wire) == 0 and not _count(wire, "player:*")


def count_games(wire: RedisClient) -> int:
    """Number of games; scans every key."""
    return _count(wire, keys.EVERY_META)


def _count(wire: RedisClient, pattern: str) -> int:
    return len(set(wire.scan(pattern)))
