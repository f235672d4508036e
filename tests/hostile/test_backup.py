"""Backups taken while games are played and files are rewritten, restored completely into an empty folder."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.cli.commands.export import write
from service.ops.backup import backup, files
from service.ops.backup.backup import BadBackup, make, restore
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.identity import Marker, acquaint, recorded
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import signer
from service.store.ports.errors import StoreUnusable
from service.store.redis.store import open_store
from service.store.upkeep.repair import games_of
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from tests.workers.test_serve import Instance, Player
from workers.advance import Advance


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


def heads(store):
    return {game: store.log.head(game)[0] for game in games_of(store)}


def play(store, count=1):
    """Play this many bot games to their end, and start one that waits for its players."""
    tables = Tables(store)
    games = [tables.start("bot:greedy", "bot:random") for _ in range(count)] + [tables.start()]
    settle(store, Advance.in_process(store))
    return games


@pytest.fixture
def data(tmp_path):
    """A stopped store in which games were played."""
    data = tmp_path / "data"
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        signer(data / "signing.key", store.log)
        push_key(data / "push.key")
        play(store, 2)
        Marker(data, store.wire, acquaint(data, store.wire).id, delay=0).mark()
    return data


def made(data, to):
    return make(data, data / "signing.key", data / "push.key", to, iter)


@pytest.mark.soak
def test_backups_made_during_play_and_file_rewrites_restore_completely(data, tmp_path):
    done = threading.Event()
    with EmbeddedServer(data, fsync="everysec") as server, closing(open_store(server.url)) as store:

        def playing():
            while not done.is_set():
                play(store)

        def rewriting():
            with redis.Redis.from_url(server.url) as client:
                while not done.wait(0.005):
                    try:
                        client.execute_command("BGREWRITEAOF")
                    except redis.ResponseError:
                        continue  # a rewrite is already running

        threads = [threading.Thread(target=playing), threading.Thread(target=rewriting)]
        for thread in threads:
            thread.start()
        taken = []
        try:
            for number in range(4):
                before = heads(store)
                note = made(data, tmp_path / f"backup-{number}")
                taken.append((tmp_path / f"backup-{number}", before, note))
        finally:
            done.set()
            for thread in threads:
                thread.join()
        rewrites = store.wire.one("INFO", "persistence").split(b"aof_rewrites:")[1].split()[0]
        assert int(rewrites) > 5

    for number, (source, before, note) in enumerate(taken):
        again = tmp_path / f"again-{number}"
        assert note == restore(source, again, iter)
        with EmbeddedServer(again, fsync="no") as server, closing(open_store(server.url)) as store:
            known = acquaint(again, store.wire)
            assert recorded(data).id == known.id
            found = heads(store)
            assert (note.games, note.commits) == (len(found), sum(found.values()))
            assert all(found[game] >= seq for game, seq in before.items()), "nothing answered before is missing"
            key = signer(again / "signing.key", store.log)
            assert (data / "push.key").read_text() == (again / "push.key").read_text(), "or every device is lost"
            over = [game for game in found if store.lobbies.get(game).status == "over"]
            for place, game in enumerate(sorted(over)[:3]):
                file = io.BytesIO()
                write(store, store.lobbies.get(game), key, file)
                path = tmp_path / f"{number}-{place}.ndjson"
                path.write_bytes(file.getvalue())
                told = CliRunner().invoke(main, ["audit", str(path)])
                assert 0 == told.exit_code, told.output
            assert all(store.log.head(game)[0] > 1 for game in play(store)[:1]), "it is played on"


@pytest.mark.soak
def test_backup_of_a_running_service_continues_in_another_instance(tmp_path):
    one = Instance(tmp_path / "one", ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_SIDE_WORKERS="0").start()
    other = Instance(tmp_path / "other", ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_SIDE_WORKERS="0")
    try:
        ada = Player(one.url, "Ada")
        game = ada.new_game()
        assert 200 == ada.end_turn(game).status_code
        seq = ada.get(f"games/{game}")["seq"]
        command = [sys.executable, "-c", "from service.cli import main; main()"]
        told = subprocess.run(
            [*command, "backup", str(tmp_path / "b")],
            check=False,
            env=one.environ,
            cwd=one.folder,
            capture_output=True,
            text=True,
        )
        assert (0, "1 games" in told.stdout) == (told.returncode, True), told.stderr
        assert 200 == ada.end_turn(game).status_code
        told = subprocess.run(
            [*command, "restore", str(tmp_path / "b")],
            check=False,
            env=other.environ,
            cwd=other.folder,
            capture_output=True,
            text=True,
        )
        assert 0 == told.returncode, told.stderr
        other.start()
        ada.url = other.url
        assert seq <= ada.get(f"games/{game}")["seq"]
        assert 200 == ada.end_turn(game).status_code
    finally:
        for instance in (one, other):
            if instance.process is not None:
                assert 0 == instance.stop()


def test_backup_and_restored_folder_are_readable_only_by_their_owner(data, tmp_path):
    before = os.umask(0o022)
    try:
        made(data, tmp_path / "b")
        restore(tmp_path / "b", tmp_path / "again", iter)
    finally:
        os.umask(before)
    for folder in (tmp_path / "b", tmp_path / "again"):
        for path in [folder, *folder.rglob("*")]:
            assert 0 == stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_backup_leaves_no_other_files_and_does_not_change_the_data_folder(data, tmp_path):
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    made(data, tmp_path / "b")
    assert before == {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert ["b", "data"] == sorted(path.name for path in tmp_path.iterdir())
    names = {path.name for path in (tmp_path / "b").iterdir()}
    assert {"appendonlydir", "backup.json", "push.key", "server.json", "signing.key", "store.json"} == names


def test_backup_drops_the_unfinished_command_of_a_crashed_server(data, tmp_path):
    whole = made(data, tmp_path / "whole")
    with next((data / "appendonlydir").glob("*.incr.aof")).open("ab") as file:
        file.write(b"*3\r\n$4\r\nHSET\r\n$3\r\nab")
    note = made(data, tmp_path / "b")
    assert (whole.games, whole.commits) == (note.games, note.commits)


def test_backup_rejects_a_broken_chain(data, tmp_path):
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        game = next(game for game, seq in heads(store).items() if seq > 2)
        store.wire.one("XDEL", store.keys.game(game).commits, "2-0")
    with pytest.raises(BadBackup, match=f"The chain of {game} is broken at commit 2"):
        made(data, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_backup_rejects_files_older_than_the_recorded_mark(data, tmp_path):
    told = json.loads((data / "store.json").read_text())
    (data / "store.json").write_text(json.dumps({**told, "mark": told["mark"] + 1}))
    with pytest.raises(BadBackup, match="an older state"):
        made(data, tmp_path / "b")


def test_backup_fails_if_a_running_game_is_missing_from_the_copy(data, tmp_path, monkeypatch):
    monkeypatch.setattr(backup, "_heads_of_running", lambda _: {"lost-game": 3})
    with pytest.raises(BadBackup, match="lost-game"):
        made(data, tmp_path / "b")


@pytest.mark.parametrize("field", ["seq", "head"])
def test_backup_rejects_a_game_whose_meta_does_not_match_its_chain(data, tmp_path, field):
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        game = next(game for game, seq in heads(store).items() if seq > 2)
        told = {"seq": heads(store)[game] - 1, "head": "ab" * 32}
        store.wire.one("HSET", store.keys.game(game).meta, field, told[field])
    with pytest.raises(BadBackup, match=game):
        made(data, tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("lost", ["its id", "its name"])
def test_backup_rejects_files_of_a_different_store(data, tmp_path, lost):
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        if lost == "its id":
            store.wire.one("HSET", "oraclewheel:store", "id", "an-other")
        else:
            store.wire.one("DEL", "oraclewheel:store")
    with pytest.raises(BadBackup, match=r"contain a different store than store\.json says"):
        made(data, tmp_path / "b")


def test_backup_fails_if_a_game_in_the_copy_is_behind_the_running_store(data, tmp_path, monkeypatch):
    with EmbeddedServer(data, fsync="no") as server, closing(open_store(server.url)) as store:
        stood = heads(store)
    game = min(stood)
    monkeypatch.setattr(backup, "_heads_of_running", lambda _: stood)
    made(data, tmp_path / "b")
    monkeypatch.setattr(backup, "_heads_of_running", lambda _: {**stood, game: stood[game] + 1})
    with pytest.raises(BadBackup, match=game):
        made(data, tmp_path / "c")


@pytest.mark.parametrize("field", ["games", "commits"])
def test_restore_rejects_a_backup_whose_contents_do_not_match_its_manifest(data, tmp_path, field):
    made(data, tmp_path / "b")
    note = tmp_path / "b" / "backup.json"
    told = json.loads(note.read_text())
    note.write_text(json.dumps({**told, field: told[field] + 1}))
    with pytest.raises(BadBackup, match="does not contain the games"):
        restore(tmp_path / "b", tmp_path / "again", iter)
    assert not list((tmp_path / "again").iterdir())


@pytest.mark.parametrize("name", ["../secret", "appendonlydir/../../secret", "{}/secret"])
def test_restore_rejects_a_manifest_that_names_files_outside_the_backup(data, tmp_path, name):
    made(data, tmp_path / "b")
    (tmp_path / "secret").write_text("nobody's")
    note = tmp_path / "b" / "backup.json"
    told = json.loads(note.read_text())
    note.write_text(json.dumps({**told, "files": {**told["files"], name.format(tmp_path): "0"}}))
    with pytest.raises(BadBackup, match="cannot be read: it names files outside"):
        restore(tmp_path / "b", tmp_path / "again", iter)


def test_interrupted_restore_moves_the_identity_file_before_the_store_files(data, tmp_path, monkeypatch):
    made(data, tmp_path / "b")
    real = Path.replace

    def replace(self, to):
        if self.name == "appendonlydir":
            raise OSError("the disk is full")
        return real(self, to)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="the disk is full"):
        restore(tmp_path / "b", tmp_path / "again", iter)
    assert recorded(tmp_path / "again") == recorded(data)
    with pytest.raises(StoreUnusable):
        EmbeddedServer(tmp_path / "again").start()


def test_restore_makes_an_existing_folder_private(data, tmp_path):
    made(data, tmp_path / "b")
    (tmp_path / "again").mkdir(mode=0o755)
    (tmp_path / "again").chmod(0o755)
    restore(tmp_path / "b", tmp_path / "again", iter)
    assert 0o700 == stat.S_IMODE((tmp_path / "again").stat().st_mode)


def test_backup_fails_if_a_file_is_truncated_while_it_is_copied(tmp_path):
    (tmp_path / "one").write_bytes(b"12345")
    descriptor = os.open(tmp_path / "one", os.O_RDONLY)
    try:
        with pytest.raises(BadBackup, match="became shorter"):
            files.copy_open(descriptor, 6, tmp_path / "other")
    finally:
        os.close(descriptor)


def test_restore_rejects_a_changed_missing_or_unreadable_backup_file(data, tmp_path):
    made(data, tmp_path / "b")
    for name in ("appendonlydir/appendonly.aof.manifest", "push.key", "signing.key", "store.json"):
        shutil.copytree(tmp_path / "b", tmp_path / "c")
        path = tmp_path / "c" / name
        path.write_bytes(path.read_bytes()[:-2] + b"!\n")
        with pytest.raises(BadBackup, match="was changed after the backup"):
            restore(tmp_path / "c", tmp_path / "again", iter)
        path.unlink()
        with pytest.raises(BadBackup, match="is missing"):
            restore(tmp_path / "c", tmp_path / "again", iter)
        shutil.rmtree(tmp_path / "c")
    for text in ("", "{}", '{"files": {"../../x": ""}, "made_at": 1, "release": "", "games": 1, "commits": 1}'):
        (tmp_path / "b" / "backup.json").write_text(text)
        with pytest.raises(BadBackup, match="cannot be read"):
            restore(tmp_path / "b", tmp_path / "again", iter)
    assert not list((tmp_path / "again").glob("*") if (tmp_path / "again").exists() else [])


def test_backup_and_restore_overwrite_nothing_and_backup_needs_a_store(data, tmp_path):
    made(data, tmp_path / "b")
    with pytest.raises(BadBackup, match="already exists"):
        made(data, tmp_path / "b")
    with pytest.raises(BadBackup, match="is not empty"):
        restore(tmp_path / "b", data, iter)
    with pytest.raises(BadBackup, match="There is no store"):
        made(tmp_path / "none", tmp_path / "c")


def test_restored_folder_without_its_store_files_does_not_start_empty(data, tmp_path):
    made(data, tmp_path / "b")
    restore(tmp_path / "b", tmp_path / "again", iter)
    shutil.rmtree(tmp_path / "again" / "appendonlydir")
    with pytest.raises(StoreUnusable):
        EmbeddedServer(tmp_path / "again").start()


def test_restore_with_an_external_redis_explains_the_manual_steps(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", "redis://:sesame@example:6379/0")
    told = CliRunner().invoke(main, ["restore", "."])
    assert 1 == told.exit_code
    assert "which this command cannot stop" in told.output
    assert "sesame" not in told.output
