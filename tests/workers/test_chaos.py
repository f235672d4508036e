"""Worker processes are killed with SIGKILL every second while bots play: nothing is lost, duplicated or stuck."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from service.core.queue import Queue
from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.errors import StoreDown
from service.store.redis.store import open_store
from tests.store.pump import outcome
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually
from tests.workers.test_advance import assert_rows_are_true, bodies

GAMES = 60
PUMPS = 2


def play_while_killing(store, crew, kills):
    """Start endless games, kill a worker every second and start another in its place; returns the games.

    Waits longer than a second on a slow machine, since a worker killed before it settles anything tests nothing. Stops
    early if no game advances.
    """
    tables = Tables(store)
    for _ in range(PUMPS):
        crew.start()
    games = [tables.start("bot:greedy", "bot:random", points=100000) for _ in range(GAMES)]
    chance = random.Random(7)
    for _ in range(kills):
        before = {game: store.log.head(game) for game in games}
        time.sleep(1)
        try:
            eventually(lambda before=before: len(unmoved(store, before)) < GAMES, seconds=20, every=0.1)
        except AssertionError:
            break
        crew.kill(chance.choice(crew.processes))
        crew.start()
    return games


def unmoved(store, before):
    """The games whose log has not grown."""
    return [game for game, head in before.items() if store.log.head(game) == head]


def assert_whole(store, game):
    """Every question of a bot was answered once, by one commit, and the rows match the log."""
    told = bodies(store, game)
    ids = [body["submission"]["id"] for body in told]
    assert len(set(ids)) == len(ids), "nothing doubled"
    assert list(range(1, len(ids) + 1)) == [stored.seq for stored in store.log.commits(game)]
    assert not [body["refusal"] for body in told if "refusal" in body]
    assert_rows_are_true(store, game)


def chaos(store, url, folder, seconds):
    crew = Crew(url, folder, PUMPS)
    try:
        games = play_while_killing(store, crew, seconds)
        before = {game: store.log.head(game) for game in games}
        eventually(lambda: not unmoved(store, before), every=1)
        assert [0] * PUMPS == crew.stop(30)
    finally:
        crew.end()
    for game in games:
        assert_whole(store, game)


@pytest.mark.soak
def test_killed_workers_cause_only_a_delay_of_seconds(redis_store, redis_url, tmp_path):
    chaos(redis_store, redis_url, tmp_path, 8)


@pytest.mark.soak
def test_games_are_stuck_without_the_sweeper(redis_store, redis_url, tmp_path):
    """The same kills without the sweeper: if this ever passes, the test above proves nothing."""
    crew = Crew(redis_url, tmp_path, PUMPS, SWEEPER="off")
    try:
        games = play_while_killing(redis_store, crew, 8)
        before = {game: redis_store.log.head(game) for game in games}
        time.sleep(10)
        fresh = Tables(redis_store).start()
        Queue(crew.queue_url).wake(redis_store.schedule.partition(fresh))
        eventually(lambda: redis_store.log.head(fresh)[0] == 1)
        assert unmoved(redis_store, before), "though there are workers that settle"
    finally:
        crew.end()


@pytest.mark.soak
def test_workers_killed_for_minutes_cause_only_a_delay_of_seconds(redis_store, redis_url, tmp_path):
    chaos(redis_store, redis_url, tmp_path, 120)


@pytest.mark.soak
def test_killed_server_loses_no_acknowledged_command(tmp_path):
    """The embedded server is killed under load; everything it accepted is there after the restart."""
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
            os.kill(server.pid, signal.SIGKILL)
            _submit_for(tables, accepted, 1.0)
            eventually(lambda: _answers(store), seconds=20)
            crew.revive()
            assert kill + 1 == server.restarts
        eventually(lambda: _settled(store, crew, accepted), every=0.5)
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


def _settled(store, crew, accepted):
    crew.revive()
    return all(isinstance(outcome(store, game, id_), int) for game, ids in accepted.items() for id_ in ids)
