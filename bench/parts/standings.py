"""The page of a tournament: settings, entries, all rounds and the computed standings, in a store with many finished games."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.kept import kept
from bench.measure import Row, Sample
from domain.kernel.terms import GameId, PlayerId
from domain.tournaments.changes import next_state, start
from domain.tournaments.entering import enter
from domain.tournaments.life import Tournament, TournamentSettings, with_results
from domain.tournaments.results import TableResult
from service.application import create_app
from service.features.tournaments.storage import create_tournament, store_result
from service.ops.instance.embedded import EmbeddedServer
from service.ops.settings import Settings
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.store import Store, open_store

GAMES, PLACES, PAGES = 10_000, 64, 40
ID, NOW = "rbench", 1_700_000_000_000
PAGE = Row("page of a tournament of 2,016 games, among 10,000", 50, "ms", at_least=False)


def measure() -> Iterator[Sample]:
    """The row once: the median of several requests, answered in this process."""
    with _opened(kept("standings", _fill)) as store:
        client = create_app(store, Settings()).test_client()
        times = [_page(client) for _ in range(PAGES)]
    yield PAGE.got(1000 * statistics.median(times), f"the slowest {1000 * max(times):.1f} ms")


def _page(client: object) -> float:
    begun = time.perf_counter()
    response = client.get(f"/v1/tournaments/{ID}")  # type: ignore[attr-defined]
    taken = time.perf_counter() - begun
    document = response.get_json()
    if response.status_code != 200 or len(document["standings"][0]["rows"]) != PLACES:
        raise RuntimeError("the page is not complete")
    return taken


def _fill(folder: Path) -> None:
    with _opened(folder) as store:
        tournament = _play()
        games = [table.game for each in tournament.rounds for table in each.tables if table.game]
        for number in range(GAMES):
            game = games[number] if number < len(games) else GameId(f"g{number:06d}")
            store.lobbies.create(_lobby(game, number), b"s" * 32)
        create_tournament(store, tournament)
        for each in tournament.rounds:
            for table in each.tables:
                if table.game is not None and table.ranks is not None:
                    store_result(store, ID, table.game, TableResult(table.ranks, "last-object", "0" * 64, NOW))


def _play() -> Tournament:
    """A round robin of which every game is over. The lower number wins."""
    pace = {"mode": "per_question", "hours": 24}
    settings = TournamentSettings(
        *("Bench", "nim", 2, "nim_v1", {}, (), pace, {}, "public", "round_robin"), places=PLACES
    )
    now = Tournament(ID, PlayerId("pbench"), NOW, settings, "registration", "5eed" * 16)
    for number in range(PLACES):
        now = replace(now, entries=enter(now, PlayerId(f"p{number}"), "", 0, NOW + number))
    now = start(now, NOW)
    while now.state == "running":
        ranks = {
            table.game: (1, 2) if table.entries[0] < table.entries[1] else (2, 1)
            for _, _, table in now.running_tables
            if table.game
        }
        now = next_state(with_results(now, ranks), NOW)
    return now


def _lobby(game: GameId, number: int) -> Lobby:
    seats = (Chair("ada"), Chair("bob"))
    return Lobby(
        *(game, "nim", PlayerId("ada"), seats, "nim_v1", {}, (), {"mode": "free"}, "public", "0" * 64, NOW + number),
        status="over",
    )


@contextlib.contextmanager
def _opened(data: Path) -> Iterator[Store]:
    server = EmbeddedServer(data, fsync="no")
    server.start()
    try:
        yield open_store(server.url)
    finally:
        server.stop()
