"""Publishes the rating lists: a document a day, whose digest enters the transparency log."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from domain import RELEASE
from service.core.accounts.ratings import Rating
from service.features.ratings import storage
from service.features.ratings.computation import DECIMALS
from service.features.ratings.results import GameResult
from service.store import typed
from service.store.codec import canonical
from service.store.redis import keys
from service.store.redis.conditional import execute_if
from service.store.redis.store import Store
from service.store.seal import Signer
from service.store.transparency.leaves import Leaf, name_of
from service.store.upkeep.log_growth import grow, name_for

FORMAT, NUMBER = "oraclewheel/ratings", 1
LEAF = name_of("oraclewheel ratings")
"""The name of the lists in the transparency log. No game has it, because a game's id has no blank."""
MOST_LEAVES = 100
"""Documents that enter the log together."""


class PublishedDay(msgspec.Struct, frozen=True):
    """A published document."""

    number: int
    """Counted from 1."""
    day: str
    """When it was made, in UTC, such as ``2026-11-27``."""
    at: int
    """Milliseconds of Unix time."""
    sha256: str
    games: int
    """Games that it adds to those of the documents before it."""


_DAY = typed.decoder(PublishedDay)
_DAYS = keys.ratings("days")


def publish_day(store: Store) -> PublishedDay | None:
    """Publish the lists as they are now, if there are new games since the newest document and a new day has begun.

    Returns the new document's entry. None if there is nothing to publish, or another process has changed the lists.
    """
    now = store.schedule.now()
    day = datetime.fromtimestamp(now / 1000, UTC).date().isoformat()
    last = newest_day(store)
    if last is not None and last.day >= day:
        return None
    revision = store.wire.one("HGET", storage.LISTS, storage.REVISION)
    added = storage.unpublished(store)
    if not added:
        return None
    lists = [
        {
            "list": name,
            "games": [
                {**describe_result(each.rated.result), "players": list(each.rated.players)}
                for each in added.get(name, ())
            ],
            "ratings": describe_ratings(storage.all_ratings(store, name)),
        }
        for name in storage.list_names(store)
    ]
    number = last.number + 1 if last else 1
    document = {"format": FORMAT, "number": NUMBER, "place": number, "previous": last.sha256 if last else ""}
    data = canonical({**document, "day": day, "at": now, "release": RELEASE, "lists": lists})
    made = PublishedDay(number, day, now, hashlib.sha256(data).hexdigest(), sum(map(len, added.values())))
    reads = {
        ("HGET", storage.LISTS, storage.REVISION): revision,
        ("HGET", _DAYS, str(number)): None,
    }
    writes = [
        ("SET", keys.ratings(f"day:{day}"), data),
        ("HSET", _DAYS, str(number), msgspec.json.encode(made)),
        ("DEL", storage.NEW),
    ]
    return made if execute_if(store.wire, reads, writes) else None


def describe_result(result: GameResult) -> dict[str, Any]:
    """A game for the document, without its players: everything that follows from its export."""
    return {
        "game": result.game,
        "head": result.head,
        "ended": result.ended,
        "teams": [list(team) for team in result.teams],
        "places": list(result.places),
        "clause": result.clause,
    }


def describe_ratings(ratings: Mapping[str, Rating]) -> dict[str, Any]:
    """Ratings for the document, as text, so that their digits are the same in every language."""
    return {
        name: {"mu": f"{each.mu:.{DECIMALS}f}", "sigma": f"{each.sigma:.{DECIMALS}f}", "games": each.games}
        for name, each in ratings.items()
    }


def newest_day(store: Store) -> PublishedDay | None:
    return next(iter(list_days(store)), None)


def list_days(store: Store) -> list[PublishedDay]:
    """All published documents, the newest first."""
    flat = store.wire.one("HGETALL", _DAYS)
    found = [_DAY.decode(value) for value in flat[1::2]]
    return sorted(found, key=lambda each: each.number, reverse=True)


def read_day(store: Store, day: str) -> bytes | None:
    """The document of a day; None if there is none."""
    found: bytes | None = store.wire.one("GET", keys.ratings(f"day:{day}"))
    return found


def log_published(store: Store, signer: Signer, public_url: str) -> int:
    """Add the digests of documents to the transparency log that are not in it; returns how many were added."""
    logged = store.ledger.newest([LEAF])[LEAF]
    new = sorted(each.number for each in list_days(store) if each.number > logged)[:MOST_LEAVES]
    days = {each.number: each for each in list_days(store)}
    leaves = [Leaf(LEAF, number, days[number].sha256) for number in new]
    if not leaves or not grow(store.ledger, signer, name_for(public_url), leaves, store.schedule.now()):
        return 0
    return len(leaves)
