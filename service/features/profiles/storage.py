"""Stored profiles: the results of a player, counted, and what the player hides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from domain.kernel.terms import PlayerId, Seat
from service.features.profiles.results import PlayedGame, PlayedResult, compare
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis import keys
from service.store.redis.conditional import Command, execute_if
from service.store.redis.store import Store

HIDDEN = "profiles"
"""Namespace of notes: what each player hides."""
PARTS = ("played", "results", "counts", "opponents", "scores")
"""Keys of a player: a sorted set of games by their end, hashes of games and of counts, a sorted set of opponents by the
number of games, and a hash of the results against them."""


RECENT = 10
"""Games whose opponents are recent ones."""


class Hidden(msgspec.Struct, frozen=True):
    """What a player hides from others."""

    games: bool = False
    """Counts of results, and the newest games."""
    opponents: bool = False
    """Results against other players, in the profiles of both."""


@dataclass(frozen=True, slots=True)
class ResultCount:
    """How often a player had a result."""

    kind: str
    seats: int
    seat: Seat
    result: PlayedResult
    games: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """A player's results against another one."""

    opponent: PlayerId
    won: int
    lost: int
    even: int


_PLAYED, _HIDDEN = typed.decoder(PlayedGame), typed.decoder(Hidden)


def add_game(store: Store, player: PlayerId, game: PlayedGame) -> None:
    """Add a finished game to the profile of a player. Safe to repeat."""
    played, results, counts, opponents, scores = (keys.player_part(player, part) for part in PARTS)
    writes: list[Command] = [
        ("HSET", results, game.game, msgspec.json.encode(game)),
        ("ZADD", played, game.ended, game.game),
        ("HINCRBY", counts, f"{game.kind} {game.seats} {game.seat} {game.result}", 1),
    ]
    for other, result in game.opponents.items():
        writes.append(("ZINCRBY", opponents, 1, other))
        writes.append(("HINCRBY", scores, f"{other} {compare(game.result, result)}", 1))
    execute_if(store.wire, {("HEXISTS", results, game.game): 0}, writes)


def list_counts(store: Store, player: PlayerId) -> list[ResultCount]:
    """How often the player had each result, by kind, number of seats, and seat."""
    flat = store.wire.one("HGETALL", keys.player_part(player, "counts"))
    found = []
    for name, games in sorted(zip(flat[::2], flat[1::2], strict=True)):
        kind, seats, seat, result = name.decode().split(" ")
        found.append(ResultCount(kind, int(seats), Seat(int(seat)), PlayedResult(result), int(games)))
    return found


def newest_games(store: Store, player: PlayerId, count: int) -> list[PlayedGame]:
    """The player's finished public games, the newest first."""
    names = store.wire.one("ZRANGE", keys.player_part(player, "played"), 0, count - 1, "REV")
    found = store.wire.one("HMGET", keys.player_part(player, "results"), *names) if names else []
    return [_PLAYED.decode(packed) for packed in found if packed is not None]


def list_recent_opponents(store: Store, player: PlayerId) -> set[PlayerId]:
    """The player's opponents in their newest finished public games."""
    return {other for game in newest_games(store, player, RECENT) for other in game.opponents}


def list_opponents(store: Store, player: PlayerId, count: int) -> list[HeadToHead]:
    """The results against those whom the player has met most often."""
    names = store.wire.one("ZRANGE", keys.player_part(player, "opponents"), 0, count - 1, "REV")
    return head_to_head(store, player, [PlayerId(each.decode()) for each in names])


def head_to_head(store: Store, player: PlayerId, opponents: Sequence[PlayerId]) -> list[HeadToHead]:
    """The player's results against each of these, zero without games."""
    fields = [f"{other} {result}" for other in opponents for result in ("won", "lost", "even")]
    found = store.wire.one("HMGET", keys.player_part(player, "scores"), *fields) if fields else []
    numbers = [int(each or 0) for each in found]
    return [HeadToHead(other, *numbers[3 * place : 3 * place + 3]) for place, other in enumerate(opponents)]


def find_hidden(store: Store, players: Sequence[PlayerId]) -> dict[PlayerId, Hidden]:
    """What each of these players hides."""
    found = store.notes.read(NO_GAME, HIDDEN, players)
    return {each: _HIDDEN.decode(found[each]) if each in found else Hidden() for each in players}


def find_hiding(store: Store, players: Sequence[PlayerId]) -> set[PlayerId]:
    """Those of these players who hide their games."""
    return {player for player, hidden in find_hidden(store, players).items() if hidden.games}


def hide(store: Store, player: PlayerId, hidden: Hidden) -> None:
    store.notes.put(NO_GAME, HIDDEN, player, msgspec.json.encode(hidden))


def erase_profile(store: Store, player: PlayerId) -> None:
    """Delete the profile of a player. Safe to repeat. Profiles of others keep the results against the player's id."""
    store.wire.all([("DEL", keys.player_part(player, part)) for part in PARTS])
    store.notes.erase(NO_GAME, HIDDEN, [player])


def count_games(store: Store, player: PlayerId) -> int:
    """Number of the player's finished public games."""
    return int(store.wire.one("ZCARD", keys.player_part(player, "played")))
