"""A full disk: the embedded server answers reads, refuses writes, and continues when there is room."""

from __future__ import annotations

import os
import signal

import pytest
from click.testing import CliRunner
from redis import Redis
from redis.exceptions import ReadOnlyError, RedisError

from service.cli import main
from service.ops.instance.embedded import EmbeddedServer, is_read_only
from tests.workers.crew import eventually


@pytest.fixture
def full(monkeypatch):
    """The disk as the server sees it: full or not."""
    told = [False]
    monkeypatch.setattr(EmbeddedServer, "_is_full", lambda _: told[0])
    return told


@pytest.fixture
def server(tmp_path):
    with EmbeddedServer(tmp_path / "data") as server:
        yield server


def test_server_answers_only_reads_while_its_disk_is_full(server, full):
    redis = Redis(unix_socket_path=str(server.socket))
    redis.set("kept", "1")
    redis.set("gone", "1", px=1500)

    full[0] = True
    os.kill(redis.info()["process_id"], signal.SIGKILL)  # as it ends itself when it cannot write
    eventually(lambda: is_read_only(server.socket))
    assert b"1" == redis.get("kept")
    with pytest.raises(ReadOnlyError):
        redis.set("new", "1")
    written = redis.info("persistence")["aof_current_size"]
    eventually(lambda: redis.get("gone") is None)
    assert redis.info("persistence")["aof_current_size"] == written, "an expired key is deleted in the file later"

    full[0] = False
    eventually(lambda: not is_read_only(server.socket))
    redis.set("new", "1")
    os.kill(redis.info()["process_id"], signal.SIGKILL)

    def values():
        try:
            return redis.mget("kept", "new", "gone") == [b"1", b"1", None]
        except RedisError:
            return False

    eventually(values)


@pytest.mark.parametrize("command", [("top", "--once"), ("doctor",)])
def test_commands_report_a_full_disk(server, full, monkeypatch, tmp_path, command):
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "data"))
    full[0] = True
    os.kill(Redis(unix_socket_path=str(server.socket)).info()["process_id"], signal.SIGKILL)
    eventually(lambda: is_read_only(server.socket))

    def reported():
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 1
        assert "is full. Free some space" in result.output
        return "only answers reads" in result.output

    # The launcher tries the full disk again from time to time, and nothing answers at such a moment.
    eventually(reported)
