"""Moving games to the archive: killed at any line, by several processes at once, during changes, and what stays in the
store."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from pathlib import Path

import pytest

from service.audit.auditor import audit
from service.audit.export import export_lines
from service.cli.commands.imports import imported
from service.core.positions.cache import Positions
from service.core.positions.rows import load_current_rows
from service.features.archive.mover import move, move_all, sweep
from service.store.ports.errors import ArchiveDown
from service.store.redis import keys
from service.store.redis.client import RedisClient
from service.store.redis.store import open_store
from service.store.shared import archive_object
from tests.soaking import sample
from tests.store.bucket import bucket
from tests.workers import archive_mover
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*.ndjson"))
SHORT = next(each for each in RECORDINGS if each.name == "pennies-undo.ndjson")
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.workers.archive_mover"])


@pytest.fixture
def archive(tmp_path):
    return f"file://{tmp_path}/archive"


@pytest.fixture(autouse=True)
def one_slot(monkeypatch):
    """Check that all keys of a script are in one slot, as a cluster requires."""
    tried = RedisClient.tried

    def looked_at(wire, script, each):
        for names, _ in each:
            slots = {name.partition("{")[2].partition("}")[0] or name for name in names}
            assert 1 == len(slots), (script.name, names)
        return tried(wire, script, each)

    monkeypatch.setattr(RedisClient, "tried", looked_at)


@pytest.fixture
def opened(redis_url, archive):
    """Opens another store on the same server with each call."""
    stores = []

    def another(url=archive, copies=64):
        stores.append(open_store(redis_url, archive=url, copies=copies))
        return stores[-1]

    yield another
    for each in stores:
        each.close()


def brought(store, file):
    """Import the recorded game; returns its id and its export."""
    data = file.read_bytes()
    report = audit(data)
    for _ in imported(store, data, report):
        pass
    game = report.facts["game"]
    return game, exported(store, game)


def exported(store, game):
    return b"".join(export_lines(store, store.lobbies.get(game)))


def is_whole(store, game, export):
    """The game is stored in one place, its export is unchanged, and nothing else is left over."""
    assert {"moved": 1} == Counter(each.word for each in move_all(store, 0)) or game in dict(store.archive.index())
    assert [name for _, name in store.archive.index()] == list(store.archive.names())
    assert ({}, []) == (store.archive.moving(), list(store.archive.litter()))
    store.archive.forget(game)
    assert export == exported(store, game)


@pytest.mark.parametrize("file", sample(RECORDINGS, 18), ids=lambda each: each.stem)
def test_every_recorded_game_is_restored_byte_for_byte(opened, file):
    store = opened()
    game, export = brought(store, file)
    commits = store.wire.one("XRANGE", store.keys.game(game).commits, "-", "+")
    assert "moved" == move(store, game).word
    store.archive.forget(game)
    assert 0 == store.wire.one("EXISTS", *store.keys.whole(game))
    assert export == exported(opened(), game)
    assert commits == store.wire.one("XRANGE", store.keys.game(game).commits, "-", "+"), "packed as they were packed"
    assert "archived" == move(store, game).word


@pytest.mark.soak
@pytest.mark.parametrize("kills", [24, pytest.param(10_000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_killed_mover_loses_nothing_and_another_completes_its_work(opened, redis_url, archive, kills):
    """At every line in the longest soak run, otherwise at some of them."""
    counted = PROCESSES.SimpleQueue()
    brought(opened(), SHORT)
    whole = PROCESSES.Process(target=archive_mover.run, args=(redis_url, archive, 0, counted))
    whole.start()
    lines, moved = counted.get()
    whole.join()
    assert ["moved"] == moved and lines > 60

    for at in range(1, lines + 1, max(1, lines // kills)):
        store = opened()
        store.wire.one("FLUSHALL")
        store = opened(f"{archive}-{at}")
        game, export = brought(store, SHORT)
        mover = PROCESSES.Process(target=archive_mover.run, args=(redis_url, f"{archive}-{at}", at, None))
        mover.start()
        mover.join()
        assert -9 == mover.exitcode, at
        assert export == exported(opened(f"{archive}-{at}"), game), f"killed at line {at} of {lines}"
        store.wire.one("DEL", keys.lock("archive"))  # as if the lock had expired
        is_whole(store, game, export)
        store.close()


@pytest.mark.soak
def test_concurrent_movers_move_each_game_once(opened):
    first = opened()
    games = dict(brought(first, file) for file in [SHORT, *RECORDINGS[:4]])
    found = Counter()

    def run():
        store = opened()
        for game in games:
            found[move(store, game).word] += 1

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert set(found) <= {"moved", "another", "archived"}
    for each in move_all(first, 0):
        assert "moved" == each.word
    sweep(first)
    assert set(games) == set(dict(first.archive.index()))
    assert sorted(dict(first.archive.index()).values()) == sorted(first.archive.names())
    for game, export in games.items():
        first.archive.forget(game)
        assert export == exported(first, game)


def test_two_moves_in_the_same_millisecond_write_two_objects(opened):
    store = opened()
    game, export = brought(store, SHORT)
    held = store.archive.look(game).held
    first, second = (archive_object.name_of(archive_object.written(game, held, export)) for _ in range(2))
    assert first != second
    for name in (first, second, first):
        assert "ok" == store.archive.begin(game, name)
    assert "another" == store.archive.swap(game, first, held), "it is litter, and may be gone"


def test_delayed_mover_cannot_index_a_deleted_object(opened):
    slow, quick = opened(), opened()
    game, export = brought(slow, SHORT)
    held, put = slow.archive.look(game).held, []
    slow.archive.put = lambda name, data: put.append((name, quick.archive.put(name, data), move(quick, game)))
    assert "archived" == move(slow, game).word
    assert 1 == len(put) and "moved" == put[0][2].word
    assert "archived" == slow.archive.swap(game, put[0][0], held)
    assert 1 == sweep(quick)
    assert [name for _, name in quick.archive.index()] == list(quick.archive.names())
    is_whole(quick, game, export)


def test_change_during_a_move_is_not_lost(opened):
    store, other = opened(), opened()
    game, _ = brought(store, SHORT)
    put = store.archive.put

    def meanwhile(name, data):
        put(name, data)
        other.notes.put(game, "words", "a", b"said at the last moment")

    store.archive.put = meanwhile
    assert "changed" == move(store, game).word
    store.archive.put = put
    assert ["moved"] == [each.word for each in move_all(store, 0)]
    store.archive.forget(game)
    assert {"a": b"said at the last moment"} == other.notes.all(game, "words")
    assert 1 == len(list(store.archive.names()))


def test_writing_a_note_of_an_archived_game_restores_it_first(opened):
    store = opened()
    game, export = brought(store, SHORT)
    store.notes.put(game, "words", "a", b"one")
    assert "moved" == move(store, game).word
    store.archive.forget(game)
    store.notes.put(game, "words", "b", b"two")
    assert {"a": b"one", "b": b"two"} == store.notes.all(game, "words")
    assert {} == dict(store.archive.index())
    for name in store.keys.whole(game):
        assert store.wire.one("PTTL", name) in (-1, -2), "it stays"
    assert export == exported(store, game)
    with pytest.raises(ValueError, match="no drawer"):
        store.notes.put(game, "another", "a", b"")


def test_game_with_pending_deliveries_or_commands_is_not_moved(opened):
    store = opened()
    game, _ = brought(store, SHORT)
    partition = store.keys.partition(game)
    store.wire.one("HSET", store.keys.game(game).meta, "listening", "w1")
    store.wire.one("ZADD", partition.outbox, 1, f"{game} w1")
    assert "waits" == move(store, game).word
    assert [] == list(store.archive.finished(store.schedule.now()))
    store.wire.one("ZREM", partition.outbox, f"{game} w1")
    store.wire.one("ZADD", partition.outbox, 1, f"{game} w2 again:3")
    assert [] == list(store.archive.finished(store.schedule.now())), "and what was asked for once more"
    store.wire.one("ZREM", partition.outbox, f"{game} w2 again:3")
    store.wire.one("XADD", store.keys.game(game).commands, "*", "d", "{}")
    assert "waits" == move(store, game).word
    store.wire.one("DEL", store.keys.game(game).commands)
    assert "moved" == move(store, game).word


def test_running_recent_and_unknown_games_are_not_moved(opened):
    store = opened()
    tables = Tables(store)
    running = tables.start()
    assert "not-over" == move(store, running).word
    assert "unknown-game" == move(store, "nothing").word
    game, _ = brought(store, SHORT)
    ended = store.schedule.now()
    assert [] == list(move_all(store, ended // (24 * 3600 * 1000) + 1))
    store.wire.one("DEL", keys.lock("archive"))
    assert [game] == [each.game_id for each in move_all(store, 0)]


def test_game_that_fails_the_audit_is_not_moved(opened):
    store = opened()
    game, _ = brought(store, SHORT)
    names = store.keys.game(game)
    entries = store.wire.one("XRANGE", names.commits, "-", "+")
    store.wire.one("DEL", names.commits)
    for entry, fields in entries[:-1]:
        store.wire.one("XADD", names.commits, entry, *fields)
    assert "it cannot be read" in move(store, game).word
    store.wire.one("XADD", names.commits, entries[-1][0], *entries[-1][1])
    store.wire.one("HSET", names.meta, "lobby", store.wire.one("HGET", names.meta, "lobby"), "setup", "")
    assert "moved" != move(store, game).word
    assert {} == dict(store.archive.index())


def test_archive_that_returns_damaged_data_is_not_trusted(opened):
    store = opened()
    game, _ = brought(store, SHORT)
    put = store.archive.put
    store.archive.put = lambda name, data: put(name, data[:-9])
    with pytest.raises(ArchiveDown, match="damaged"):
        move(store, game)
    store.archive.put = put
    assert 1 == store.wire.one("EXISTS", store.keys.game(game).meta) and {} == dict(store.archive.index())
    assert ["moved"] == [each.word for each in move_all(store, 0)]
    assert 1 == len(list(store.archive.names()))


@pytest.mark.soak
def test_copies_are_limited_in_size_and_the_least_recently_read_are_dropped(opened, monkeypatch):
    monkeypatch.setattr("service.store.redis.archive.LEAVES", 0)
    store = opened()
    store.archive._room = 150_000
    games = [brought(store, file)[0] for file in RECORDINGS if file.stem.startswith("battalia-2")]
    for game in games:
        assert "moved" == move(store, game).word
        store.archive.forget(game)
    sizes = []
    for game in games:
        assert store.lobbies.get(game) is not None
        sizes.append(sum(int(each.split()[1]) for each in store.wire.one("ZRANGE", keys.COPIES, 0, -1)))
    here = [game for game in games if store.wire.one("EXISTS", store.keys.game(game).meta)]
    assert max(sizes) <= 150_000 and 0 < len(here) < len(games)
    assert here == games[-len(here) :]


@pytest.mark.soak
def test_archived_game_leaves_a_row_of_less_than_300_bytes(opened):
    store = opened()
    shared = [file for file in RECORDINGS if file.stem.startswith("battalia-2")]
    games = [brought(store, file)[0] for file in shared]
    owners = store.wire.one("MEMORY", "USAGE", keys.player_games("imported"), "SAMPLES", 0)
    for game in games:
        assert "moved" == move(store, game).word
        store.archive.forget(game)
    rows, lists = 0, 0
    for name in store.wire.one("KEYS", "*"):
        used = store.wire.one("MEMORY", "USAGE", name, "SAMPLES", 0)
        if name.endswith(b"}archive"):
            rows += used
        elif b"}games:" in name:
            lists += used
    assert rows / len(games) < 300, (rows / len(games), lists / len(games), owners)


@pytest.mark.soak
def test_bucket_stores_games_like_a_folder(opened, monkeypatch):
    with bucket() as (url, environ, process):
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        store = opened(url)
        games = dict(brought(store, file) for file in RECORDINGS[:3])
        assert {"moved": 3} == Counter(each.word for each in move_all(store, 0))
        for game, export in games.items():
            store.archive.forget(game)
            assert export == exported(opened(url), game)
            store.archive.forget(game)
        assert set(games) == {lobby.id for lobby in opened(url).lobbies.page()[0]}
        process.kill()
        process.wait()
        with pytest.raises(ArchiveDown, match="does not answer"):
            opened(url).lobbies.get(next(iter(games)))


def test_keys_of_a_copy_expire_together_and_reading_it_extends_them(opened, monkeypatch):
    monkeypatch.setattr("service.store.redis.archive.STAYS", 400_000)
    store = opened()
    game, _ = brought(store, SHORT)
    assert "moved" == move(store, game).word
    store.archive.forget(game)
    store.lobbies.get(game)
    rows = load_current_rows(store, Positions(store), game, (1, 2))
    store.views.rewrite(game, rows, watched=True)
    whole = [name for name in store.keys.whole(game) if store.wire.one("EXISTS", name)]
    assert store.keys.game(game).views in whole
    assert 1 == len({store.wire.one("PEXPIRETIME", name) for name in whole}), "all of it at one instant"
    for name in whole:
        store.wire.one("PEXPIRE", name, 60_000)
    other = opened()
    assert other.lobbies.get(game) is not None
    assert all(store.wire.one("PTTL", name) > 300_000 for name in whole), "whoever reads it keeps it"


def test_reader_of_a_deleted_object_finds_the_restored_game(opened):
    store, other = opened(), opened()
    game, export = brought(store, SHORT)
    assert "moved" == move(store, game).word
    store.archive.forget(game)
    objects = other.archive._objects
    got = objects.get

    def meanwhile(name):
        objects.get = got
        store.notes.put(game, "words", "a", b"one")
        return got(name)

    objects.get = meanwhile
    assert other.lobbies.get(game) is not None
    assert export == exported(other, game)


def test_unknown_game_is_not_found_and_no_object_is_read(opened, monkeypatch):
    store, read = opened(), []
    monkeypatch.setattr(store.archive._objects, "get", read.append)
    assert None is store.lobbies.get("nothing")
    assert None is store.log.outcome("nothing", "c1")
    assert (0, "") == store.log.head("nothing")
    assert {} == store.notes.all("nothing", "words")
    assert [] == read


def test_index_accepts_only_the_object_whose_move_has_begun(opened):
    store = opened()
    game, export = brought(store, SHORT)
    held = store.archive.look(game).held
    begun, other = (archive_object.name_of(archive_object.written(game, held, export)) for _ in range(2))
    assert "another" == store.archive.swap(game, begun, held)
    assert "ok" == store.archive.begin(game, begun)
    assert "another" == store.archive.swap(game, other, held)
    assert "another" == store.archive.drop(game, other)
    assert {game: begun} == store.archive.moving() and {} == dict(store.archive.index())
    assert 1 == store.wire.one("EXISTS", store.keys.game(game).meta)


def test_copy_is_made_only_of_the_object_in_the_index(opened):
    store, other = opened(), opened()
    game, _ = brought(store, SHORT)
    assert "moved" == move(store, game).word
    store.archive.forget(game)
    objects = other.archive._objects
    got, first = objects.get, dict(store.archive.index())[game]

    def meanwhile(name):
        objects.get = got
        data = got(name)
        store.notes.put(game, "words", "a", b"one")
        assert "moved" == move(store, game).word
        store.archive.forget(game)
        return data

    objects.get = meanwhile
    assert other.lobbies.get(game) is not None
    second = dict(store.archive.index())[game]
    assert first != second == store.wire.one("HGET", store.keys.game(game).meta, "archived")
    assert {"a": b"one"} == other.notes.all(game, "words")


def test_game_with_an_invalid_newest_signature_is_not_moved(opened):
    store = opened()
    tables = Tables(store)
    game = tables.start("bot:greedy", "bot:random")
    settle(store, Advance.in_process(store))
    meta = store.keys.game(game).meta
    sealed = bytearray(store.wire.one("HGET", meta, "sealed"))
    sealed[40] ^= 1
    store.wire.one("HSET", meta, "sealed", bytes(sealed))
    assert "does not pass the audit" in move(store, game).word
    sealed[40] ^= 1
    store.wire.one("HSET", meta, "sealed", bytes(sealed))
    assert "moved" == move(store, game).word
