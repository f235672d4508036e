"""What a killed back-up leaves, keys and seeds among it, is gone with the next one; and the disk that is full is not the server's fault."""

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
from service.instance import backup
from service.instance.backup import MAKING, RESTORING, VERIFYING, BadBackup, restore, verify
from service.instance.copying import snapshot
from service.instance.embedded import EmbeddedServer
from service.instance.staging import staging
from service.store.ports.errors import StoreUnusable
from service.store.redis.connect import Wire
from tests.cluster.servers import running
from tests.hostile.test_backup import data, made, pennies  # noqa: F401 - fixtures
from tests.soaking import sample

KILLED = """
import os, signal, sys
from pathlib import Path
from service.instance.staging import staging
from service.store.ports.errors import StoreUnusable
from service.store.redis.connect import Wire
with staging(Path(sys.argv[1]), sys.argv[2]) as stage:
    (stage / "signing.key").write_text("a key")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_in(folder, prefix):
    """What a process leaves in a folder that was killed while it made a back-up there, or brought one back."""
    folder.mkdir(exist_ok=True)
    before = set(folder.iterdir())
    done = subprocess.run([sys.executable, "-c", KILLED, folder, prefix], check=False, timeout=120)
    assert -signal.SIGKILL == done.returncode
    (left,) = set(folder.iterdir()) - before
    assert "a key" == (left / "signing.key").read_text()
    return left


def test_what_a_killed_back_up_left_is_removed_by_the_next_and_what_another_makes_is_not(data, tmp_path):  # noqa: F811
    left = killed_in(tmp_path, MAKING)
    with staging(tmp_path, MAKING) as other:
        assert not left.exists()
        left = killed_in(tmp_path, MAKING)
        made(data, tmp_path / "b")
        assert other.is_dir()
    assert ["b", "data"] == sorted(path.name for path in tmp_path.iterdir())


def test_what_a_killed_look_at_a_back_up_left_is_removed_by_the_next(data, tmp_path):  # noqa: F811
    made(data, tmp_path / "b")
    left = killed_in(tmp_path, VERIFYING)
    verify(tmp_path / "b", iter)
    assert not left.exists()


def test_serve_refuses_the_folder_of_a_killed_restore_which_can_then_be_repeated(data, tmp_path):  # noqa: F811
    made(data, tmp_path / "b")
    killed_in(tmp_path / "again", RESTORING)
    with pytest.raises(StoreUnusable, match="was interrupted or is still running"):
        EmbeddedServer(tmp_path / "again", fsync="no").start()
    restore(tmp_path / "b", tmp_path / "again", iter)
    with EmbeddedServer(tmp_path / "again", fsync="no"):
        pass


@pytest.mark.parametrize("moved", sample([3, 1], 2))
def test_a_restore_killed_while_it_moves_files_can_be_repeated(data, tmp_path, monkeypatch, moved):  # noqa: F811
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


def test_a_restore_that_was_killed_is_done_again_into_the_same_folder(data, tmp_path):  # noqa: F811
    note = made(data, tmp_path / "b")
    killed_in(tmp_path / "again", RESTORING)
    assert note == restore(tmp_path / "b", tmp_path / "again", iter)
    (tmp_path / "new").mkdir()
    with (
        staging(tmp_path / "new", RESTORING),
        pytest.raises(BadBackup, match=r"is not empty \(it contains \.restoring-"),
    ):
        restore(tmp_path / "b", tmp_path / "new", iter)


def test_the_later_of_two_back_ups_of_one_name_says_so(data, tmp_path, monkeypatch):  # noqa: F811
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
    """A server that gives a copy of so many bytes and then says nothing more; a wire to it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        lines = []

        def start(copy):
            def serve():
                line, _ = listening.accept()
                lines.append(line)
                line.recv(100)
                line.sendall(copy)

            threading.Thread(target=serve, daemon=True).start()
            return Wire(f"redis://127.0.0.1:{listening.getsockname()[1]}")

        yield start
        for line in lines:
            line.close()


def test_a_disk_that_is_full_is_not_said_to_be_the_servers_fault(tmp_path, monkeypatch, giving):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        snapshot.snapshot(giving(b"$5\r\n12345"), tmp_path / "files")


def test_a_line_that_breaks_is_told_as_what_it_is(tmp_path, monkeypatch, giving):
    monkeypatch.setattr(snapshot, "SILENT", 0.2)
    with pytest.raises(snapshot.NoSnapshot, match="connection was lost while the server sent its snapshot: timed out"):
        snapshot.snapshot(giving(b"$5\r\n123"), tmp_path / "files")


@pytest.mark.parametrize("withheld", ["info", "scan"])
def test_a_server_that_refuses_to_be_asked_is_a_sentence(tmp_path, monkeypatch, withheld):
    monkeypatch.chdir(tmp_path)
    with running(tmp_path / "own") as server:
        server.client().execute_command("ACL", "SETUSER", "few", "on", ">sesame", "~*", "&*", "+@all", f"-{withheld}")
        monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", f"redis://few:sesame@127.0.0.1:{server.port}")
        told = CliRunner().invoke(main, ["backup", str(tmp_path / "kept")])
    assert (1, True) == (told.exit_code, f"no permissions to run the '{withheld}' command" in told.output), told.output
    assert "sesame" not in told.output
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
