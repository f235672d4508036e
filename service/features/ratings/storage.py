"""The rating lists in the store. Everything here follows from finished games, and can be computed again.

Keys, each after the common hash tag: ``pending`` is a sorted set of finished games that are in no list yet. ``lists`` is a hash
with the name of each list, and ``revision``. ``new`` is a hash with the list of each game that no document has yet, ``days`` a
hash with each published document's entry by its number, and ``day:<day>`` the document. The other keys belong to a list: ``<list>:order`` is a sorted set of its games by their end, ``<list>:games`` a hash of
games, ``<list>:now`` a hash of ratings, ``<list>:top`` a sorted set of names by rating, and ``<list>:of:<name>`` a sorted set
of the games that counted for a player or bot. ``lists:<name>`` is a set of the lists that have a rating of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from domain.kernel.terms import GameId, PlayerId
from service.core.accounts.ratings import Rating
from service.features.ratings.computation import WINDOW, RatedGame, RatingChange, RatingList, compute, list_key
from service.features.ratings.follower import PENDING
from service.store import typed
from service.store.redis import keys
from service.store.redis.conditional import Command, execute_if
from service.store.redis.store import Store

MOST_POINTS = 100
"""Points of a history at most."""


class StoredGame(msgspec.Struct, frozen=True):
    """A game in a list, with its effect."""

    rated: RatedGame
    change: RatingChange


@dataclass(frozen=True, slots=True)
class RankedName:
    """A player or bot in a list."""

    name: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating after a game."""

    at: int
    game: GameId
    rating: Rating


_STORED, _RATING = typed.decoder(StoredGame), typed.decoder(Rating)
LISTS, NEW, REVISION = keys.ratings("lists"), keys.ratings("new"), "revision"


def pending(store: Store, most: int) -> list[GameId]:
    """Finished games that are in no list yet, those that wait longest first."""
    return [GameId(each.decode()) for each in store.wire.one("ZRANGE", PENDING, 0, most - 1)]


def forget_pending(store: Store, game_id: GameId) -> None:
    """The game cannot be rated."""
    store.wire.one("ZREM", PENDING, game_id)


def list_names(store: Store) -> list[str]:
    """The names of all lists (`list_key`)."""
    return sorted(name.decode() for name in store.wire.one("HKEYS", LISTS) if name != REVISION.encode())


def add_games(store: Store, name: str, games: Sequence[RatedGame]) -> bool:
    """Add finished games to a list, wherever their place is. Safe to repeat.

    False, and nothing is written, if another process has changed the lists at this moment.
    """
    revision = store.wire.one("HGET", LISTS, REVISION)
    known = _read_games(store, name, [each.result.game for each in games])
    new = [each for each in games if each.result.game not in known or known[each.result.game].rated != each]
    writes: list[Command] = [("ZREM", PENDING, each.result.game) for each in games]
    if new:
        changed = _appended(store, name, new) if _are_last(store, name, new) else _computed(store, name, new)
        writes += changed
        writes += [("HSET", NEW, each.result.game, name) for each in new]
        writes.append(("HINCRBY", LISTS, REVISION, 1))
    return execute_if(store.wire, {("HGET", LISTS, REVISION): revision}, writes)


def _are_last(store: Store, name: str, games: Sequence[RatedGame]) -> bool:
    """Whether all these games come after those in the list."""
    last = store.wire.one("ZRANGE", _key(name, "order"), -1, -1, "WITHSCORES")
    return not last or (int(float(last[1])), last[0].decode()) < min(each.place for each in games)


def _appended(store: Store, name: str, games: Sequence[RatedGame]) -> list[Command]:
    """The commands that add games after those in the list."""
    ordered = sorted(games, key=lambda each: each.place)
    made = RatingList(
        _ratings(store, name, {each for game in ordered for each in game.players}),
        _recent(store, name, ordered),
    )
    return list(_writes(name, [StoredGame(each, made.add(each)) for each in ordered], {}))


def _recent(store: Store, name: str, games: Sequence[RatedGame]) -> dict[tuple[str, str], list[int]]:
    """When games between two players of these games ended that counted lately."""
    pairs = sorted({pair for game in games for pair in game.pairs})
    names, since = sorted({each for pair in pairs for each in pair}), min(each.result.ended for each in games) - WINDOW
    asked = [("ZRANGE", _key(name, f"of:{each}"), since, "+inf", "BYSCORE", "WITHSCORES") for each in names]
    ends = {
        each: {game: int(float(at)) for game, at in zip(reply[::2], reply[1::2], strict=True)}
        for each, reply in zip(names, store.wire.all(asked), strict=True)
    }
    return {(one, two): [at for game, at in ends[one].items() if game in ends[two]] for one, two in pairs}


def _computed(store: Store, name: str, games: Sequence[RatedGame]) -> list[Command]:
    """The commands that put games at their places in the list, and change all that follows."""
    before = {each.rated.result.game: each for each in every_game(store, name)}
    rated = {id_: each.rated for id_, each in before.items()} | {each.result.game: each for each in games}
    made, effects = compute(list(rated.values()))
    new = [StoredGame(game, change) for game, change in effects]
    changed = [each for each in new if before.get(each.rated.result.game) != each]
    writes = list(_writes(name, changed, before))
    gone = _names_in(before.values()) - made.ratings.keys()
    writes += [
        (*command, each) for each in gone for command in (("HDEL", _key(name, "now")), ("ZREM", _key(name, "top")))
    ]
    writes += [("SREM", keys.ratings(f"lists:{each}"), name) for each in gone]
    last = {each: made.ratings[each] for each in made.ratings}
    return writes + list(_write_ratings(name, last))


def _names_in(games: Collection[StoredGame]) -> set[str]:
    return {each for game in games for each in game.change.after}


def _writes(name: str, games: Sequence[StoredGame], before: Mapping[GameId, StoredGame]) -> Iterator[Command]:
    yield "HSET", LISTS, name, 1
    for each in games:
        id_, at = each.rated.result.game, each.rated.result.ended
        old = before.get(id_)
        for player in () if old is None else old.change.after.keys() - each.change.after.keys():
            yield "ZREM", _key(name, f"of:{player}"), id_
        yield "ZADD", _key(name, "order"), at, id_
        yield "HSET", _key(name, "games"), id_, msgspec.json.encode(each)
        for player in each.change.after:
            yield "ZADD", _key(name, f"of:{player}"), at, id_
            yield "SADD", keys.ratings(f"lists:{player}"), name
    yield from _write_ratings(name, {player: after for each in games for player, after in each.change.after.items()})


def _write_ratings(name: str, ratings: Mapping[str, Rating]) -> Iterator[Command]:
    for each, rating in ratings.items():
        yield "HSET", _key(name, "now"), each, msgspec.json.encode(rating)
        yield "ZADD", _key(name, "top"), rating.value, each


# -- reading ----------------------------------------------------------------------------------------------------------


def find_ratings(store: Store, kind: str, seats: int, players: Collection[PlayerId]) -> Mapping[PlayerId, Rating]:
    """See `service.core.accounts.ratings.FindRatings`: ratings in games without bots."""
    found = _ratings(store, list_key(kind, seats, bots=False), players)
    return {PlayerId(each): rating for each, rating in found.items()}


def _ratings(store: Store, name: str, players: Collection[str]) -> dict[str, Rating]:
    asked = sorted(players)
    found = store.wire.one("HMGET", _key(name, "now"), *asked) if asked else []
    return {each: _RATING.decode(packed) for each, packed in zip(asked, found, strict=True) if packed is not None}


def all_ratings(store: Store, name: str) -> dict[str, Rating]:
    """Every rating in a list, by name."""
    flat = store.wire.one("HGETALL", _key(name, "now"))
    return {each.decode(): _RATING.decode(packed) for each, packed in zip(flat[::2], flat[1::2], strict=True)}


def ranked(store: Store, name: str, first: int, count: int) -> tuple[list[RankedName], int]:
    """A part of a list, the highest rating first, from the place ``first`` (0 is the top); and the length of the list."""
    found, size = store.wire.all(
        [("ZRANGE", _key(name, "top"), first, first + count - 1, "REV"), ("ZCARD", _key(name, "top"))]
    )
    names = [each.decode() for each in found]
    ratings = _ratings(store, name, names)
    return [RankedName(each, ratings[each]) for each in names if each in ratings], size


def count_games(store: Store, names: Sequence[str]) -> list[tuple[int, int]]:
    """For each list the number of names with a rating, and of games, whether they count or not."""
    found = store.wire.all([("ZCARD", _key(name, part)) for name in names for part in ("top", "order")])
    return list(zip(found[::2], found[1::2], strict=True))


def lists_of(store: Store, player: str) -> list[str]:
    """The lists that have a rating of this player or bot."""
    return sorted(each.decode() for each in store.wire.one("SMEMBERS", keys.ratings(f"lists:{player}")))


def history(store: Store, name: str, player: str) -> list[RatingPoint]:
    """How a rating has changed, the oldest game first: at most `MOST_POINTS`, evenly chosen, with the first and the last."""
    of = _key(name, f"of:{player}")
    size = store.wire.one("ZCARD", of)
    if not size:
        return []
    steps = min(size, MOST_POINTS)
    places = sorted({round(step * (size - 1) / max(1, steps - 1)) for step in range(steps)})
    found = store.wire.all([("ZRANGE", of, place, place) for place in places])
    games = _read_games(store, name, [GameId(each[0].decode()) for each in found if each])
    return [
        RatingPoint(each.rated.result.ended, id_, each.change.after[player])
        for id_, each in games.items()
        if player in each.change.after
    ]


def unpublished(store: Store) -> dict[str, list[StoredGame]]:
    """By list: its games that no document has yet, in the order of the list."""
    flat = store.wire.one("HGETALL", NEW)
    found: defaultdict[str, list[GameId]] = defaultdict(list)
    for id_, name in zip(flat[::2], flat[1::2], strict=True):
        found[name.decode()].append(GameId(id_.decode()))
    return {
        name: sorted(_read_games(store, name, games).values(), key=lambda each: each.rated.place)
        for name, games in found.items()
    }


def find_game(store: Store, name: str, game_id: GameId) -> StoredGame | None:
    """A game in a list; None if it is not in it (yet)."""
    return _read_games(store, name, [game_id]).get(game_id)


def every_game(store: Store, name: str) -> list[StoredGame]:
    """All games of a list, in its order."""
    found = [_STORED.decode(packed) for packed in store.wire.one("HVALS", _key(name, "games"))]
    return sorted(found, key=lambda each: each.rated.place)


def _read_games(store: Store, name: str, games: Sequence[GameId]) -> dict[GameId, StoredGame]:
    found = store.wire.one("HMGET", _key(name, "games"), *games) if games else []
    return {id_: _STORED.decode(packed) for id_, packed in zip(games, found, strict=True) if packed is not None}


def _key(name: str, part: str) -> str:
    return keys.ratings(f"{name}:{part}")
