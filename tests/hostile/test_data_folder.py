"""The data folder contains the seeds of running games: only its owner can read it, and every process finds its sockets."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.ops.instance import folder
from service.ops.instance.embedded import EmbeddedServer, answers
from service.ops.instance.server_binary import ServerUnusable
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import signer
from service.store.redis.store import open_store
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.crew import ROOT
from tests.workers.test_advance import settle
from tests.workers.test_serve import CLEAN, Instance, Player, clean, eventually
from workers.advance import Advance


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def open_to_others(data):
    return [str(path) for path in [data, *data.rglob("*")] if mode(path) & 0o077]


@pytest.fixture
def easy_umask():
    """Set the default umask of most systems."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def oraclewheel(monkeypatch, tmp_path, easy_umask):
    """The command line with its own data folder, as in an operator's shell."""
    for name in os.environ.keys() - clean(os.environ).keys():
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "data"))
    return lambda *arguments: CliRunner().invoke(main, [str(part) for part in arguments], catch_exceptions=False)


@pytest.fixture
def instance(tmp_path, easy_umask):
    instance = Instance(tmp_path / "one", ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_SIDE_WORKERS="0")
    yield instance
    if instance.process is not None and instance.process.poll() is None:
        instance.stop()


@pytest.mark.soak
def test_serve_writes_no_file_that_others_can_read(instance):
    instance.start()
    Player(instance.url, "Ada").new_game()
    data = instance.folder / "data"
    assert {"appendonlydir", "push.key", "signing.key", "server.json"} <= {path.name for path in data.iterdir()}
    assert [] == open_to_others(data)
    assert 0 == instance.stop()
    assert [] == open_to_others(data)


@pytest.mark.parametrize("arguments", [["token", "--admin", "Root"], ["check-release"]])
def test_commands_write_no_file_that_others_can_read(oraclewheel, tmp_path, arguments):
    oraclewheel(*arguments)
    assert (tmp_path / "data" / "appendonlydir").is_dir()
    assert [] == open_to_others(tmp_path / "data")


@pytest.mark.soak
@pytest.mark.parametrize("role", ["settle", "side"])
def test_worker_started_by_hand_creates_a_private_folder_and_key(redis_url, tmp_path, role, easy_umask):
    environ = {**CLEAN, "ORACLEWHEEL_REDIS_URL": redis_url, "ORACLEWHEEL_DATA": str(tmp_path / "data")}
    process = subprocess.Popen(
        [sys.executable, "-m", "workers", role], cwd=tmp_path, env={**environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        eventually((tmp_path / "data" / "signing.key").exists, seconds=60)
        assert [] == open_to_others(tmp_path / "data")
    finally:
        process.terminate()
        process.wait(30)


def test_start_makes_an_open_data_folder_private_but_not_foreign_files(tmp_path, easy_umask):
    data = tmp_path / "data"
    with EmbeddedServer(data, fsync="no"):
        push_key(data / "push.key")
    for path in [data, *data.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    foreign = data / "notes.txt"
    foreign.write_text("mine")
    link = data / "server.link"
    link.symlink_to(foreign)

    with EmbeddedServer(data, fsync="no"):
        assert 0o700 == mode(data)
        assert [str(foreign), str(link)] == sorted(open_to_others(data)), "what is not ours keeps its mode"


def test_shared_folder_keeps_its_mode_and_our_files_in_it_become_private(tmp_path, easy_umask):
    data = tmp_path / "shared"
    data.mkdir()
    data.chmod(0o1777)
    with EmbeddedServer(data, fsync="no"):
        assert 0o1777 == mode(data)
        assert [str(data)] == open_to_others(data)
        assert any("shared" in said for said in folder.open_places(data))


def test_doctor_reports_files_open_to_others_and_repair_makes_them_private(oraclewheel, tmp_path):
    data = tmp_path / "data"
    with EmbeddedServer(data, fsync="no") as server:
        store = open_store(server.url)
        signer(data / "signing.key", store.log)
        push_key(data / "push.key")
        store.close()
        assert "accessible to other" not in oraclewheel("doctor", "--quick").output
        aof = next((data / "appendonlydir").glob("*.incr.aof"))
        for path in (data, aof, data / "signing.key", data / "push.key"):
            path.chmod(0o755)
        told = oraclewheel("doctor", "--quick")
        assert 1 == told.exit_code
        for path in (data, aof, data / "signing.key", data / "push.key"):
            assert f"{path} is accessible to other users of this machine" in told.output
        assert "; closed" in oraclewheel("doctor", "--quick", "--repair").output
        assert [] == open_to_others(data)
        assert "accessible to other" not in oraclewheel("doctor", "--quick").output


def test_doctor_reports_an_open_folder_of_a_stopped_service(oraclewheel, tmp_path):
    data = tmp_path / "data"
    with EmbeddedServer(data, fsync="no"):
        pass
    data.chmod(0o755)
    assert f"{data} is accessible to other users" in oraclewheel("doctor", "--quick").output


def test_doctor_reports_an_unusable_push_key_and_creates_none(oraclewheel, tmp_path, monkeypatch):
    with EmbeddedServer(tmp_path / "data", fsync="no"):
        key = tmp_path / "data" / "push.key"
        assert "push key" not in oraclewheel("doctor", "--quick").output
        assert not key.exists()
        key.write_text("rubbish")
        key.chmod(0o600)
        told = oraclewheel("doctor", "--quick")
        assert (1, True) == (told.exit_code, f"{key} does not contain a push key" in told.output)
        monkeypatch.setenv("ORACLEWHEEL_PUSH", "off")
        assert "push key" not in oraclewheel("doctor", "--quick").output


def test_signing_key_outside_the_data_folder_becomes_private(redis_store, tmp_path, easy_umask):
    key = tmp_path / "keys" / "signing.key"
    signer(key, redis_store.log)
    assert (0o700, 0o600) == (mode(key.parent), mode(key))
    key.chmod(0o644)
    signer(key, redis_store.log)
    assert 0o600 == mode(key)


def test_exported_file_is_readable_only_by_its_owner(oraclewheel, tmp_path):
    with EmbeddedServer(tmp_path / "data", fsync="no") as server:
        store = open_store(server.url)
        game = Tables(store).start()
        signer(tmp_path / "data" / "signing.key", store.log)
        settle(store, Advance.in_process(store))
        before = tmp_path / "before.ndjson"
        before.write_text("an older one that everybody could read")
        before.chmod(0o644)
        for path in (tmp_path / "new.ndjson", before):
            assert 0 == oraclewheel("export", game, "-o", path).exit_code
            assert 0o600 == mode(path)
        store.close()


@pytest.mark.soak
def test_file_without_secrets_keeps_the_mode_of_the_umask(oraclewheel, tmp_path):
    assert 0 == oraclewheel("simulate", "--kind", "pennies", "--games", "1", "--plot", tmp_path / "plot.svg").exit_code
    assert 0o644 == mode(tmp_path / "plot.svg")


# -- sockets ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def deep(tmp_path):
    path = tmp_path.joinpath(*["a-rather-long-folder-name"] * 6)
    yield path
    folder.forget_sockets(path)


def test_server_with_a_long_data_path_is_found_by_every_process(oraclewheel, deep, monkeypatch):
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(deep))
    with EmbeddedServer(deep, fsync="no") as server:
        assert answers(EmbeddedServer(deep).socket)
        told = oraclewheel("token", "--admin", "Root")
        assert (0, "owt_") == (told.exit_code, told.output[:4])
        assert "in use" not in oraclewheel("doctor", "--quick").output
        first = server.socket
    with EmbeddedServer(deep, fsync="no") as again:
        assert first == again.socket, "it is the same place after a restart"


def test_relative_path_and_symlink_lead_to_the_same_socket(deep, tmp_path, monkeypatch):
    deep.mkdir(parents=True)
    (tmp_path / "link").symlink_to(deep)
    monkeypatch.chdir(deep.parent)
    assert 1 == len({EmbeddedServer(path).socket for path in (deep, Path(deep.name), tmp_path / "link")})


def test_two_long_data_paths_have_different_socket_paths(deep):
    assert folder.socket_path(deep) != folder.socket_path(deep.parent / "other-than-the-rather-long-one")


def test_socket_folder_is_private_and_reported_if_it_is_opened(deep, easy_umask):
    with EmbeddedServer(deep, fsync="no") as server:
        place = server.socket.parent
        assert [0o700, 0o700, 0o700] == [mode(path) for path in (server.socket, place, place.parent)]
        place.chmod(0o755)
        assert any(str(place) in said for said in folder.open_places(deep))


@pytest.mark.parametrize("trap", ["link", "file"])
def test_socket_folder_that_is_a_symlink_or_file_is_refused(deep, monkeypatch, tmp_path, trap):
    monkeypatch.setattr(folder, "TEMPORARY", tmp_path / "t")
    (tmp_path / "t").mkdir()
    (tmp_path / "theirs").mkdir()
    base = folder.socket_path(deep).parent.parent
    if trap == "link":
        base.symlink_to(tmp_path / "theirs")
    else:
        base.write_text("")
    with pytest.raises(ServerUnusable, match="not a directory owned by this user"):
        EmbeddedServer(deep, fsync="no").start()
    assert [] == list((tmp_path / "theirs").iterdir())


def test_socket_folder_of_another_owner_is_refused(deep, monkeypatch, tmp_path):
    monkeypatch.setattr(folder, "TEMPORARY", tmp_path / "t")
    other = os.geteuid() + 1
    monkeypatch.setattr(folder.os, "geteuid", lambda: other)
    folder.socket_path(deep).parent.parent.mkdir(parents=True)
    with pytest.raises(ServerUnusable, match="not a directory owned by this user"):
        folder.make_sockets_place(deep)


def test_opened_socket_folder_becomes_private_again(deep):
    place = folder.make_sockets_place(deep).parent
    place.chmod(0o755)

    assert place == folder.make_sockets_place(deep).parent
    assert 0o700 == mode(place)


def test_target_of_a_symlink_in_the_data_folder_keeps_its_mode(tmp_path):
    data, other = tmp_path / "data", tmp_path / "other"
    (data / folder.AOF).mkdir(parents=True, mode=0o755)
    other.write_text("")
    other.chmod(0o644)
    (data / "signing.key").symlink_to(other)
    (data / folder.AOF / "link").symlink_to(other)

    assert not any(
        str(path) in said for path in (other, f"{folder.AOF}/link", "signing.key") for said in folder.open_places(data)
    )
    folder.make_private(data)
    assert (0o700, 0o644) == (mode(data), mode(other))


def test_folder_with_foreign_files_is_refused_and_left_unchanged(oraclewheel, tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "letters.txt").write_text("not ours")
    for arguments in (["doctor"], ["doctor", "--repair"], ["token", "--admin", "Root"]):
        told = oraclewheel(*arguments)
        assert 1 == told.exit_code
        assert f"{data} contains files that are not from Oracle Wheel" in told.output
    assert 0o755 == mode(data)
    assert ["letters.txt"] == [path.name for path in data.iterdir()]


def test_folder_with_only_filesystem_files_is_accepted(tmp_path):
    data = tmp_path / "data"
    (data / "lost+found").mkdir(parents=True)
    (data / ".gitkeep").touch()
    data.chmod(0o755)
    with EmbeddedServer(data, fsync="no"):
        assert 0o700 == mode(data)
