"""Messages of `serve` and other commands about damaged files, changed keys, wrong settings and missing stores."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from service.cli import main
from service.cli.commands import serve
from service.cli.stores.sentences import sentences
from service.ops.instance import aof
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.folder import AOF, make_private
from service.ops.instance.server_binary import ServerUnusable
from service.ops.keys.signing import UnknownKey, signer
from service.ops.serving import preflight
from service.ops.settings import BadSetting, Settings, every, unknown_settings
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis.client import RedisClient
from tests.core.http.conftest import World
from tests.soaking import sample
from tests.workers.crew import ROOT
from tests.workers.test_serve import CLEAN, clean, free_port


@pytest.fixture
def oraclewheel(monkeypatch, tmp_path):
    """The command line in an empty folder, without settings."""
    for name in os.environ.keys() - clean(os.environ).keys():
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, [str(part) for part in arguments], catch_exceptions=False)


# -- the append-only file ----------------------------------------------------------------------------------------------


def written(data, count=50):
    """Return the newest increment file of a server that was stopped after this many writes."""
    with EmbeddedServer(data, fsync="always") as server:
        wire = RedisClient(server.url)
        for number in range(count):
            wire.one("SET", f"key:{number}", "x" * number)
        wire.close()
    return max((data / AOF).glob("*.incr.aof"))


def keys(data, **told):
    with EmbeddedServer(data, **told) as server:
        wire = RedisClient(server.url)
        try:
            return {name.decode() for name in wire.one("KEYS", "*")}
        finally:
            wire.close()


TAILS = {
    "zeros": bytes(4096),
    "garbage": b"\xfe\x01\x02garbage\r\n" * 40,
    "zeros within a command": b"*3\r\n$3\r\nSET\r\n$5\r\nafter" + bytes(512),
}


@pytest.mark.parametrize("tail", sample(TAILS.values(), 3), ids=list(TAILS))
def test_damaged_tail_is_repaired_only_with_the_flag_that_the_error_names(tmp_path, tail):
    data = tmp_path / "data"
    path = written(data)
    sound = path.read_bytes()
    path.write_bytes(sound + tail)
    with pytest.raises(ServerUnusable, match="serve --repair-aof"):
        EmbeddedServer(data, fsync="always").start()
    assert sound + tail == path.read_bytes(), "nothing is changed without the flag"

    assert {f"key:{number}" for number in range(50)} == keys(data, repair=True)
    (copy,) = data.glob("*.damaged-*")
    assert sound + tail == copy.read_bytes()
    assert 50 == len(keys(data)), "and then it starts without the flag"


def test_repair_does_not_change_a_sound_file(tmp_path):
    path = written(tmp_path / "data")
    sound = path.read_bytes()

    assert aof.bad_tail(tmp_path / "data") is None
    assert aof.repair(tmp_path / "data") is None
    assert sound == path.read_bytes()


def test_damage_in_the_middle_is_not_cut_off(tmp_path):
    path = written(tmp_path / "data")
    sound = path.read_bytes()
    middle = sound.index(b"*3", len(sound) // 2)
    path.write_bytes(sound[:middle] + bytes(100) + sound[middle:])

    assert aof.bad_tail(tmp_path / "data") is None
    assert aof.repair(tmp_path / "data") is None


def test_unfinished_transaction_before_the_damage_is_cut_off_too(tmp_path):
    data = tmp_path / "data"
    path = written(data)
    sound = path.read_bytes()
    path.write_bytes(sound + b"*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n$1\r\nx\r\n" + bytes(64))

    assert "half" not in keys(data, repair=True)
    assert path.read_bytes().startswith(sound)


# -- keys --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def known(redis_store, tmp_path):
    """A store that knows a signing key, and the key's file."""
    path = tmp_path / "signing.key"
    return redis_store, path, signer(path, redis_store.log).key_id


def test_lost_signing_key_is_not_replaced_silently(known):
    store, path, key_id = known
    path.unlink()
    with pytest.raises(UnknownKey, match=key_id):
        signer(path, store.log, accept_new=False)
    assert not path.exists(), "no key is made"
    with pytest.raises(StoreUnusable, match="--accept-new-key"):
        preflight.check_key(Settings(data=path.parent), store, accept_new=False)
    assert {key_id} == set(store.log.keys())


def test_different_signing_key_is_refused_unless_it_is_accepted(known):
    store, path, key_id = known
    path.write_text("ab" * 32)
    with pytest.raises(UnknownKey, match=key_id):
        signer(path, store.log, accept_new=False)
    accepted = signer(path, store.log, accept_new=True)

    assert {key_id, accepted.key_id} == set(store.log.keys())
    assert accepted.key_id == signer(path, store.log, accept_new=False).key_id, "from then on it is known"


def test_role_that_does_not_sign_needs_no_key_and_creates_none(known, tmp_path):
    store, path, key_id = known
    elsewhere = Settings(data=tmp_path / "elsewhere", push="off")
    preflight.check_key(elsewhere, store, accept_new=False, signs=False)

    assert not elsewhere.key_path.exists()
    assert {key_id} == set(store.log.keys())
    path.write_text("ab" * 32)
    with pytest.raises(StoreUnusable, match="--accept-new-key"):
        preflight.check_key(Settings(data=path.parent), store, accept_new=False, signs=False)


def test_export_has_no_signature_of_the_end_if_the_key_is_different(tmp_path):
    world = World(data=tmp_path)
    game, ash, _ = world.table(kind="nim")
    (tmp_path / "signing.key").write_text("ab" * 32)
    lines = ash.get(f"/v1/games/{game}/export", want=200).text.splitlines()

    assert ["head"] == [each["of"] for each in json.loads(lines[-1])["signatures"]]


def test_doctor_reports_a_signing_key_that_the_store_does_not_know(known, redis_url, oraclewheel, monkeypatch):
    _, path, key_id = known
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(path.parent))
    preflight.enter(Settings.load(), redis_url)[0].close()
    assert "signing key" not in oraclewheel("doctor").output
    monkeypatch.setenv("ORACLEWHEEL_SIGNING_KEY", str(path.parent / "sining.key"))
    told = oraclewheel("doctor")

    assert 1 == told.exit_code
    assert f"The signing key is not the one of this store: {path.parent / 'sining.key'} is missing" in told.output
    assert key_id in told.output
    assert not (path.parent / "sining.key").exists()


def test_error_for_an_unreadable_key_does_not_advise_to_remove_it(known, monkeypatch):
    store, path, _ = known
    monkeypatch.setattr(Path, "read_text", lambda self: (_ for _ in ()).throw(PermissionError(13, "denied", str(self))))
    with pytest.raises(StoreUnusable, match="Allow the user that runs the service to read the file") as told:
        preflight.check_key(Settings(data=path.parent), store, accept_new=False)
    assert "remove" not in str(told.value)


# -- commands ----------------------------------------------------------------------------------------------------------


def test_doctor_without_a_store_fails_and_creates_nothing(oraclewheel, tmp_path):
    told = oraclewheel("doctor")

    assert 1 == told.exit_code
    assert "There is no store in the folder data" in told.output
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "  "])
def test_admin_token_needs_a_name(oraclewheel, tmp_path, name):
    told = oraclewheel("token", "--admin", name)

    assert 2 == told.exit_code
    assert "the name is empty" in told.output
    assert [] == list(tmp_path.iterdir())


def test_full_memory_is_reported_as_such():
    refusal = StoreDown("command not allowed when used memory > 'maxmemory'.")
    with pytest.raises(Exception, match="memory of the store is full") as told, sentences():
        raise refusal
    assert "does not answer" not in str(told.value)


def test_data_folder_that_is_a_file_is_reported(tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(ServerUnusable, match=r"data is a file. Set ORACLEWHEEL_DATA to a folder"):
        make_private(tmp_path / "data")


def test_unknown_setting_is_reported_with_the_nearest_name(tmp_path):
    (tmp_path / ".env").write_text("ORACLEWHEEL_PUBLIC_ULR=https://games.example\n")
    environ = {"ORACLEWHEEL_PORTT": "1", "ORACLEWHEEL_PORT": "1", "ORACLEWHEEL_PROCESS": "x", "OTHER": "1"}

    assert [
        "ORACLEWHEEL_PORTT is not a setting and has no effect. Did you mean ORACLEWHEEL_PORT?",
        "ORACLEWHEEL_PUBLIC_ULR is not a setting and has no effect. Did you mean ORACLEWHEEL_PUBLIC_URL?",
    ] == unknown_settings(environ, tmp_path / ".env")


def test_settings_command_warns_of_an_unknown_setting(oraclewheel, monkeypatch):
    monkeypatch.setenv("ORACLEWHEEL_DATTA", "x")

    assert "ORACLEWHEEL_DATTA is not a setting" in oraclewheel("settings").output


@pytest.mark.soak
def test_log_lines_of_several_threads_are_not_mixed():
    program = """
import threading
from service.ops import logging as logs
logs.configure()
log = logs.logger("test")
threads = [threading.Thread(target=lambda: [log.info("x" * 50, n=n) for n in range(300)]) for _ in range(8)]
[each.start() for each in threads]; [each.join() for each in threads]
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT, env=CLEAN, timeout=120
    )
    lines = told.stderr.splitlines()
    assert 2400 == len([json.loads(line) for line in lines])


def test_env_example_lists_all_settings_with_their_defaults():
    lines = [line.removeprefix("# ") for line in (ROOT / ".env.example").read_text().splitlines() if "=" in line]
    written = dict(line.split("=", 1) for line in lines)
    machine = {"ORACLEWHEEL_API_WORKERS": ""}  # by default the number of cores
    expected = {known.name: machine.get(known.name, known.default) for known in every({}, None)}

    assert expected | {"DEMO": written["DEMO"]} == written


def test_compose_passes_what_a_public_instance_needs():
    text = yaml.safe_load((ROOT / "compose.yaml").read_text())
    for service in ("api", "worker"):
        passed = text["services"][service]["environment"]
        for name in ("PUBLIC_URL", "PROXIES", "SMTP_URL", "MAIL_FROM"):
            assert passed[f"ORACLEWHEEL_{name}"].startswith(f"${{ORACLEWHEEL_{name}:-")


# -- ports -------------------------------------------------------------------------------------------------------------


def test_start_waits_for_a_port_that_is_being_released():
    port = free_port()
    taken = socket.create_server(("127.0.0.1", port))
    timer = threading.Timer(0.5, taken.close)
    timer.start()
    serve._bound(Settings(), port, "ORACLEWHEEL_PORT").close()
    timer.join()


def test_port_that_stays_in_use_is_reported(monkeypatch):
    monkeypatch.setattr(serve, "PORT_WAIT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        begun = time.monotonic()
        with pytest.raises(BadSetting, match="set ORACLEWHEEL_PORT to a free port"):
            serve._bound(Settings(), taken.getsockname()[1], "ORACLEWHEEL_PORT")
    assert 0.3 <= time.monotonic() - begun < 10


def test_play_finds_the_service_at_the_port_of_the_settings(oraclewheel, tmp_path):
    port = free_port()
    (tmp_path / ".env").write_text(f"ORACLEWHEEL_PORT={port}\n")

    assert f"http://127.0.0.1:{port}" in oraclewheel("play", "--new", "nim", "--name", "Ada").output


# -- a full disk -------------------------------------------------------------------------------------------------------


def test_top_reports_why_the_server_of_a_running_service_cannot_start(oraclewheel, tmp_path, monkeypatch):
    data = tmp_path / "data"
    written(data)
    (data / "lock").write_text(str(os.getpid()))
    (data / "server.log").write_text("Can't open the append-only file: No space left on device\n")
    told = oraclewheel("top", "--once")
    assert f"(process {os.getpid()}), but its server does not answer" in told.output
    assert "No space left on device" in told.output

    monkeypatch.setattr("service.ops.instance.embedded.DISK_FULL", 1 << 60)
    assert "The disk of" in oraclewheel("top", "--once").output


def test_damaged_signing_key_error_names_the_flag_that_accepts_a_new_one(tmp_path, redis_store):
    settings = Settings(data=tmp_path)
    settings.key_path.write_text("damaged")

    with pytest.raises(StoreUnusable, match="--accept-new-key"):
        preflight.check_key(settings, redis_store, accept_new=False)
