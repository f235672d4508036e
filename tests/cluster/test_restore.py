"""The backup of a cluster is restored without differences into a data folder, another cluster, or a single server."""

from __future__ import annotations

import os
from contextlib import closing

import pytest

from domain.registry import GAMES
from service.ops.backup.backup import BadBackup, make
from service.ops.backup.external_restore import restore_into
from service.ops.backup.plain_commands import commands_in, written_as_commands
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.identity import acquaint
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import signer
from service.ops.serving import preflight
from service.ops.settings import Settings
from service.store.ports.errors import StoreUnusable
from service.store.redis import keys
from service.store.redis.cluster.client import open_client
from service.store.redis.probe import HalfRestored, check_partitions
from service.store.redis.store import open_store
from service.store.upkeep import backup_loading
from tests.cluster import dying_backup
from tests.cluster.house import furnished, pictured
from tests.cluster.kept import Kept, brought, called, died, played_on, stable
from tests.cluster.servers import running
from tests.core.http.conftest import pennies as pennies  # noqa: PLC0414 - registers the game here too
from tests.hostile.test_backup import heads, play
from tests.pennies import PENNIES

REDIS_7_0 = os.environ.get("ORACLEWHEEL_TEST_REDIS_7_0", "")


@pytest.fixture
def settled(kept, monkeypatch, tmp_path, redis_url):
    """The settings point to the cluster, and to a server for the queue."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", kept.cluster.url)
    monkeypatch.setenv("ORACLEWHEEL_QUEUE_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(kept.data))
    return kept


@pytest.mark.soak
def test_backup_restores_into_a_data_folder_and_a_cluster_without_differences(settled, monkeypatch, tmp_path):
    furnished(settled.cluster.url, f"file://{tmp_path}/archive")
    before, to = stable(settled.cluster.url), tmp_path / "kept"
    status, told = called("backup", to)
    assert 0 == status, told
    assert "Writes to the cluster were paused for " in told
    assert "every chain verified." in told
    assert {"backup.json", "appendonlydir", "store.json", "server.json", "signing.key", "push.key"} == {
        path.name for path in to.iterdir()
    }
    assert 3 == len(list((to / "appendonlydir").iterdir())), "a manifest, a base and what is written since"
    assert 0 == called("backup", "--verify", to)[0]
    status, told = called("restore", to)
    assert (1, True) == (status, "restore --into-store" in told)

    settled.cluster.empty()
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "there"))
    status, told = called("restore", "--into-store", to)
    assert 0 == status, told
    assert before == stable(settled.cluster.url)
    assert {"store.json", "signing.key", "push.key"} == {path.name for path in (tmp_path / "there").iterdir()}
    with closing(open_client(settled.cluster.url)) as wire:
        assert acquaint(settled.data, wire).id == acquaint(tmp_path / "there", wire).id
    played_on(settled.cluster.url, settled)

    monkeypatch.delenv("ORACLEWHEEL_REDIS_URL")
    monkeypatch.delenv("ORACLEWHEEL_QUEUE_URL")
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "again"))
    assert 2 == called("restore", "--into-store", to)[0], "there is no store to bring it into"
    assert 0 == called("restore", to)[0]
    with EmbeddedServer(tmp_path / "again", fsync="no") as server:
        assert before == stable(server.url)
        played_on(server.url, settled)


@pytest.mark.soak
def test_backup_restores_into_an_empty_single_server(settled, monkeypatch, tmp_path):
    before, to = stable(settled.cluster.url), tmp_path / "kept"
    settled.made()
    with running(tmp_path / "own") as server:
        monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", server.url)
        monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "there"))
        assert 0 == called("restore", "--into-store", to)[0]
        assert before == stable(server.url)
        played_on(server.url, settled)


# -- interrupted and refused restores ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def backed_up(whole_cluster, tmp_path_factory):
    """A backup of the cluster, made once, and the contents of the cluster at that time."""
    with pytest.MonkeyPatch.context() as patch, closing(open_store(whole_cluster.url)) as store:
        patch.setitem(GAMES, "pennies", PENNIES)
        whole_cluster.empty()
        store.wire.all([("SET", keys.PARTITIONS, 256), ("SET", keys.FORM, keys.THIS_FORM)])
        kept = Kept(whole_cluster, store, tmp_path_factory.mktemp("backed-up"))
        kept.before = stable(whole_cluster.url)
        kept.made()
        yield kept


@pytest.fixture
def lost(backed_up):
    """The cluster is empty, and its backup exists."""
    backed_up.cluster.empty()
    return backed_up


@pytest.mark.soak
def test_killed_restore_blocks_the_store_until_it_is_repeated(lost, tmp_path):
    there = tmp_path / "there"
    died(dying_backup.half_filled, lost.cluster.url, str(lost.folder / "kept"), str(there), 2)
    with closing(open_client(lost.cluster.url)) as wire:
        with pytest.raises(HalfRestored, match="again with the same backup"):
            open_store(wire.url)
        acquaint(tmp_path / "nowhere", wire)  # reading the half-restored store gives it no new identity
    brought(lost, there)
    assert lost.before == stable(lost.cluster.url)
    played_on(lost.cluster.url, lost)


@pytest.mark.soak
def test_restore_interrupted_before_its_last_step_completes_when_repeated(lost, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    there = tmp_path / "there"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(backup_loading.Filling, "open", stopped)
        brought(lost, there)
    assert {"store.json", "signing.key", "push.key"} == {path.name for path in there.iterdir()}
    with pytest.raises(HalfRestored):
        open_store(lost.cluster.url)
    brought(lost, there)
    played_on(lost.cluster.url, lost)


def test_folder_of_another_store_is_refused(lost, tmp_path):
    (tmp_path / "signing.key").write_text("another")
    with pytest.raises(BadBackup, match=r"contains signing\.key, which is not part of this backup"):
        brought(lost, tmp_path)
    assert {} == stable(lost.cluster.url)


def test_restore_that_misses_keys_fails(lost, tmp_path, monkeypatch):
    by_key = backup_loading._by_key

    def without_players(commands):
        return (each for each in by_key(commands) if not each[0].startswith(b"player:"))

    monkeypatch.setattr(backup_loading, "_by_key", without_players)
    with pytest.raises(BadBackup, match=r"The store now has .* keys, but the backup has"):
        brought(lost, tmp_path)
    with pytest.raises(HalfRestored):
        open_store(lost.cluster.url)
    assert [] == list(tmp_path.iterdir()), "no key of it is there for a service to start with"


@pytest.mark.soak
def test_serve_after_a_killed_restore_writes_nothing_and_restore_can_be_repeated(lost, tmp_path):
    there = tmp_path / "there"
    died(dying_backup.half_filled, lost.cluster.url, str(lost.folder / "kept"), str(there), 2)
    servers = {"ORACLEWHEEL_REDIS_URL": lost.cluster.url, "ORACLEWHEEL_QUEUE_URL": "redis://127.0.0.1"}
    settings = Settings.load({"ORACLEWHEEL_DATA": str(there), **servers}, None)
    with pytest.raises(HalfRestored):
        preflight.enter(settings, lost.cluster.url)
    assert not (there / "store.json").exists()
    brought(lost, there)
    played_on(lost.cluster.url, lost)


PLAIN = [
    [b"SELECT", b"0"],
    [b"SET", b"one", b"1"],
    [b"SET", keys.PARTITIONS.encode(), b"256"],
    [b"HMSET", keys.STORE.encode(), b"id", b"a"],
]


@pytest.fixture
def filled(redis_url):
    """The restore of a store of three keys."""
    with closing(open_client(redis_url)) as target:
        yield backup_loading.Filling(lambda: PLAIN, target, "it")


def test_restore_fills_an_empty_store_identity_first_and_opens_it_last(filled, monkeypatch):
    write, names = backup_loading._write, []
    monkeypatch.setattr(
        backup_loading, "_write", lambda target, each: (names.append([name for name, _ in each]), write(target, each))
    )
    filled.begin()
    assert 3 == sum(filled.carry())
    assert [keys.STORE.encode()] == names[0], "the identity comes first: otherwise a reader gives the store a new one"
    with pytest.raises(HalfRestored):
        check_partitions(filled.target)
    filled.open()
    filled.leave()
    assert [b"256", b"1", 0, [b"id", b"a"]] == filled.target.all(
        [
            ("GET", keys.PARTITIONS),
            ("GET", "one"),
            ("EXISTS", keys.lock("restore")),
            ("HGETALL", keys.STORE),
        ]
    )


def test_a_repeated_restore_replaces_what_the_first_one_wrote(filled):
    filled.begin()
    filled.target.all([("RPUSH", "one", "half"), ("HSET", keys.STORE, "left", "over")])
    assert 3 == sum(filled.carry())
    assert [b"1", [b"id", b"a"]] == filled.target.all([("GET", "one"), ("HGETALL", keys.STORE)])


def test_a_backup_is_restored_with_commands_that_every_version_knows(redis_url, tmp_path):
    """RESTORE takes only the format of the server's own version."""
    with EmbeddedServer(tmp_path, fsync="no") as server, closing(open_client(server.url)) as source:
        source.all(
            [
                ("SET", keys.PARTITIONS, 256),
                ("SET", "text", b"\r\n$1\r\n\x00\xff"),
                ("SET", "short-lived", "x", "PX", 3_600_000),
                ("HSET", "hash", *map(str, range(2000))),
                ("SADD", "set", *map(str, range(1000))),
                ("ZADD", "scores", "1.1", "a", "-inf", "b", "1e300", "c", "0.30000000000000004", "d"),
                ("RPUSH", "list", *map(str, range(500))),
                *(("XADD", "{s}stream", f"{number}-7", "d", f"{number}") for number in range(1, 300)),
                ("XDEL", "{s}stream", "299-7"),
                ("XGROUP", "CREATE", "{s}stream", "readers", "5-7"),
                ("XADD", "empty", "9-9", "a", "b"),
                ("XDEL", "empty", "9-9"),
            ]
        )
        base = written_as_commands(source, tmp_path / "appendonlydir")
        known = {"SET", "HMSET", "SADD", "ZADD", "RPUSH", "XADD", "XSETID", "XGROUP", "PEXPIREAT", "SELECT"}
        assert known >= {command[0].decode() for command in commands_in(base)}
        with closing(open_client(redis_url)) as target:
            restoring = backup_loading.Filling(lambda: commands_in(base), target, "it")
            restoring.begin()
            assert 9 == sum(restoring.carry())
            restoring.open()
            restoring.leave()
            mine, other = pictured(source), pictured(target)
            assert mine.keys() == other.keys()
            assert all(mine[name] == other[name] for name in mine if name not in (b"{s}stream", b"empty"))
            entries = ("XRANGE", "{s}stream", "-", "+")
            assert source.one(*entries) == target.one(*entries)
            for wire in (source, target):
                assert 3_000_000 < wire.one("PTTL", "short-lived")
            asked = [("XINFO", "STREAM", "{s}stream"), ("XINFO", "GROUPS", "{s}stream"), ("XINFO", "STREAM", "empty")]
            assert described(source.all(asked)) == described(target.all(asked))


def described(replies):
    """Return the XINFO of streams and groups without the shape of their trees."""
    stream, groups, empty = replies
    ignored = (b"radix-tree-keys", b"radix-tree-nodes")
    streams = [dict(zip(each[::2], each[1::2], strict=True)) for each in (stream, empty)]
    return groups, [{name: value for name, value in each.items() if name not in ignored} for each in streams]


@pytest.mark.skipif(not REDIS_7_0, reason="set ORACLEWHEEL_TEST_REDIS_7_0 to a redis-server 7.0 to run this")
def test_a_backup_of_redis_7_0_is_restored_into_redis_7_0(tmp_path, monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    data = tmp_path / "data"
    data.mkdir()
    with running(tmp_path / "source", binary=REDIS_7_0) as source, closing(open_store(source.url)) as store:
        signer(data / "signing.key", store.log)
        push_key(data / "push.key")
        play(store, 2)
        wanted, before = heads(store), stable(source.url)
        make(data, data / "signing.key", data / "push.key", tmp_path / "kept", iter, store.wire)
    with running(tmp_path / "target", binary=REDIS_7_0) as target:
        with closing(open_client(target.url)) as wire:
            restore_into(tmp_path / "kept", tmp_path / "there", wire, iter, lambda _, arrived: arrived)
        with closing(open_store(target.url)) as store:
            assert wanted == heads(store)
        assert before == stable(target.url)


def test_store_with_any_key_is_refused_and_left_unchanged(filled):
    for name, value in (("any", "thing"), (keys.PARTITIONS, "256"), (keys.PARTITIONS, f"{keys.RESTORING}another")):
        filled.target.one("FLUSHDB")
        filled.target.one("SET", name, value)
        with pytest.raises(StoreUnusable, match="has 1 keys, but a backup can only be restored into an empty store"):
            filled.begin()
        assert 1 == filled.target.one("DBSIZE")


def test_store_used_by_a_service_in_the_meantime_is_left_to_it(filled, monkeypatch):
    filled.target.one("SET", keys.PARTITIONS, 256)
    monkeypatch.setattr(backup_loading, "_held", lambda _: 0)
    with pytest.raises(StoreUnusable, match="Another client started to use the store"):
        filled.begin()
    assert b"256" == filled.target.one("GET", keys.PARTITIONS)


def test_two_restores_do_not_run_at_the_same_time(filled, monkeypatch):
    monkeypatch.setattr(backup_loading, "LONGEST", 0.0)
    other = backup_loading.Filling(filled.commands, filled.target, "it")
    filled.begin()
    with pytest.raises(StoreUnusable, match="Another process is restoring this backup"):
        other.begin()
    filled.leave()
    other.begin()
    with pytest.raises(StoreUnusable, match="Another client changed the store"):
        next(filled.carry())


@pytest.mark.parametrize("when", ["at first", "on the way", "at last"])
def test_delayed_restore_does_not_write_into_the_open_store(filled, monkeypatch, when):
    monkeypatch.setattr(backup_loading, "TOGETHER", 1)
    filled.begin()
    going = filled.carry()
    for _ in range({"at first": 0, "on the way": 1, "at last": 3}[when]):
        next(going)
    filled.leave()
    other = backup_loading.Filling(filled.commands, filled.target, "it")
    other.begin()
    assert 3 == sum(other.carry())
    other.open()
    other.leave()
    filled.target.all([("SET", "one", "played on"), ("HSET", keys.STORE, "id", "played on")])
    with pytest.raises(StoreUnusable, match="Another client changed the store"):
        filled.open() if when == "at last" else list(going)
    told = filled.target.all([("GET", "one"), ("HGET", keys.STORE, "id"), ("GET", keys.PARTITIONS)])
    assert [b"played on", b"played on", b"256"] == told


def test_refused_command_is_reported(filled):
    filled.commands = lambda: [[b"LPOP", b"one", b"x", b"y", b"z"], *PLAIN]
    filled.begin()
    with pytest.raises(StoreUnusable, match=r"one cannot be written: .* run the restore again"):
        list(filled.carry())
