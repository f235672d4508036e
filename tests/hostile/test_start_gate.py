"""Startup checks: one sentence for each error, refusal where play could be lost, and otherwise a warning."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
import redis
import requests
import structlog
from click.testing import CliRunner

from service.cli import main
from service.ops.instance import aof, identity
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.identity import Marker, acquaint, recorded
from service.ops.instance.server_binary import ServerUnusable, find_binary
from service.ops.keys.signing import signer
from service.store.ports.errors import StoreUnusable
from service.store.redis import probe
from service.store.redis.client import RedisClient
from service.store.redis.store import open_store
from tests.soaking import soak
from tests.workers.conftest import Tables
from tests.workers.test_serve import Instance, Player, eventually


@pytest.fixture
def instance(tmp_path):
    instance = Instance(tmp_path / "one", ORACLEWHEEL_SETTLE_WORKERS="1", ORACLEWHEEL_SIDE_WORKERS="0")
    yield instance
    if instance.process is not None and instance.process.poll() is None:
        instance.stop()


@pytest.fixture
def data(instance):
    return instance.folder / "data"


@pytest.fixture
def played(instance):
    """A stopped service with one started game; its id and its player."""
    instance.start()
    ada = Player(instance.url, "Ada")
    game = ada.new_game()
    assert 200 == ada.end_turn(game).status_code
    assert 0 == instance.stop()
    return game, ada


def refused(instance, *arguments, **environ):
    """Run a command that must fail; return its error output, which must contain exactly one error sentence."""
    command = [sys.executable, "-c", "from service.cli import main; main()", *(arguments or ["serve"])]
    told = subprocess.run(
        command,
        check=False,
        cwd=instance.folder,
        env={**instance.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert 1 == told.returncode, told.stderr
    assert "Traceback" not in told.stderr + told.stdout
    assert 1 == len([line for line in told.stderr.splitlines() if line.startswith("Error: ")]), told.stderr
    return told.stderr


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def server(folder, *arguments):
    """Run a server that we do not supervise, as an operator does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "s.sock"
    command = [str(find_binary()), "--port", "0", "--unixsocket", str(path), "--dir", str(folder), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def up():
        try:
            with redis.Redis.from_url(f"unix://{path}") as client:
                client.ping()
        except redis.AuthenticationError:
            return True
        except redis.RedisError:
            return False
        return True

    try:
        eventually(up, seconds=30)
        yield f"unix://{path}"
    finally:
        process.kill()
        process.wait()


# -- the folder's own store -------------------------------------------------------------------------------------------


@pytest.fixture
def used(data):
    """A used data folder, without the cost of a whole service: its store contains one game."""
    with EmbeddedServer(data) as embedded, closing(open_store(embedded.url)) as store:
        game = Tables(store).start()
        store.wire.one("SET", "padding", "x" * 1000)
        known = acquaint(data, store.wire)
        signer(data / "signing.key", store.log)
    assert known == recorded(data)
    return game


@pytest.mark.parametrize("lost", ["appendonlydir", "*.incr.aof", "*.base.rdb"])
def test_server_does_not_start_if_a_store_file_is_missing(data, used, lost):
    gone = data / lost if "*" not in lost else next((data / "appendonlydir").glob(lost))
    kept = data.parent / "kept"
    gone.rename(kept)
    with pytest.raises(StoreUnusable, match="is missing"):
        EmbeddedServer(data).start()
    kept.rename(gone)
    with EmbeddedServer(data) as embedded, closing(open_store(embedded.url)) as store:
        assert store.lobbies.get(used) is not None


@pytest.mark.soak
def test_folder_without_its_manifest_does_not_start_empty(instance, data, played):
    game, ada = played
    gone, kept = data / "appendonlydir" / "appendonly.aof.manifest", instance.folder / "kept"
    gone.rename(kept)
    before = files(data)

    said = refused(instance)
    assert "is missing" in said
    assert "oraclewheel restore" in said
    assert "--accept-loss" in said
    for arguments in (["token", "--admin", "Root"], ["doctor"]):
        assert "is missing" in refused(instance, *arguments)
    after = files(data)
    assert {name: before[name] for name in before if name != "lock"} == {
        name: after[name] for name in after if name != "lock"
    }, "not a byte was changed"

    kept.rename(gone)
    instance.start()
    assert 200 == ada.end_turn(game).status_code


def test_empty_or_garbled_manifest_is_reported(data, used):
    manifest = data / "appendonlydir" / "appendonly.aof.manifest"
    for text in ("", "file ../secrets seq 1 type b\n", "\x00\xff rubbish\n"):
        manifest.write_text(text)
        with pytest.raises(StoreUnusable, match=r"appendonly\.aof\.manifest cannot be read"):
            EmbeddedServer(data).start()


@pytest.mark.soak
def test_accepted_loss_starts_empty_and_keeps_the_remaining_files(instance, data, used):
    (data / "appendonlydir" / "appendonly.aof.manifest").unlink()
    instance.start("--accept-loss")
    assert not requests.get(f"{instance.url}/v1/games", timeout=10).json()["games"]
    assert [True] == [any(path.iterdir()) for path in data.glob("appendonlydir.lost-*")]
    assert 0 == instance.stop()
    assert 0 == recorded(data).games


@pytest.mark.soak
def test_older_state_of_the_store_does_not_start(instance, data, used):
    older = instance.folder / "older"
    shutil.copytree(data / "appendonlydir", older)
    with EmbeddedServer(data) as embedded, closing(open_store(embedded.url)) as store:
        Tables(store).start()
        Marker(data, store.wire, acquaint(data, store.wire).id).mark()
    shutil.rmtree(data / "appendonlydir")
    older.rename(data / "appendonlydir")

    said = refused(instance)
    assert "an older state" in said
    assert "belongs to a store with 2 games" in said
    assert "an older state" in refused(instance, "token", "--admin", "Root")
    instance.start("--accept-loss")
    assert 1 == recorded(data).games


@pytest.mark.soak
def test_store_of_another_folder_does_not_start(instance, data, used, tmp_path):
    with EmbeddedServer(tmp_path / "other") as embedded, closing(open_store(embedded.url)) as store:
        Tables(store).start()
        acquaint(tmp_path / "other", store.wire)
    shutil.rmtree(data / "appendonlydir")
    shutil.copytree(tmp_path / "other" / "appendonlydir", data / "appendonlydir")
    assert "another store" in refused(instance)


@pytest.mark.soak
def test_external_redis_that_does_not_belong_to_the_folder_is_refused(instance, redis_url, data, tmp_path):
    instance.environ["ORACLEWHEEL_REDIS_URL"] = redis_url
    with closing(open_store(redis_url)) as store:
        Tables(store).start()
        data.mkdir()
        identity._write(data, acquaint(data, store.wire))
        store.wire.one("FLUSHALL")
    for arguments in (["serve", "--only", "api"], ["token", "--admin", "Root"]):
        assert "this store is empty" in refused(instance, *arguments)
    with redis.Redis.from_url(redis_url) as client:
        assert [] == client.keys(), "nothing was written into it"
        client.hset("oraclewheel:store", mapping={"id": "an-other", "games": 5, "mark": 7})
    assert "another store" in refused(instance, "serve", "--only", "worker")


@pytest.mark.soak
def test_service_stops_when_its_store_is_emptied(instance, data, monkeypatch):
    instance.environ["PYTHONSTARTUP"] = ""
    command = (
        "import service.ops.instance.identity as identity; identity.EVERY = 0.2\n"
        "identity.Marker.__init__.__kwdefaults__['every'] = 0.2\n"
        "from service.cli import main; main()"
    )
    out = (instance.folder / "out").open("ab")
    instance.out = out
    instance.process = subprocess.Popen(
        [sys.executable, "-c", command, "serve"], cwd=instance.folder, env=instance.environ, stdout=out, stderr=out
    )
    eventually(instance.ready, seconds=60, every=0.2)
    with redis.Redis.from_url(EmbeddedServer(data).url) as client:
        client.flushall()
    assert 1 == instance.process.wait(60)
    assert "The store is no longer the one" in instance.told()
    out.close()


@pytest.mark.soak
def test_folder_from_before_store_ids_is_accepted(instance, data, played):
    game, ada = played
    with EmbeddedServer(data) as embedded, redis.Redis.from_url(embedded.url) as client:
        client.delete("oraclewheel:store")
    (data / "store.json").unlink()
    instance.start()
    assert 200 == ada.end_turn(game).status_code
    assert 0 == instance.stop()
    assert 1 == recorded(data).games


# -- no false alarm ---------------------------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.parametrize(
    "fsync", ["always", *(pytest.param(policy, marks=pytest.mark.soak) for policy in ("everysec", "no"))]
)
def test_server_killed_at_any_moment_is_never_behind_its_folder(tmp_path, fsync):
    data = tmp_path / "data"
    for attempt in range(6):
        server = EmbeddedServer(data, fsync=fsync)
        wire = RedisClient(server.start())
        known = acquaint(data, wire)
        marker = Marker(data, wire, known.id, every=0.003, delay=0.0)
        marker.start()
        time.sleep(0.15 + 0.05 * attempt)
        server._stopping.set()  # to prevent a restart
        os.kill(server.pid, signal.SIGKILL)
        server.stop()
        marker.stop()
        wire.close()
        assert recorded(data).mark > 5 * attempt
    with EmbeddedServer(data, fsync=fsync) as server:
        wire = RedisClient(server.url)
        assert not acquaint(data, wire).is_behind(recorded(data))
        wire.close()


@pytest.mark.soak
def test_service_starts_again_after_all_its_processes_are_killed(instance, played):
    game, ada = played
    for _ in range(2):
        instance.start()
        assert 200 == ada.end_turn(game).status_code
        pids = [instance.process.pid, *instance.children()]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        instance.process.wait()
    instance.start()
    assert 200 == ada.end_turn(game).status_code


@pytest.mark.soak
def test_mark_in_the_folder_is_older_than_what_a_power_loss_can_take(tmp_path):
    """With `everysec` the last second of the file can be lost; the folder remembers only older marks."""
    data = tmp_path / "data"
    with EmbeddedServer(data, fsync="everysec") as server:
        wire = RedisClient(server.url)
        assert 10.0 == identity.durable_after(wire)
        marker = Marker(data, wire, acquaint(data, wire).id, delay=1.0)
        marker.mark()
        assert recorded(data) is None
        time.sleep(1.1)
        aof = next((data / "appendonlydir").glob("*.incr.aof"))
        on_disk = aof.stat().st_size
        for _ in range(20):
            marker.mark()
        assert 1 == recorded(data).mark
        wire.close()
    with aof.open("r+b") as file:
        file.truncate(on_disk)
    with EmbeddedServer(data, fsync="everysec") as server:
        wire = RedisClient(server.url)
        assert 1 == acquaint(data, wire).mark
        wire.close()


def test_missing_manifest_of_an_unused_store_is_no_loss(tmp_path):
    data = tmp_path / "data"
    with EmbeddedServer(data):
        pass
    (data / "appendonlydir" / "appendonly.aof.manifest").unlink()
    with EmbeddedServer(data) as server:
        assert server.url


# -- garbled files and wrong settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["{", *soak("", "[]", '{"name": "valkey"}', '{"name": "valkey", "version": "nine"}')])
def test_empty_or_garbled_server_json_is_reported(instance, data, used, text):
    (data / "server.json").write_text(text)
    with pytest.raises(
        ServerUnusable, match=r"server\.json, which names the server that wrote this data, cannot be read"
    ):
        EmbeddedServer(data).start()
    if not text:
        assert "server.json, which names the server" in refused(instance)


@pytest.mark.parametrize("text", ["{", *soak("", "[]", '{"id": "a"}', '{"id": "a", "games": "x", "mark": 1, "at": 1}')])
def test_empty_or_garbled_store_json_is_reported(instance, data, used, text):
    (data / "store.json").write_text(text)
    with pytest.raises(
        StoreUnusable, match=r"store\.json, which identifies the store of the data folder, cannot be read"
    ):
        recorded(data)
    if not text:
        assert "store.json, which identifies the store of the data folder" in refused(instance)


@pytest.mark.soak
def test_store_with_another_number_of_partitions_is_refused(instance, data):
    with EmbeddedServer(data) as embedded, redis.Redis.from_url(embedded.url) as client:
        client.set("oraclewheel:partitions", 64)
    for command in ((), ("doctor",)):
        told = refused(instance, *command)
        assert "has 64 partitions. This release supports only 256" in told
        assert "Install release 0.3.0" in told
        assert "oraclewheel partitions 256" in told


@pytest.mark.parametrize("key", ["", *soak("\xff\xfe")])
def test_garbled_signing_key_is_refused_at_start(instance, data, used, key):
    (data / "signing.key").write_text(key, encoding="latin-1")
    assert "does not contain a signing key" in refused(instance)


@pytest.mark.soak
@pytest.mark.parametrize("key", ["", "00" * 32, "ff" * 32, "\xff\xfe"])
def test_garbled_push_key_is_refused_at_start(instance, data, used, key):
    (data / "push.key").write_text(key, encoding="latin-1")
    assert "does not contain a push key" in refused(instance)


@pytest.mark.soak
def test_unusable_redis_is_refused_at_start(instance, tmp_path):
    def said(url, name="ORACLEWHEEL_REDIS_URL"):
        told = refused(instance, "serve", "--only", "worker", **{"ORACLEWHEEL_REDIS_URL": good, name: url})
        assert "sesame" not in told
        return told

    with server(tmp_path / "good", "--appendonly", "yes") as good:
        assert "is not a valid Redis URL" in said("http://example")
        assert "does not answer" in said("redis://:sesame@127.0.0.1:1/0")
        with server(tmp_path / "closed", "--requirepass", "open") as closed:
            assert "rejects the user name and password" in said(closed)
            assert "rejects the user name and password" in said(closed + "?password=sesame")
            assert "rejects the user name and password" in said(closed, "ORACLEWHEEL_QUEUE_URL")
        with server(tmp_path / "cluster", "--cluster-enabled", "yes", "--port", "0") as cluster:
            assert "is a node of a cluster" in said(cluster)
        with (
            redis.Redis.from_url(good) as client,
            server(tmp_path / "replica", "--replicaof", "127.0.0.1", "1") as copy,
        ):
            assert "is a replica" in said(copy)
            client.set("oraclewheel:partitions", 7)
            assert "has 7 partitions. This release supports only 256" in said(good)


@pytest.mark.soak
def test_service_stops_if_a_child_can_never_start(instance, data):
    instance.start()
    (data / "signing.key").write_text("rubbish")
    worker = next(pid for pid in instance.children() if b"settle" in Path(f"/proc/{pid}/cmdline").read_bytes())
    os.kill(worker, signal.SIGKILL)
    assert 1 == instance.process.wait(60)
    assert "does not contain a signing key" in instance.told()
    assert "Traceback" not in instance.told()


@pytest.mark.soak
def test_api_that_can_never_start_is_not_restarted_forever(instance, used, data):
    with EmbeddedServer(data) as embedded, redis.Redis.from_url(embedded.url) as client:
        environ = {**instance.environ, "ORACLEWHEEL_REDIS_URL": embedded.url}
        client.set("oraclewheel:partitions", 7)
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "-c",
            "python:service.ops.server.config",
            "service.ops.server.app:app()",
        ]
        told = subprocess.run(command, check=False, env=environ, capture_output=True, text=True, timeout=60)
        client.set("oraclewheel:partitions", 256)
    assert 4 == told.returncode
    assert "has 7 partitions. This release supports only 256" in told.stderr + told.stdout
    assert "Traceback" not in told.stderr


# -- warnings -----------------------------------------------------------------------------------------------------------


def test_redis_settings_that_can_lose_play_cause_warnings(tmp_path):
    with server(tmp_path / "a", "--appendonly", "yes", "--appendfsync", "always") as url:
        wire = RedisClient(url)
        assert () == probe.warnings(wire)

        def after(*commands):
            for command in commands:
                wire.one(*command)
            return " ".join(probe.warnings(wire))

        assert "maxmemory-policy allkeys-lru" in after(["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"])
        assert "" == after(["CONFIG", "SET", "maxmemory-policy", "noeviction"])
        off = after(["CONFIG", "SET", "appendonly", "no"], ["CONFIG", "SET", "save", "60 1"])
        assert "no append-only file" in off
        assert "writes nothing to disk" in after(["CONFIG", "SET", "save", ""])
        wire.close()


def test_primary_that_does_not_wait_for_its_replicas_causes_a_warning(tmp_path):
    with server(tmp_path / "p", "--appendonly", "yes", "--port", "0") as url:
        wire = RedisClient(url)
        port = free_loopback(wire)
        with server(tmp_path / "r", "--replicaof", "127.0.0.1", str(port)):
            eventually(lambda: "1" == probe.info(wire)["connected_slaves"], seconds=60, every=0.2)
            assert "min-replicas-to-write" in " ".join(probe.warnings(wire))
            wire.one("CONFIG", "SET", "min-replicas-to-write", "1")
            assert () == probe.warnings(wire)
        wire.close()


def free_loopback(wire):
    """Let the server also listen on a port of the loopback interface."""
    for port in range(21000, 21100):
        try:
            wire.one("CONFIG", "SET", "port", port)
        except redis.ResponseError:
            continue
        return port
    raise AssertionError


def test_redis_7_0_without_its_default_user_causes_a_warning(tmp_path, monkeypatch):
    real = probe.info
    monkeypatch.setattr(
        probe,
        "info",
        lambda wire: (
            {name: v for name, v in real(wire).items() if name != "valkey_version"} | {"redis_version": "7.0.15"}
        ),
    )
    acl = ["--user", "default", "off", "--user", "games", "on", ">open", "~*", "&*", "+@all"]
    with server(tmp_path / "a", "--appendonly", "yes", *acl) as url:
        wire = RedisClient(url + "?username=games&password=open")
        assert "loses every transaction" in " ".join(probe.warnings(wire))
        wire.one("ACL", "SETUSER", "games", "-acl")
        assert "may not see" in " ".join(probe.warnings(wire))
        wire.close()
    with server(tmp_path / "b", "--appendonly", "yes") as url:
        wire = RedisClient(url)
        assert () == probe.warnings(wire)
        wire.close()


@pytest.mark.soak
def test_warnings_appear_at_start_in_the_doctor_and_in_readyz(instance, tmp_path, monkeypatch):
    with server(tmp_path / "a", "--save", "") as url:
        instance.environ["ORACLEWHEEL_REDIS_URL"] = url
        instance.start("--only", "api")
        told = requests.get(f"{instance.url}/readyz", timeout=10)
        assert (200, "ready") == (told.status_code, told.json()["status"])
        assert ["writes nothing to disk" in said for said in told.json()["warnings"]] == [True]
        assert "writes nothing to disk" in instance.told()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", url)
        doctor = CliRunner().invoke(main, ["doctor", "--quick"])
        assert (1, True) == (doctor.exit_code, "writes nothing to disk" in doctor.output)
        assert 0 == instance.stop()


def test_folder_and_store_record_each_other(tmp_path):
    data = tmp_path / "data"
    with EmbeddedServer(data) as server:
        wire = RedisClient(server.url)
        known = acquaint(data, wire)
        assert known == recorded(data)
        assert known.id == json.loads((data / "store.json").read_text())["id"]
        (data / "store.json").unlink()
        assert known == acquaint(data, wire)
        wire.one("HSET", "oraclewheel:store", "games", 3)
        Marker(data, wire, known.id).mark()
        wire.one("HSET", "oraclewheel:store", "games", 2)
        with pytest.raises(StoreUnusable, match="older state"):
            acquaint(data, wire)
        wire.close()


def test_each_mismatch_of_folder_and_store_is_refused_by_itself(tmp_path):
    data = tmp_path / "data"
    with EmbeddedServer(data) as server:
        wire = RedisClient(server.url)
        Marker(data, wire, acquaint(data, wire).id, delay=0).mark()
        assert 1 == recorded(data).mark

        wire.one("HSET", "oraclewheel:store", "mark", 0)
        with pytest.raises(StoreUnusable, match="an older state"):
            acquaint(data, wire)
        wire.one("HSET", "oraclewheel:store", "mark", 1, "id", "an-other")
        with pytest.raises(StoreUnusable, match="another store"):
            acquaint(data, wire)
        wire.one("DEL", "oraclewheel:store")
        wire.one("HSET", "player:{p1}", "name", "Ada")
        with pytest.raises(StoreUnusable, match="another store"):
            acquaint(data, wire)
        wire.one("FLUSHALL")
        with pytest.raises(StoreUnusable, match="this store is empty"):
            acquaint(data, wire)
        assert 0 == wire.one("EXISTS", "oraclewheel:store"), "and nothing is written"
        wire.close()


@pytest.mark.parametrize("gone", ["an other", "none"])
def test_marker_reports_a_different_store_and_stops_writing(tmp_path, gone):
    data = tmp_path / "data"
    with EmbeddedServer(data) as server:
        wire = RedisClient(server.url)
        marker = Marker(data, wire, acquaint(data, wire).id, delay=1000)
        before = recorded(data)
        marker.mark()
        assert marker.failure is None
        if gone == "none":
            wire.one("DEL", "oraclewheel:store")
        else:
            wire.one("HSET", "oraclewheel:store", "id", "an-other")
        marker.mark()
        marker.finish()
        assert "no longer the one" in marker.failure
        assert before == recorded(data)
        wire.close()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"cluster_enabled": "1"}, "a node of a cluster"),
        ({"redis_mode": "cluster"}, "a node of a cluster"),
        ({"role": "slave"}, "is a replica"),
        ({"redis_version": "6.2.14"}, "version 7.0 or later is needed"),
    ],
)
def test_unsuitable_server_is_refused_with_the_reason(told, said):
    probe._must_hold_games({"role": "master", "redis_version": "7.0.0"}, "the store")
    with pytest.raises(StoreUnusable, match=said):
        probe._must_hold_games({"role": "master", "redis_version": "7.2.0", **told}, "the store")


def test_failed_write_to_disk_causes_a_warning():
    told = {"aof_enabled": "1", "aof_last_write_status": "err"}
    assert "last write" in " ".join(probe._of_disk(told, ""))
    assert not probe._of_disk({**told, "aof_last_write_status": "ok"}, "")


def test_manifest_check_allows_missing_history_files_but_no_unknown_type(tmp_path):
    files = tmp_path / "appendonlydir"
    files.mkdir()
    (files / "a").write_text("")
    manifest = files / "appendonly.aof.manifest"
    manifest.write_text("file a seq 1 type b\nfile gone seq 1 type h\n")
    aof.check(tmp_path)
    manifest.write_text("file a seq 1 type x\n")
    with pytest.raises(StoreUnusable, match="cannot be read"):
        aof.check(tmp_path)
    manifest.unlink()
    (files / "a").write_text("x" * 1000)
    with pytest.raises(StoreUnusable, match="is missing"):
        aof.check(tmp_path)


def test_rollback_of_the_store_at_runtime_is_logged_once_and_recorded(tmp_path):
    data = tmp_path / "data"
    with EmbeddedServer(data, fsync="no") as server:
        wire = RedisClient(server.url)
        marker = Marker(data, wire, acquaint(data, wire).id, delay=0)
        with structlog.testing.capture_logs() as logs:
            for _ in range(3):
                marker.mark()
            assert [] == logs
            wire.one("HSET", "oraclewheel:store", "mark", 1)
            marker.mark()
            marker.mark()
    assert marker.failure is None
    assert ["store_rolled_back"] == [entry["event"] for entry in logs]
    assert 3 == recorded(data).mark
