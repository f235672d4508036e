"""Consistent backups of a cluster during play; problems are reported and leave nothing behind."""

from __future__ import annotations

import shutil
import threading
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

from domain.kernel.dice import Dice
from service.ops.backup import cluster_snapshot, merge, snapshot
from service.ops.backup.backup import BadBackup, make, restore, verify
from service.ops.backup.merge import brought_together
from service.ops.backup.rdb import offset_in
from service.ops.instance.aof import MANIFEST
from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.cluster import owners as owning
from service.store.redis.cluster.client import open_client, slot_of
from service.store.redis.cluster.owners import Unsettled, owners
from service.store.redis.store import open_store
from service.store.upkeep.repair import games_of
from tests.cluster import dying_backup
from tests.cluster.kept import died
from tests.cluster.servers import eventually
from tests.core.http.conftest import World
from tests.core.http.conftest import pennies as pennies  # noqa: PLC0414 - registers the game here too
from tests.driver import Player, play_out


@pytest.fixture
def wire(cluster):
    with closing(open_client(cluster.url)) as wire:
        yield wire


class Playing:
    """Players who register and play, and a writer of numbered keys, both until the block ends."""

    def __init__(self, url):
        self.url, self.stop, self.failed = url, threading.Event(), None
        self.acknowledged, self.players, self.written = {}, [], 0
        self.threads = [threading.Thread(target=self._run, args=(each,)) for each in (self._play, self._write)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        eventually(lambda: self.failed or (len(self.acknowledged) > 1 and self.written > 50))
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()
        assert self.failed is None, self.failed

    def _run(self, what):
        try:
            what()
        except Exception as error:  # noqa: BLE001 - raised where the block ends
            self.failed = error

    def _play(self):
        with closing(open_store(self.url)) as store:
            world = World(store, side_workers=0, rate_requests=0, rate_registrations=0, lobbies=0)
            while not self.stop.is_set():
                ash, birk = world.player(), world.player()
                made = ash.make_game("nim", 2)
                birk.join(made["id"], made["invitation"])
                ash.start(made["id"])
                for player in (ash, birk, ash, birk):
                    answer = player.move(made["id"], Dice(b"x" * 32), want=None)
                    if answer is not None and answer.status == 200:
                        self.acknowledged[made["id"]] = answer.json["seq"]
                self.players.append((made["id"], ash, birk))

    def _write(self):
        with closing(open_client(self.url)) as wire:
            while not self.stop.is_set():
                for name in ("one", "two", "three"):
                    wire.one("SET", f"{name}:{self.written}", "x")
                self.written += 1


@pytest.mark.soak
def test_backup_contains_acknowledged_commands_and_is_consistent(kept, tmp_path):
    with Playing(kept.cluster.url) as playing:
        for number in range(3):
            known, players, written = dict(playing.acknowledged), list(playing.players), playing.written
            note = kept.made(f"kept-{number}")
            assert not kept.is_paused()
    assert note.games >= len(known)
    assert note == verify(tmp_path / "kept-2", iter)
    restore(tmp_path / "kept-2", tmp_path / "again", iter)
    with EmbeddedServer(tmp_path / "again", fsync="no") as server, closing(open_store(server.url)) as store:
        assert [] == [game for game, seq in known.items() if store.log.head(game)[0] < seq]
        one, two, three = (len(list(store.wire.scan(f"{name}:*"))) for name in ("one", "two", "three"))
        assert written <= three <= two <= one <= three + 1, "nothing stands there without what was written before it"
        for game in games_of(store):
            creator = store.lobbies.get(game).creator
            assert store.accounts.player(creator), "who has made a game has an account"
        world = World(store, side_workers=0, rate_requests=0, rate_registrations=0, lobbies=0)
        game, *both = players[-1]
        ash, birk = (Player(world.site, each.token, each.id) for each in both)
        play_out([ash, birk], game, Dice(b"e" * 32))
        assert "over" == ash.summary(game)["status"]


def test_snapshots_of_all_primaries_are_of_one_moment(kept, wire, tmp_path):
    found = cluster_snapshot.copies(wire, tmp_path)
    assert 3 == len(found.files)
    assert 0 < found.paused < cluster_snapshot.IN_TIME
    wire.many([("SET", f"late:{number}", "x") for number in range(100)])
    for line in owners(wire).lines.values():
        folder = tmp_path / line.url.rpartition(":")[2]
        snapshot.snapshot(line, folder)
        told = next(told for told in found.servers if told["tcp_port"] == folder.name)
        assert not cluster_snapshot._is_of_then(folder / snapshot.BASE, told), "it was begun after the moment"


def test_snapshot_that_began_too_late_is_repeated(kept, wire, tmp_path, monkeypatch):
    looks = iter([True, False])
    monkeypatch.setattr(cluster_snapshot, "REST", 0.0)
    monkeypatch.setattr(cluster_snapshot, "_is_of_then", lambda *_: next(looks, True))
    found = cluster_snapshot.copies(wire, tmp_path)
    assert ["1.rdb", "2.rdb", "3.rdb"] == sorted(path.name for path in found.files)
    assert [] == list(looks)


def test_snapshot_without_a_replication_offset_is_rejected(tmp_path):
    path = tmp_path / "file"
    aux = b"\xfa\x03abc\x40\x02xy\xfa\x0brepl-offset"
    for told, wanted in ((b"\xc1\x39\x30", 12345), (b"\xc2\x00\x00\x01\x00", 65536), (b"\x0212", 12)):
        path.write_bytes(b"REDIS0011" + aux + told + b"\xff")
        assert wanted == offset_in(path)
    for content in (b"", b"no file of theirs", b"REDIS0011\xff", b"REDIS0011" + aux, b"REDIS0011\xfa\xc3\x01\x02"):
        path.write_bytes(content)
        assert offset_in(path) is None
        with pytest.raises(snapshot.NoSnapshot, match="does not contain its replication offset"):
            cluster_snapshot._is_of_then(path, {})


# -- reasons for refusal ------------------------------------------------------------------------------------------------


def refused(kept, match):
    with pytest.raises(BadBackup, match=match) as told:
        kept.made()
    assert [] == kept.names()
    assert not kept.is_paused()
    return str(told.value)


def test_backup_fails_if_the_snapshots_do_not_start_in_time(kept, monkeypatch):
    monkeypatch.setattr(cluster_snapshot, "IN_TIME", 0.0)
    monkeypatch.setattr(cluster_snapshot, "REST", 0.0)
    refused(kept, "did not start their snapshots within 0.0 seconds of each other in 3 attempts")


def test_late_report_that_a_snapshot_has_started_is_not_trusted(kept, monkeypatch):
    """The server or this machine paused: by then the first server may accept writes again."""
    clock, second, forks = [0.0], [0.0], {}
    info, asked = cluster_snapshot.info, cluster_snapshot.asked

    def slow(line):
        clock[0] += second[0]
        if not second[0]:
            forks[line.url] = int(info(line)["total_forks"])
            return info(line)
        return eventually(lambda: info(line) if int(info(line)["total_forks"]) > forks[line.url] else None)

    def now_slow(connection):
        second[0] = 1.0
        asked(connection)

    monkeypatch.setattr(cluster_snapshot, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda _: None))
    monkeypatch.setattr(cluster_snapshot, "info", slow)
    monkeypatch.setattr(cluster_snapshot, "asked", now_slow)
    monkeypatch.setattr(cluster_snapshot, "BUSY", 1e9)
    refused(kept, "did not start their snapshots")


def test_backup_waits_for_a_running_bgsave_and_fails_if_it_lasts_too_long(kept, monkeypatch):
    client = kept.cluster.primaries()[0].client()
    # A snapshot that another test made the server write may not be done yet.
    eventually(lambda: not client.info("persistence")["rdb_bgsave_in_progress"])
    client.config_set("rdb-key-save-delay", "1000000")
    try:
        client.bgsave()
        monkeypatch.setattr(cluster_snapshot, "BUSY", 0.0)
        monkeypatch.setattr(cluster_snapshot, "REST", 0.0)
        refused(kept, "has been writing its own file")
        monkeypatch.setattr(cluster_snapshot, "_await_idle", lambda _: None)
        monkeypatch.setattr(cluster_snapshot, "asked", lambda _: pytest.fail("it would be given what was begun before"))
        refused(kept, "they are too busy")
    finally:
        client.config_set("rdb-key-save-delay", "0")
        eventually(lambda: client.execute_command("BGSAVE", "CANCEL") or True, every=0.01)
        eventually(lambda: not client.info("persistence")["rdb_bgsave_in_progress"])


@pytest.mark.soak
def test_backup_fails_while_a_slot_is_being_moved(kept):
    cluster = kept.cluster
    source, slot = cluster.primary_of("wandering"), slot_of("wandering")
    target = next(server for server in cluster.primaries() if server is not source)
    source.client().execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.id_of(target))
    try:
        refused(kept, f"The slot {slot} of the cluster is being moved")
    finally:
        source.client().execute_command("CLUSTER", "SETSLOT", slot, "STABLE")


@pytest.mark.parametrize("what", ["a slot moves", "a primary is replaced"])
def test_backup_fails_if_the_cluster_changes_in_the_meantime(kept, what, monkeypatch):
    begun, cluster = cluster_snapshot._begun, kept.cluster

    def changed(*told):
        found = begun(*told)
        if what == "a slot moves":
            cluster.move("wandering")
            return found
        replica = next(server for server in cluster.alive() if server not in cluster.primaries())
        replica.client().execute_command("CLUSTER", "FAILOVER")
        eventually(lambda: replica in cluster.primaries())
        return found

    monkeypatch.setattr(cluster_snapshot, "_begun", changed)
    try:
        refused(kept, "replaced")
    finally:
        cluster.await_whole()


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (
            lambda slots, _: {(id_, epoch, "0-99") for id_, epoch, _ in slots},
            "16084 slots of the cluster have no working primary",
        ),
        (
            lambda slots, first: {(id_, "99" if first else epoch, ranges) for id_, epoch, ranges in slots},
            "disagree about the slots",
        ),
        (lambda slots, _: {*sorted(slots)[1:]}, "disagree about the slots"),
    ],
    ids=["nobody's", "another epoch", "one is missing"],
)
def test_slots_without_exactly_one_owner_are_reported(cluster, wire, monkeypatch, seen, words):
    real, looks = owning._view, []

    def view(*told):
        found = real(*told)
        looks.append(1)
        return replace(found, slots=frozenset(seen(found.slots, len(looks) == 1)))

    monkeypatch.setattr(owning, "_view", view)
    with pytest.raises(Unsettled, match=words):
        owners(wire)


def test_slots_that_a_server_migrates_by_itself_are_reported(cluster, wire, monkeypatch):
    monkeypatch.setattr(owning, "_ENDED", set())
    source = cluster.primary_of("wandering")
    target = next(server for server in cluster.primaries() if server is not source)
    slot = slot_of("wandering")
    source.client().execute_command("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", cluster.id_of(target))
    with pytest.raises(Unsettled, match=rf"being moved from one primary to another \({slot}-{slot}\)"):
        owners(wire)
    eventually(lambda: cluster.primary_of("wandering") is target)


def test_backup_reports_a_missing_client_pause_permission(kept):
    for server in kept.cluster.primaries():
        server.client().execute_command("ACL", "SETUSER", "few", "on", ">sesame", "~*", "&*", "+@all", "-client|pause")
    url = kept.cluster.url.replace("://", "://few:sesame@")
    try:
        with (
            closing(open_client(url)) as wire,
            pytest.raises(BadBackup, match="CLIENT PAUSE and CLIENT UNPAUSE") as told,
        ):
            make(kept.data, kept.data / "signing.key", kept.data / "push.key", kept.folder / "kept", iter, wire)
    finally:
        for server in kept.cluster.primaries():
            server.client().execute_command("ACL", "DELUSER", "few")
    assert "sesame" not in str(told.value)
    assert [] == kept.names()


@pytest.mark.soak
def test_backup_killed_while_writes_are_paused_does_not_block_them_for_long(kept):
    died(dying_backup.paused, kept.cluster.url, str(kept.data), str(kept.folder / "kept"))
    for server in kept.cluster.primaries():
        left = server.client().info("clients")["paused_timeout_milliseconds"]
        assert left <= 1000 * cluster_snapshot.PAUSE
    assert kept.is_paused(), "it was killed where that is worst"
    kept.store.wire.many(
        [("SET", f"later:{number}", "x") for number in range(100)]
    )  # within the connection timeout of 10 seconds
    assert not kept.is_paused()
    assert not (kept.folder / "kept").exists()


def test_only_the_merged_file_is_kept_after_snapshots_are_combined(tmp_path):
    for name in ("copy.1.rdb", "appendonly.aof.2.base.rdb", "appendonly.aof.3.incr.aof"):
        (tmp_path / name).write_bytes(b"")
    kept = "file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.3.incr.aof seq 3 type i\n"
    (tmp_path / MANIFEST).write_text(f"file copy.1.rdb seq 1 type h\n{kept}")
    merge._tidied(tmp_path)
    assert kept == (tmp_path / MANIFEST).read_text()
    assert {MANIFEST, "appendonly.aof.2.base.rdb", "appendonly.aof.3.incr.aof"} == {
        path.name for path in tmp_path.iterdir()
    }


def test_key_in_two_snapshots_and_missing_snapshot_are_found(kept, wire, tmp_path):
    found = cluster_snapshot.copies(wire, tmp_path)
    for name, files, lasting, words in (
        ("twice", [*found.files, found.files[0]], found.lasting, "is in the snapshots of two primaries"),
        ("lost", found.files[1:], found.lasting, "and should contain"),
    ):
        folder = tmp_path / name
        folder.mkdir(mode=0o700)
        copied = [folder / f"{place}.rdb" for place in range(len(files))]
        for path, copy in zip(files, copied, strict=True):
            shutil.copy(path, copy)
        with pytest.raises(snapshot.NoSnapshot, match=words):
            brought_together(copied, folder, lasting)
