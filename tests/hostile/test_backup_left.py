"""Leftovers of killed backups and restores, and error messages that name the true cause."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

from service.cli import main
from service.ops.backup import backup, snapshot
from service.ops.backup.backup import MAKING, RESTORING, VERIFYING, BadBackup, restore, verify
from service.ops.instance.embedded import EmbeddedServer
from service.ops.staging import staging
from service.store.ports.errors import StoreUnusable
from service.store.redis.client import RedisClient
from tests.cluster.servers import running
from tests.hostile.test_backup import data, made, pennies  # noqa: F401 - fixtures
from tests.soaking import sample

KILLED = """
import os, signal, sys
from pathlib import Path
from service.ops.staging import staging
from service.store.ports.errors import StoreUnusable
from service.store.redis.client import RedisClient
with staging(Path(sys.argv[1]), sys.argv[2]) as stage:
    (stage / "signing.key").write_text("a key")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_in(folder, prefix):
    """Kill a process in the middle of a backup or restore in this folder; return the staging folder that it left."""
    folder.mkdir(exist_ok=True)
    before = set(folder.iterdir())
    done = subprocess.run([sys.executable, "-c", KILLED, folder, prefix], check=False, timeout=120)
    assert -signal.SIGKILL == done.returncode
    (left,) = set(folder.iterdir()) - before
    assert "a key" == (left / "signing.key").read_text()
    return left


def test_backup_removes_leftovers_of_a_killed_backup_but_not_of_a_running_one(data, tmp_path):  # noqa: F811
    left = killed_in(tmp_path, MAKING)
    with staging(tmp_path, MAKING) as other:
        assert not left.exists()
        left = killed_in(tmp_path, MAKING)
        made(data, tmp_path / "b")
        assert other.is_dir()
    assert ["b", "data"] == sorted(path.name for path in tmp_path.iterdir())


def test_verify_removes_the_leftovers_of_a_killed_verify(data, tmp_path):  # noqa: F811
    made(data, tmp_path / "b")
    left = killed_in(tmp_path, VERIFYING)
    verify(tmp_path / "b", iter)
    assert not left.exists()


def test_server_refuses_the_folder_of_a_killed_restore_until_it_is_repeated(data, tmp_path):  # noqa: F811
    made(data, tmp_path / "b")
    killed_in(tmp_path / "again", RESTORING)
    with pytest.raises(StoreUnusable, match="was interrupted or is still running"):
        EmbeddedServer(tmp_path / "again", fsync="no").start()
    restore(tmp_path / "b", tmp_path / "again", iter)
    with EmbeddedServer(tmp_path / "again", fsync="no"):
        pass


@pytest.mark.parametrize("moved", sample([3, 1], 2))
def test_restore_killed_while_moving_files_can_be_repeated(data, tmp_path, monkeypatch, moved):  # noqa: F811
    made(data, tmp_path / "b")
    (tmp_path / "again").mkdir()
    for name in sorted(path.name for path in (tmp_path / "b").iterdir() if path.name.endswith((".json", ".key")))[
        :moved
    ]:
        if name != "backup.json":
            shutil.copy(tmp_path / "b" / name, tmp_path / "again" / name)
    killed_in(tmp_path / "again", RESTORING)
    with pytest.raises(StoreUnusable):
        EmbeddedServer(tmp_path / "again", fsync="no").start()
    restore(tmp_path / "b", tmp_path / "again", iter)
    with EmbeddedServer(tmp_path / "again", fsync="no"):
        pass


def test_killed_restore_can_be_repeated_but_not_while_another_restore_runs(data, tmp_path):  # noqa: F811
    note = made(data, tmp_path / "b")
    killed_in(tmp_path / "again", RESTORING)
    assert note == restore(tmp_path / "b", tmp_path / "again", iter)
    (tmp_path / "new").mkdir()
    with (
        staging(tmp_path / "new", RESTORING),
        pytest.raises(BadBackup, match=r"is not empty \(it contains \.restoring-"),
    ):
        restore(tmp_path / "b", tmp_path / "new", iter)


def test_second_backup_of_the_same_name_fails_and_leaves_nothing(data, tmp_path, monkeypatch):  # noqa: F811
    real = backup.verified

    def verified(*told):
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "backup.json").write_text("another's")
        return real(*told)

    monkeypatch.setattr(backup, "verified", verified)
    with pytest.raises(BadBackup, match="was created by another process"):
        made(data, tmp_path / "b")
    assert ["b", "data"] == sorted(path.name for path in tmp_path.iterdir())


@pytest.fixture
def giving():
    """Start a fake server that sends these bytes and then stays silent; return a connection to it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        lines = []

        def start(copy):
            def serve():
                line, _ = listening.accept()
                lines.append(line)
                line.recv(100)
                line.sendall(copy)

            threading.Thread(target=serve, daemon=True).start()
            return RedisClient(f"redis://127.0.0.1:{listening.getsockname()[1]}")

        yield start
        for line in lines:
            line.close()


def test_full_disk_during_a_snapshot_is_reported_as_such(tmp_path, monkeypatch, giving):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        snapshot.snapshot(giving(b"$5\r\n12345"), tmp_path / "files")


def test_lost_connection_during_a_snapshot_is_reported(tmp_path, monkeypatch, giving):
    monkeypatch.setattr(snapshot, "SILENT", 0.2)
    with pytest.raises(snapshot.NoSnapshot, match="connection was lost while the server sent its snapshot: timed out"):
        snapshot.snapshot(giving(b"$5\r\n123"), tmp_path / "files")


@pytest.mark.parametrize("withheld", ["info", "scan"])
def test_backup_reports_a_missing_redis_permission_in_one_sentence(tmp_path, monkeypatch, withheld):
    monkeypatch.chdir(tmp_path)
    with running(tmp_path / "own") as server:
        server.client().execute_command("ACL", "SETUSER", "few", "on", ">sesame", "~*", "&*", "+@all", f"-{withheld}")
        monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", f"redis://few:sesame@127.0.0.1:{server.port}")
        told = CliRunner().invoke(main, ["backup", str(tmp_path / "kept")])
    assert (1, True) == (told.exit_code, f"no permissions to run the '{withheld}' command" in told.output), told.output
    assert "sesame" not in told.output
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
