"""The embedded server of the job queue is restarted when it dies and stores nothing on disk."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
import redis

from service.ops.instance.embedded import answers
from service.ops.instance.folder import queue_socket
from service.ops.instance.queue_server import QueueServer
from tests.workers.crew import eventually


@pytest.fixture
def data():
    # The names of pytest's own folders are too long for a socket.
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        yield Path(folder)


def test_killed_queue_server_restarts_empty_and_writes_no_files(data):
    server = QueueServer(data)
    url = server.start()
    try:
        with redis.Redis.from_url(url) as client:
            client.set("a", 1)
            os.kill(int(client.info("server")["process_id"]), signal.SIGKILL)
        eventually(lambda: answers(queue_socket(data)), seconds=20)
        with redis.Redis.from_url(url) as client:
            assert client.get("a") is None
            assert "" == client.config_get("save")["save"]
            assert "no" == client.config_get("appendonly")["appendonly"]
    finally:
        server.stop()
    assert not answers(queue_socket(data))
    assert [] == [path for path in data.rglob("*") if path.suffix in (".rdb", ".aof")]


def test_stopping_a_server_that_never_started_keeps_the_socket_of_another(data):
    socket = queue_socket(data)
    socket.parent.mkdir(parents=True, exist_ok=True)
    socket.touch()

    QueueServer(data).stop()
    assert socket.exists()


def test_stopping_a_server_that_never_started_ignores_a_folder_that_is_a_file(tmp_path):
    file = tmp_path / "file"
    file.touch()

    QueueServer(file).stop()
    assert file.is_file()
