"""The page of a player with 10,000 finished games: the two requests that it makes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from flask.testing import FlaskClient

from bench.kept import kept
from bench.measure import Row, Sample
from domain.kernel.terms import DAY, GameId, PlayerId, Seat
from service.application import create_app
from service.features.profiles.results import PlayedGame, PlayedResult
from service.features.profiles.storage import add_game
from service.features.ratings.computation import RatedGame
from service.features.ratings.results import GameResult
from service.features.ratings.storage import add_games
from service.ops.instance.embedded import EmbeddedServer
from service.ops.settings import Settings
from service.store.ports.accounts import Credential, Player
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.store import Store, open_store

GAMES, OPPONENTS = 10_000, 500
PAGES = 40
PLAYER = PlayerId("ada")
PAGE = Row(f"page of a player with {GAMES:,} finished games", 50, "ms", at_least=False)


def measure() -> Iterator[Sample]:
    """The row once, without the network."""
    server = EmbeddedServer(kept("profiles", _fill), fsync="no")
    server.start()
    try:
        app = create_app(open_store(server.url), Settings(rate_requests=0), lambda _: None)
        client = app.test_client()
        times = [(_get(client, "profile"), _get(client, "ratings")) for _ in range(PAGES)]
    finally:
        server.stop()
    profile, ratings = (1000 * statistics.median(each) for each in zip(*times, strict=True))
    yield PAGE.got(profile + ratings, f"profile {profile:.1f} ms, ratings {ratings:.1f} ms")


def _get(client: FlaskClient, what: str) -> float:
    begun = time.perf_counter()
    answer = client.get(f"/v1/players/{PLAYER}/{what}")
    taken = time.perf_counter() - begun
    told = answer.get_json()
    full = told["games"] == GAMES if what == "profile" else told["ratings"][0]["games"] == GAMES
    if not full:
        raise RuntimeError(f"the answer is not of {GAMES} games: {answer.text[:200]}")
    return taken


def _fill(folder: Path) -> None:
    server = EmbeddedServer(folder, fsync="no")
    server.start()
    try:
        store = open_store(server.url)
        for each in (PLAYER, *(_opponent(number) for number in range(OPPONENTS))):
            store.accounts.create(Player(each, f"Player {each}", 0), Credential(f"c{each}", each, (), 0), f"d{each}")
        for first in range(0, GAMES, 1000):
            _add(store, range(first, first + 1000))
    finally:
        server.stop()


def _add(store: Store, numbers: range) -> None:
    games = []
    for number in numbers:
        id_, other, won = GameId(f"g{number:06d}"), _opponent(number), number % 3 > 0
        at, results = number * DAY // 10, (PlayedResult.WON, PlayedResult.LOST)
        own, others = results if won else results[::-1]
        add_game(store, PLAYER, PlayedGame(id_, "nim", 2, Seat(1 + number % 2), own, at, {other: others}))
        result = GameResult(id_, "0" * 64, at, "nim", ("", ""), ((Seat(1),), (Seat(2),)), (1, 2) if won else (2, 1))
        games.append(RatedGame(result, (PLAYER, other)))
        store.lobbies.create(_lobby(id_, other, at), b"s" * 32)
    if not add_games(store, "nim:2:players", games):
        raise RuntimeError("the games were not added")


def _opponent(number: int) -> PlayerId:
    return PlayerId(f"b{number % OPPONENTS}")


def _lobby(id_: GameId, other: PlayerId, at: int) -> Lobby:
    return Lobby(
        *(id_, "nim", PLAYER, (Chair(PLAYER), Chair(other)), "nim_v1", {}, (), {"mode": "free"}),
        *("public", "0" * 64, at),
    )
