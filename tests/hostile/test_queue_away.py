"""The queue is unreachable for a while: this is reported, nothing is lost, and all commands are settled when it is back."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest

from service.core.http.health import QUEUE_UNAVAILABLE, faults
from service.core.queue import Queue
from service.ops.instance.queue_server import QueueServer
from service.store.upkeep.backlog import Backlog
from tests.store.pump import outcome
from tests.workers.conftest import Tables
from tests.workers.crew import Crew, eventually


@pytest.fixture
def data():
    # pytest's own folders have names that are too long for a socket
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        yield Path(folder)


def test_service_with_an_unreachable_queue_is_not_ready(redis_store, data):
    queue = Queue(QueueServer(data).url)
    backlog = Backlog(redis_store)
    assert (QUEUE_UNAVAILABLE,) == faults(redis_store, backlog, 30, queue)
    server = QueueServer(data)
    server.start()
    try:
        assert () == faults(redis_store, backlog, 30, queue)
    finally:
        server.stop()
    assert (QUEUE_UNAVAILABLE,) == faults(redis_store, backlog, 30, queue)


@pytest.mark.soak
def test_commands_are_settled_when_the_queue_is_back(redis_store, redis_url, data):
    server = QueueServer(data)
    server.start()
    crew = Crew(redis_url, data)
    crew.queue_url = crew.environ["ORACLEWHEEL_QUEUE_URL"] = server.url
    tables, queue = Tables(redis_store), Queue(server.url)
    try:
        crew.start()
        crew.start()
        games = [tables.start() for _ in range(6)]
        eventually(lambda: all(redis_store.log.head(game)[0] == 1 for game in games), seconds=120)
        pids = [process.pid for process in [*crew.processes, crew.cron]]
        server.stop()
        for game in games:
            tables.hide(game, 1, 0, id_="mine")
            queue.wake(redis_store.schedule.partition(game))
        time.sleep(3)
        assert {"pending"} == {outcome(redis_store, game, "mine") for game in games}
        server = QueueServer(data)
        server.start()
        back = time.monotonic()
        eventually(lambda: all(outcome(redis_store, game, "mine") == 2 for game in games), seconds=60)
        print(f"settled {time.monotonic() - back:.2f} s after the queue was back")
        assert pids == [process.pid for process in [*crew.processes, crew.cron]]
        assert all(process.poll() is None for process in [*crew.processes, crew.cron]), "no worker was restarted"
    finally:
        crew.end()
        server.stop()
