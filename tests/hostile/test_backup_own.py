"""Backups of an external Redis during play, restored into a new server or into a data folder."""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import closing

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.ops.backup import snapshot
from service.ops.backup.backup import BadBackup, make, restore
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.identity import Marker, acquaint
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import signer
from service.store.redis.cluster.client import open_client
from service.store.redis.store import open_store
from tests.cluster.servers import THIS, Encrypting, certificate, eventually, running
from tests.hostile.test_backup import heads, play
from tests.pennies import PENNIES


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def own(tmp_path):
    """An external server with some played games, and the data folder with both keys that belongs to it."""
    with running(tmp_path / "own") as server, closing(open_store(server.url)) as store:
        data = tmp_path / "data"
        data.mkdir()
        signer(data / "signing.key", store.log)
        push_key(data / "push.key")
        play(store, 2)
        Marker(data, store.wire, acquaint(data, store.wire).id, delay=0).mark()
        server.store, server.data = store, data
        yield server


def called(*arguments):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.output


@pytest.fixture
def settled(own, monkeypatch, tmp_path):
    """The settings point to the external server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", own.url)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(own.data))
    return own


def test_backup_of_an_external_redis_restores_into_a_data_folder(settled, tmp_path, monkeypatch):
    wanted, to = heads(settled.store), tmp_path / "kept"
    status, told = called("backup", to)
    assert 0 == status, told
    assert f"{len(wanted)} games with {sum(wanted.values())} commits, every chain verified." in told
    assert {"backup.json", "appendonlydir", "store.json", "server.json", "signing.key", "push.key"} == {
        path.name for path in to.iterdir()
    }
    assert 0 == called("backup", "--verify", to)[0]

    monkeypatch.delenv("ORACLEWHEEL_REDIS_URL")
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "again"))
    assert 0 == called("restore", to)[0]
    with EmbeddedServer(tmp_path / "again", fsync="no") as server, closing(open_store(server.url)) as store:
        assert wanted == heads(store)


def test_restore_prints_working_steps_for_an_external_redis(settled, tmp_path):
    wanted, to = heads(settled.store), tmp_path / "kept"
    assert 0 == called("backup", to)[0]
    status, told = called("restore", to)
    assert 1 == status
    assert f"copy {to}/appendonlydir into its empty `dir`" in told
    assert f"restore --into-store {to}" in told

    shutil.copytree(to / "appendonlydir", tmp_path / "new" / "appendonlydir")
    with running(tmp_path / "new", appendonly="yes") as server:
        eventually(server.client().ping)  # the server answers before it has loaded its data
        with closing(open_store(server.url)) as store:
            assert wanted == heads(store)
            assert acquaint(settled.data, store.wire).id == acquaint(to, store.wire).id, (
                "the folder knows it for its own"
            )


def test_backup_is_a_consistent_snapshot_under_concurrent_writes(own, tmp_path):
    stop = threading.Event()

    def write():
        with closing(open_client(own.url)) as wire:
            number = 0
            while not stop.is_set():
                number += 1
                wire.all([("SET", f"first:{number}", "x" * 500), ("SET", f"second:{number}", "x" * 500)])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with closing(open_client(own.url)) as wire:
            for place in range(3):
                note = make(
                    own.data, own.data / "signing.key", own.data / "push.key", tmp_path / str(place), iter, wire
                )
                assert note.games == len(heads(own.store))
    finally:
        stop.set()
        writer.join()
    restore(tmp_path / "2", tmp_path / "again", iter)
    with EmbeddedServer(tmp_path / "again", fsync="no") as server, closing(open_client(server.url)) as wire:
        first, second = (len(list(wire.scan(f"{name}:*"))) for name in ("first", "second"))
        assert first - second in (0, 1), "nothing stands there without what was written before it"
        assert first


def test_backup_reports_a_missing_sync_permission_and_leaves_nothing(own, tmp_path):
    with closing(open_client(own.url)) as wire:
        wire.one("ACL", "SETUSER", "few", "on", ">sesame", "~*", "&*", "+@all", "-sync", "-psync")
    url, needed = f"redis://few:sesame@127.0.0.1:{own.port}", "Allow its user the command SYNC"
    with closing(open_client(url)) as wire, pytest.raises(BadBackup, match=needed) as told:
        make(own.data, own.data / "signing.key", own.data / "push.key", tmp_path / "kept", iter, wire)
    assert "sesame" not in str(told.value)
    assert ["data", "own"] == sorted(path.name for path in tmp_path.iterdir())


class Halting:
    """A socket that delivers these bytes and then ends."""

    def __init__(self, *pieces):
        self.left = b"".join(pieces)

    def recv(self, size):
        piece, self.left = self.left[:size], self.left[size:]
        return piece


@pytest.mark.parametrize(
    ("came", "words"),
    [
        (b"", "no reason given"),
        (b"\n\n\n$", "sends no snapshot"),
        (b"-LOADING it is loading\r\n", "LOADING it is loading"),
        (b"$EOF:abc\r\n", "EOF:abc"),
        (b"\n\n$12\r\nabc", "9 bytes before the end"),
    ],
)
def test_snapshot_fails_on_a_truncated_or_unexpected_reply(came, words, tmp_path):
    with pytest.raises(snapshot.NoSnapshot, match=words):
        snapshot.received(Halting(came), tmp_path / "file")


def test_snapshot_authenticates_and_uses_tls(own, tmp_path):
    files = certificate(tmp_path)
    own.client().acl_setuser("copier", enabled=True, passwords=["+sesame"], commands=["+@all"], keys=["*"])
    door = Encrypting(own.port, files)
    url = f"rediss://copier:sesame@127.0.0.1:{door.port}?ssl_ca_certs={files[0]}"
    with closing(open_client(url)) as wire:
        snapshot.snapshot(wire, tmp_path / "copy")
    assert (tmp_path / "copy" / snapshot.BASE).read_bytes().startswith((b"REDIS", b"VALKEY"))
    for wrong in (url.replace("sesame", "other"), url.partition("?")[0]):
        with pytest.raises(snapshot.NoSnapshot, match=r"WRONGPASS|certificate"), closing(open_client(wrong)) as wire:
            snapshot.snapshot(wire, tmp_path / wrong[9:20].replace("/", ""))
    door.close()


def test_snapshot_skips_empty_lines_before_the_data(tmp_path):
    snapshot.received(Halting(b"\n\n\n", b"$5\r\n", b"he\nlo", b"*1\r\n"), tmp_path / "file")
    assert b"he\nlo" == (tmp_path / "file").read_bytes()


def test_backup_records_the_name_and_version_of_the_server(own, tmp_path):
    with closing(open_client(own.url)) as wire:
        make(own.data, own.data / "signing.key", own.data / "push.key", tmp_path / "kept", iter, wire)
    assert {"name": THIS.name, "version": THIS.version} == json.loads((tmp_path / "kept" / "server.json").read_text())


def test_backup_of_another_database_number_is_rejected(settled, monkeypatch, tmp_path):
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", f"{settled.url}/3")
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "none"))
    status, told = called("backup", tmp_path / "kept")
    assert (1, True) == (status, "Only database 0 of a server can be backed up" in told), told
