"""Who a store is and how far it has come: a random id, how many games were ever made, a mark that only rises."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from service.store.redis import keys
from service.store.redis.connect import Script, Wire

MARK = Script("mark")


@dataclass(frozen=True, slots=True)
class Standing:
    """What a store says of itself, or what a data folder remembers that it said."""

    id: str
    games: int
    """Ever made; a lower bound."""
    mark: int
    """Counted up every few seconds while the service runs."""
    at: int
    """The instant of the mark, in milliseconds."""

    def is_behind(self, other: Standing) -> bool:
        """Whether a store that stands like this has lost something of what it was."""
        return self.mark < other.mark or self.games < other.games


def standing(wire: Wire) -> Standing | None:
    """How the store stands; None where it has no id."""
    return _asked(wire, "", raise_=False)


def raised(wire: Wire, id_: str) -> Standing | None:
    """Raise its mark, and how it stands then; an other store, or one without an id, is left alone."""
    return _asked(wire, id_, raise_=True)


def named(wire: Wire) -> Standing:
    """Give the store an id if it has none; of one from before there were ids, the games are counted."""
    wire.one("HSETNX", keys.STORE, "id", secrets.token_hex(16))
    counted, known = count_games(wire), wire.one("HGET", keys.STORE, "games")
    if counted > int(known or 0):
        wire.one("HSET", keys.STORE, "games", counted)
    found = standing(wire)
    assert found is not None
    return found


def is_empty(wire: Wire) -> bool:
    """Whether it has no game and no account; a store that was only looked at has its number of partitions."""
    return count_games(wire) == 0 and not _count(wire, "player:*")


def count_games(wire: Wire) -> int:
    """How many games there are; every key is looked at."""
    return _count(wire, keys.EVERY_META)


def _count(wire: Wire, pattern: str) -> int:
    return len(set(wire.scan(pattern)))


def _asked(wire: Wire, id_: str, *, raise_: bool) -> Standing | None:
    found, games, mark, at = wire.call(MARK, [keys.STORE], [id_, int(raise_)])
    return Standing(found.decode(), games, mark, at) if found else None
