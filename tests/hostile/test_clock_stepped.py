"""A real server whose clock is set back by an hour while workers live and die. Needs libfaketime."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.store import open_store
from service.store.upkeep.backlog import Backlog
from tests.store.pump import claim_games, command, outcome, started, submit
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually


def library():
    """Find libfaketime: the Debian package, or the one on PyPI."""
    spec = importlib.util.find_spec("libfaketime")
    places = [*Path("/usr/lib").glob("*/faketime/libfaketime.so.1")]
    if spec is not None and spec.origin is not None:
        places += Path(spec.origin).parent.glob("vendor/libfaketime/src/libfaketime.so.1")
    return places[0] if places else None


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """A server whose clock the test controls: its URL, and a function that sets the clock."""
    found = library()
    if found is None:
        pytest.skip("no libfaketime here; test_clock_back.py writes what such a step leaves into a store")
    setting = tmp_path / "clock"
    setting.write_text("+0\n")
    folder = Path(tempfile.mkdtemp(prefix="ow-"))
    server = EmbeddedServer(folder, fsync="no")
    with monkeypatch.context() as context:
        for name, value in (
            ("LD_PRELOAD", str(found)),
            ("FAKETIME_TIMESTAMP_FILE", str(setting)),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ):
            context.setenv(name, value)
        server.start()
    yield server.url, lambda seconds: setting.write_text(f"{seconds:+d}\n")
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


def test_new_workers_take_over_within_seconds_after_the_clock_went_back_an_hour(clock, tmp_path):
    url, set_clock = clock
    store = open_store(url)
    crew = Crew(url, tmp_path)
    try:
        tables = Tables(store)
        bots = [tables.start("bot:greedy", "bot:random", points=100_000) for _ in range(4)]
        for _ in range(2):
            crew.start()
        eventually(lambda: all(store.log.head(game)[0] > 5 for game in bots))
        crew.end()
        game = started(store)
        submit(store, game, command("s1", 1, pennies=1))
        assert [game] == claim_games(store, [store.schedule.partition(game)], 1, 3000), "by one who dies as well"
        before = store.schedule.now()
        set_clock(-3600)
        eventually(lambda: store.schedule.now() < before - 3_000_000)
        heads = {each: store.log.head(each)[0] for each in bots}

        crew.start()
        crew.start()
        eventually(lambda: isinstance(outcome(store, game, "s1"), int), seconds=60)
        eventually(lambda: all(store.log.head(each)[0] > heads[each] for each in bots), seconds=60)
    finally:
        crew.end()
        store.close()


def test_backlog_is_small_but_grows_after_the_clock_went_back_an_hour(clock):
    url, set_clock = clock
    store = open_store(url)
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))
    set_clock(-3600)
    eventually(lambda: store.schedule.now() < time.time() * 1000 - 3_000_000)
    backlog = Backlog(store)
    assert backlog.seconds() < 60
    time.sleep(1.5)
    assert 1.5 <= backlog.seconds() < 60
    store.close()
