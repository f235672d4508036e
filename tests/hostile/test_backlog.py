"""Unsettled commands show up in `/readyz` and in the metrics, except those of one quarantined game."""

from __future__ import annotations

import re
import time

import pytest

from service.store.upkeep.backlog import Backlog
from tests.core.http.conftest import World
from tests.store.pump import Worker, claim_games, command, opened, started, submit

HOUR = 3_600_000


def waiting(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    return game


def until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def idle():
    """A service without live workers that is ready only while no command waits longer than a second."""
    world = World(ready_wait_seconds=1)
    world.asleep = True
    return world


def test_readyz_fails_and_reports_the_wait_while_commands_are_not_settled(idle):
    idle.public.get("/readyz", want=200)
    waiting(idle.store)
    until(lambda: idle.public.get("/readyz").status == 503)
    assert re.search(r"for \d+ seconds", idle.public.get("/readyz").json["detail"])

    for game in idle.store.lobbies.every():
        Worker(idle.store, game).step()
        idle.store.claims.release(game)
    until(lambda: idle.public.get("/readyz").status == 200)


def test_metrics_export_the_age_of_the_oldest_command(idle):
    waiting(idle.store)
    time.sleep(0.2)
    told = idle.public.get("/metrics", want=200).text
    assert 0.1 < float(re.search(r"^oraclewheel_oldest_command_age_seconds (\S+)$", told, re.MULTILINE)[1]) < 100


def test_backlog_is_the_age_of_the_oldest_command_whether_or_not_it_is_claimed(store):
    assert 0 == Backlog(store).seconds()
    first = waiting(store)
    time.sleep(0.3)
    waiting(store)
    assert 0.3 <= Backlog(store).seconds() < 100
    claim_games(store, [store.schedule.partition(first)], 1, 60_000)
    assert 0.3 <= Backlog(store).seconds() < 100


def test_backlog_ignores_a_quarantined_game_until_its_next_commit(store):
    game = waiting(store)
    time.sleep(0.1)
    claim_games(store, [store.schedule.partition(game)], 1, 60_000)
    store.claims.release(game, 20)
    assert 0 == Backlog(store).seconds()
    time.sleep(0.05)
    store.schedule.sweep(store.schedule.partition(game))
    assert 0 == Backlog(store).seconds(), "not while it is tried once more either"
    Worker(store, game).step(1)
    submit(store, game, command("s2", 2, pennies=1))
    time.sleep(0.05)
    assert Backlog(store).seconds() > 0, "a commit ends that"


def test_backlog_uses_the_readers_clock_when_the_store_clock_went_back(redis_store):
    game = opened(redis_store, "ann", "bob").id
    redis_store.lobbies.start(game, "ann", "begin")
    name = redis_store.keys.game(game).commands
    ((entry, fields),) = redis_store.wire.one("XRANGE", name, "-", "+")
    redis_store.wire.one("DEL", name)
    redis_store.wire.one("XADD", name, entry, "d", fields[1], "t", int(fields[3]) + HOUR)

    clock = [100.0]
    backlog = Backlog(redis_store, lambda: clock[0])
    assert 0 == backlog.seconds()
    clock[0] += 45
    assert 45 == backlog.seconds()
    Worker(redis_store, game).step()
    redis_store.claims.release(game)
    assert 0 == backlog.seconds()
