"""Worker processes are killed with SIGKILL every second while bots play: nothing is lost, doubled, stuck or untrue."""

from __future__ import annotations

import random
import time

import pytest

from service.embedded import EmbeddedServer
from service.store.connect import open_store
from service.store.ports import StoreDown
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import assert_rows_are_true, bodies

GAMES = 60
PUMPS = 2


def play_while_killing(store, crew, seconds, points):
    """Start the games, kill a worker every second for so long, and start another in its place; the games."""
    tables = Tables(store)
    for _ in range(PUMPS):
        crew.start()
    games = [tables.start("bot:greedy", "bot:random", points=points) for _ in range(GAMES)]
    chance = random.Random(7)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(1)
        crew.kill(chance.choice(crew.processes))
        crew.start()
    return games


def unfinished(store, games):
    return [game for game in games if store.lobbies.get(game).status != "over"]


def wait_for_silence(store, games, seconds):
    """Until all is over, or nothing has moved for five seconds."""
    until = time.monotonic() + seconds
    heads, still = None, 0
    while unfinished(store, games) and time.monotonic() < until and still < 5:
        time.sleep(1)
        before, heads = heads, [store.log.head(game) for game in games]
        still = still + 1 if before == heads else 0


def assert_whole(store, game):
    """Every question of a bot was answered once and by one commit, and what readers see is what the log says."""
    told = bodies(store, game)
    ids = [body["submission"]["id"] for body in told]
    assert len(set(ids)) == len(ids), "nothing doubled"
    assert list(range(1, len(ids) + 1)) == [stored.seq for stored in store.log.commits(game)]
    assert not [body["refusal"] for body in told if "refusal" in body]
    assert "game_ended" == told[-1]["events"][-1]["type"]
    assert_rows_are_true(store, game)


def chaos(redis_store, redis_url, tmp_path, seconds, points):
    crew = Crew(redis_url, tmp_path, PUMPS)
    try:
        games = play_while_killing(redis_store, crew, seconds, points)
        wait_for_silence(redis_store, games, 120)
    finally:
        crew.end()
    assert not unfinished(redis_store, games)
    for game in games:
        assert_whole(redis_store, game)


def test_killing_workers_costs_nothing_but_seconds(redis_store, redis_url, tmp_path):
    chaos(redis_store, redis_url, tmp_path, 8, 20)


def test_without_the_sweeper_games_are_stuck(redis_store, redis_url, tmp_path):
    """The same chaos with the sweeper off: if this ever passes, the test above proves nothing."""
    crew = Crew(redis_url, tmp_path, PUMPS, SWEEPER="off")
    try:
        games = play_while_killing(redis_store, crew, 8, 20)
        wait_for_silence(redis_store, games, 120)
    finally:
        crew.end()
    assert unfinished(redis_store, games)


@pytest.mark.soak
def test_killing_workers_for_minutes_costs_nothing_but_seconds(redis_store, redis_url, tmp_path):
    chaos(redis_store, redis_url, tmp_path, 120, 400)


def test_killing_the_server_loses_no_acknowledged_command(tmp_path):
    """The embedded server under load is killed; whatever it accepted is there when it is back."""
    folder = tmp_path / "data"
    server = EmbeddedServer(folder, fsync="always")
    url = server.start()
    crew = Crew(url, tmp_path, PUMPS)
    store = open_store(url)
    try:
        tables = Tables(store)
        games = [tables.start(points=100000) for _ in range(8)]
        for _ in range(PUMPS):
            crew.start()
        accepted = {game: [] for game in games}
        for kill in range(3):
            _submit_for(tables, accepted, 2.0)
            server_pid = server.pid
            import os
            import signal

            os.kill(server_pid, signal.SIGKILL)
            _submit_for(tables, accepted, 1.0)
            eventually(lambda: _answers(store), seconds=20)
            crew.processes = [process for process in crew.processes if process.poll() is None]
            while len(crew.processes) < PUMPS:
                crew.start()
            assert kill + 1 == server.restarts
        eventually(lambda: all(_settled(store, game, ids) for game, ids in accepted.items()), seconds=60, every=0.5)
        assert sum(map(len, accepted.values())) > 100
        for game in games:
            ids = [body["submission"]["id"] for body in bodies(store, game)]
            assert len(set(ids)) == len(ids)
            assert set(accepted[game]) <= set(ids)
            assert_rows_are_true(store, game)
    finally:
        crew.end()
        store.close()
        server.stop()


def _submit_for(tables, accepted, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for game, ids in accepted.items():
            number = next(tables.numbers)
            try:
                receipt = tables.hide(game, 1 + number % 2, 0, id_=f"k{number}")
            except StoreDown:
                continue
            if receipt.status == "accepted":
                ids.append(f"k{number}")


def _answers(store):
    try:
        return store.ready()
    except StoreDown:
        return False


def _settled(store, game, ids):
    return all(isinstance(store.log.outcome(game, id_), int) for id_ in ids)
