"""The embedded server: which binary it uses, whose data it reads, and how it is kept running."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import time
from pathlib import Path

import pytest
import redis

from service.ops.instance.embedded import EmbeddedServer, answers
from service.ops.instance.folder import LONGEST_SOCKET, forget_sockets
from service.ops.instance.server_binary import (
    BINARY_SETTING,
    ServerUnusable,
    ServerVersion,
    can_read,
    find_binary,
    identify,
)


def program(path: Path, says: str) -> Path:
    """A program that prints this when asked for its version, and does nothing else."""
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


REDIS_7_0 = "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=e08dbad3e06f3fb"


def test_the_setting_names_the_binary(tmp_path, monkeypatch):
    mine = program(tmp_path / "my-redis", REDIS_7_0)
    monkeypatch.setenv(BINARY_SETTING, str(mine))

    assert mine == find_binary()
    assert ServerVersion("redis", "7.0.15") == identify(mine)
    monkeypatch.setenv(BINARY_SETTING, str(tmp_path / "none"))
    with pytest.raises(ServerUnusable, match=BINARY_SETTING):
        find_binary()


def test_binary_of_the_wheel_comes_before_the_path(monkeypatch):
    monkeypatch.delenv(BINARY_SETTING, raising=False)

    assert identify(find_binary()).name == "valkey"


def test_path_is_searched_for_a_recent_server_if_the_wheel_is_missing(tmp_path, monkeypatch):
    monkeypatch.delenv(BINARY_SETTING, raising=False)
    monkeypatch.setattr("service.ops.instance.server_binary._wheel_binary", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ServerUnusable, match="No Redis-compatible server"):
        find_binary()
    old = program(tmp_path / "valkey-server", "Redis server v=6.2.14 sha=0 malloc=libc bits=64 build=0")
    with pytest.raises(ServerUnusable, match=r"7\.0 or later"):
        find_binary()
    new = program(tmp_path / "redis-server", REDIS_7_0)
    assert new == find_binary()
    assert old != new


@pytest.mark.parametrize("says", ["Python 3.11.7", ""])
def test_program_that_is_no_server_is_refused(tmp_path, says):
    with pytest.raises(ServerUnusable, match="not a Redis-compatible server"):
        identify(program(tmp_path / "odd", says))
    with pytest.raises(ServerUnusable, match="cannot be run"):
        identify(tmp_path / "missing")


@pytest.mark.parametrize(
    ("reads", "wrote", "can"),
    [
        (("valkey", "9.1.2"), ("valkey", "9.1.4"), True),
        (("valkey", "9.2.0"), ("valkey", "9.1.4"), True),
        (("valkey", "9.0.9"), ("valkey", "9.1.0"), False),
        (("valkey", "8.1.0"), ("valkey", "9.0.0"), False),
        (("redis", "7.0.15"), ("valkey", "9.1.2"), False),
        (("redis", "8.2.0"), ("valkey", "8.0.0"), False),
        (("valkey", "8.0.0"), ("redis", "7.2.4"), True),
        (("valkey", "9.1.2"), ("redis", "7.4.0"), False),
        (("redis", "7.2.0"), ("redis", "7.0.15"), True),
        (("redis", "7.0.15"), ("redis", "7.2.0"), False),
    ],
)
def test_server_reads_files_of_older_versions_and_valkey_those_of_redis_up_to_7_2(reads, wrote, can):
    assert can == can_read(ServerVersion(*reads), ServerVersion(*wrote))


def test_data_of_a_newer_server_is_refused_and_unchanged(tmp_path, monkeypatch):
    monkeypatch.delenv(BINARY_SETTING, raising=False)
    with EmbeddedServer(tmp_path / "data", fsync="no"):
        pass
    older = program(tmp_path / "redis-server", REDIS_7_0)
    before = sorted(path.name for path in (tmp_path / "data").iterdir())

    with pytest.raises(ServerUnusable, match=r"was written by Valkey \S+, which Redis 7\.0\.15 cannot read"):
        EmbeddedServer(tmp_path / "data", binary=older).start()
    assert before == sorted(path.name for path in (tmp_path / "data").iterdir())
    with EmbeddedServer(tmp_path / "data", fsync="no") as again:
        assert answers(again.socket)


def test_a_server_that_is_too_old_is_refused(tmp_path):
    with pytest.raises(ServerUnusable, match=r"Redis 6\.2\.14; version 7\.0 or later"):
        EmbeddedServer(tmp_path, binary=program(tmp_path / "old", REDIS_7_0.replace("7.0.15", "6.2.14"))).start()


def test_folder_records_which_server_wrote_it(tmp_path):
    with EmbeddedServer(tmp_path, fsync="no"):
        pass

    told = json.loads((tmp_path / "server.json").read_text())
    assert ServerVersion(**told) == identify(find_binary())


def test_server_that_does_not_start_raises_server_unusable(tmp_path):
    failing = tmp_path / "failing"
    failing.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo '{REDIS_7_0}' && exit 0\nexit 3\n")
    failing.chmod(0o755)

    with pytest.raises(ServerUnusable, match="did not start"):
        EmbeddedServer(tmp_path / "data", binary=failing).start()


def test_a_folder_belongs_to_one_launcher_at_a_time(tmp_path):
    in_use = pytest.raises(ServerUnusable, match=f"in use by process {os.getpid()}")
    with EmbeddedServer(tmp_path, fsync="no"), in_use:
        EmbeddedServer(tmp_path).start()
    with EmbeddedServer(tmp_path, fsync="no") as again:
        assert answers(again.socket)


def test_two_folders_run_at_the_same_time(tmp_path):
    with EmbeddedServer(tmp_path / "a", fsync="no") as one, EmbeddedServer(tmp_path / "b", fsync="no") as other:
        assert one.url != other.url
        assert answers(one.socket)
        assert answers(other.socket)


def test_data_folder_with_a_long_path_gets_its_socket_in_a_short_one(tmp_path):
    deep = tmp_path.joinpath(*["a-rather-long-folder-name"] * 6)
    embedded = EmbeddedServer(deep, fsync="no")
    embedded.start()
    socket = embedded.socket
    try:
        assert len(os.fsencode(socket)) <= LONGEST_SOCKET
        with redis.Redis.from_url(embedded.url) as client:
            assert client.ping()
    finally:
        embedded.stop()
    assert not socket.exists()
    assert deep.joinpath("redis.sock") != socket
    forget_sockets(deep)


def test_server_that_dies_is_restarted_with_its_data(tmp_path):
    with EmbeddedServer(tmp_path) as embedded:
        with redis.Redis.from_url(embedded.url) as client:
            client.set("kept", "1")
        first = embedded.pid
        os.kill(first, signal.SIGKILL)
        until = time.monotonic() + 10
        while embedded.restarts == 0 or not answers(embedded.socket):
            assert time.monotonic() < until
            time.sleep(0.01)
        assert embedded.pid != first
        with redis.Redis.from_url(embedded.url) as client:
            assert client.get("kept") == b"1"


def test_stop_ends_the_process_and_keeps_the_data(tmp_path):
    embedded = EmbeddedServer(tmp_path, fsync="no")
    embedded.start()
    with redis.Redis.from_url(embedded.url) as client:
        client.set("kept", "1")
    pid = embedded.pid
    embedded.stop()
    embedded.stop()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with EmbeddedServer(tmp_path) as again, redis.Redis.from_url(again.url) as client:
        assert client.get("kept") == b"1"


def test_server_syncs_every_write_and_evicts_nothing(tmp_path):
    with EmbeddedServer(tmp_path) as embedded, redis.Redis.from_url(embedded.url) as client:
        told = {
            name: client.config_get(name)[name] for name in ("appendonly", "appendfsync", "maxmemory-policy", "port")
        }
        assert told == {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "port": "0"}
        assert int(client.config_get("hash-max-listpack-entries")["hash-max-listpack-entries"]) >= 512


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="there is no redis-server beside the wheel's")
def test_redis_server_from_the_path_works(tmp_path, monkeypatch):
    with EmbeddedServer(tmp_path, fsync="no", binary=Path(shutil.which("redis-server"))) as embedded:
        assert answers(embedded.socket)
