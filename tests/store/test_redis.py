"""Tests that need a real server: slots, forgotten scripts, partitions, an unavailable server."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from domain.kernel.record import Position
from domain.table.folding import fold
from service.ops.instance.embedded import EmbeddedServer, answers
from service.ops.instance.server_binary import find_binary
from service.store.codec import canonical, decode_commit
from service.store.ports.errors import StoreDown
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.cluster.client import open_client
from service.store.redis.probe import WrongPartitions
from service.store.redis.store import open_store
from service.store.upkeep.repair import repair
from tests.pennies import PENNIES
from tests.store.pump import claim_games, command, of_bots, opened, outcome, pump, started, submit
from tests.store.test_append import finish
from tests.store.test_due import timed


@pytest.fixture
def cluster_url():
    """A server in cluster mode, which refuses any call that touches more than one slot."""
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        socket = Path(folder) / "s"
        free = _free_port()
        flags = {"port": str(free), "cluster-port": str(free + 1), "bind": "127.0.0.1", "unixsocket": str(socket)}
        flags |= {"dir": folder, "cluster-enabled": "yes", "save": "", "logfile": str(Path(folder) / "log")}
        arguments = [part for name, value in flags.items() for part in (f"--{name}", value)]
        process = subprocess.Popen([find_binary(), *arguments], stdout=subprocess.DEVNULL)
        try:
            wire = _wire_once_up(socket, process)
            wire.one("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            while b"cluster_state:ok" not in wire.one("CLUSTER", "INFO"):
                time.sleep(0.02)
            wire.close()
            yield f"unix://{socket}"
        finally:
            process.terminate()
            process.wait()


def _free_port():
    import socket

    while True:
        with socket.socket() as one, socket.socket() as next_:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                next_.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def _wire_once_up(socket, process):
    for _ in range(500):
        assert process.poll() is None
        if answers(socket):
            return RedisClient(f"unix://{socket}")
        time.sleep(0.01)
    raise AssertionError("the cluster node does not answer")


def test_every_call_stays_within_one_slot(cluster_url):
    store = open_store(cluster_url)
    game = opened(store, "ann", None, None).id
    seat = store.lobbies.join(game, "bob", "00", None)
    store.lobbies.leave(game, "bob", seat)
    store.lobbies.seat_bot(game, "ann", "greedy")
    store.lobbies.join(game, "bob", "00", None)
    store.lobbies.add_entropy(game, "bob", 3, "ff")
    store.lobbies.new_invitation(game, "ann", "x")
    store.lobbies.start(game, "ann", "begin")
    pump(store, game)
    late = timed(store, 20)
    finish(store, started(store))
    time.sleep(0.04)
    assert store.schedule.put_off(late, "1:0:1", 60_000).status == "accepted"
    for number in range(256):
        store.schedule.sweep(number)
    assert outcome(store, late, f"due:{late}:1:0:2") == "pending"
    for batch in iter(lambda: claim_games(store, range(256), 32, 1000), []):
        for claimed in batch:
            pump(store, claimed)
    assert store.views.rewrite(game, store.views.rows(game, [1, 2, 3]))
    assert store.log.seq_at(game, store.schedule.now()) == store.log.head(game)[0]
    assert store.schedule.lock("l", 100)
    assert store.accounts.allow("b", 1, 1)[0]
    assert store.schedule.beat("x") is None
    assert repair(store, write=True)["games"] == 3
    assert len(store.lobbies.page(player_id="ann")[0]) == 3
    store.close()


def test_script_that_the_server_has_forgotten_is_loaded_again(redis_store):
    games = [started(redis_store) for _ in range(3)]
    for game in games:
        submit(redis_store, game, command("s1", 1, pennies=1))
    redis_store.wire.one("SCRIPT", "FLUSH")
    for game in games:
        assert pump(redis_store, game).position.seq == 2
    redis_store.wire.one("SCRIPT", "FLUSH")
    assert len(claim_games(redis_store, range(256), 10, 1000)) == 0
    assert submit(redis_store, games[0], command("s2", 2, pennies=1)).status == "accepted"


def test_script_name_contains_the_hash_of_its_text(redis_store):
    script = Script("append")
    started(redis_store)

    assert redis_store.wire.one("SCRIPT", "EXISTS", script.sha) == [1]
    assert script.name == f"append-{script.sha[:12]}"


def test_store_with_another_number_of_partitions_is_refused_and_unchanged(redis_url):
    with closing(open_client(redis_url)) as wire:
        for found in ("64", "64>256", "rubbish"):
            wire.one("SET", keys.PARTITIONS, found)
            with pytest.raises(WrongPartitions, match=f"has {found} partitions.*only 256.*0.3.0.*partitions 256"):
                open_store(redis_url)
            assert found.encode() == wire.one("GET", keys.PARTITIONS)


def test_new_store_has_256_partitions(redis_store):
    assert b"256" == redis_store.wire.one("GET", keys.PARTITIONS)
    assert 256 == redis_store.partitions == len(redis_store.keys.partitions)


def test_keys_carry_the_hash_tag_of_their_partition(redis_store):
    game = timed(redis_store, 60_000)
    submit(redis_store, game, command("s1", 1, pennies=1))
    number = redis_store.schedule.partition(game)
    names = {name.decode() for name in redis_store.wire.one("KEYS", "*")}

    for part in ("meta", "commands", "commits", "ids", "views"):
        assert f"{{p{number}}}g:{game}:{part}" in names
    assert {f"{{p{number}}}ready", f"{{p{number}}}due"} <= names


def test_two_processes_share_one_lock(redis_store, server):
    other = open_store(server.url)
    assert redis_store.schedule.lock("sweeper", 60)
    assert redis_store.schedule.lock("sweeper", 60), "one's own is prolonged"
    assert not other.schedule.lock("sweeper", 60)
    time.sleep(0.08)
    assert other.schedule.lock("sweeper", 60)
    assert not redis_store.schedule.lock("sweeper", 60)
    other.close()


def test_unavailable_store_raises_store_down_and_recovers():
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        embedded = EmbeddedServer(Path(folder), fsync="no")
        store = open_store(embedded.start())
        game = started(store)
        assert store.ready()
        embedded.stop()

        assert not store.ready()
        for call in (lambda: submit(store, game, command("s1", 1, pennies=1)), lambda: store.views.rows(game)):
            with pytest.raises(StoreDown):
                call()
        again = EmbeddedServer(Path(folder), fsync="no")
        again.start()
        assert store.ready()
        assert submit(store, game, command("s1", 1, pennies=1)).status == "accepted"
        store.close()
        again.stop()


def test_a_store_that_cannot_write_is_not_ready(redis_store):
    game = started(redis_store)
    redis_store.wire.one("CONFIG", "SET", "maxmemory", 1)
    try:
        assert not redis_store.ready()
        with pytest.raises(StoreDown):
            submit(redis_store, game, command("s1", 1, pennies=1))
    finally:
        redis_store.wire.one("CONFIG", "SET", "maxmemory", 0)
    assert redis_store.ready()


def test_many_threads_share_a_store(redis_store):
    games = [started(redis_store, options={"points": 100_000}) for _ in range(4)]
    faults = []

    def play(number):
        for turn in range(15):
            for game in games:
                answer = submit(redis_store, game, command(f"{number}-{turn}", 1 + number % 2, pennies=1))
                if answer.status != "accepted":
                    faults.append(answer)

    threads = [threading.Thread(target=play, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    for game in games:
        pump(redis_store, game)
        assert all(type(outcome(redis_store, game, f"{n}-{t}")) is int for n in range(6) for t in range(15))


def test_caller_without_a_free_connection_waits_and_no_connection_is_lost(server):
    wire = RedisClient(server.url, connections=2)
    heard, faults = [], []

    def ask(who):
        for turn in range(20):
            try:
                heard.append(wire.one("ECHO", f"{who}-{turn}") == f"{who}-{turn}".encode())
            except StoreDown as error:
                faults.append(error)

    for _ in range(3):
        threads = [threading.Thread(target=ask, args=(who,)) for who in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (heard.count(True), faults) == (160, [])
        heard.clear()
    slow = threading.Thread(target=lambda: [wire.many([("BLPOP", "nothing", 0.3)]) for _ in range(2)])
    slow.start()
    for _ in range(4):  # more often than there are connections: a dropped connection makes room for the next
        with pytest.raises(StoreDown):
            wire.many([("QUIT",), ("PING",)])
    slow.join()
    assert wire.one("PING") == b"PONG"
    wire.close()


def test_a_reader_never_sees_rows_of_two_commits(redis_store):
    game = of_bots(redis_store, 2, 5)
    ended = threading.Event()
    read_rows = []

    def read():
        while not ended.is_set():
            read_rows.append(redis_store.views.rows(game, [1, 2]))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    pump(redis_store, game, until=400)
    ended.set()
    for reader in readers:
        reader.join()

    assert len({rows.seq for rows in read_rows}) > 5
    position, truth = Position(), {}
    for stored in redis_store.log.commits(game):
        commit = decode_commit(PENNIES, stored.seq, stored.at, stored.release, orjson.loads(stored.body))
        position = fold(PENNIES, position, commit)
        told = [
            PENNIES.knowledge.view(position.state),
            *(PENNIES.knowledge.private(position.state, seat) for seat in (1, 2)),
        ]
        truth[stored.seq] = (stored.head, position.seen, *map(canonical, told))
    for rows in read_rows:
        assert truth[rows.seq] == (rows.head, rows.seen, rows.public, rows.private[1], rows.private[2])


def test_forked_process_opens_its_own_connection(redis_store):
    mine = redis_store.wire.one("CLIENT", "ID")
    child = os.fork()
    if child == 0:
        os._exit(int(redis_store.wire.one("CLIENT", "ID") == mine))

    assert 0 == os.waitpid(child, 0)[1]
    assert mine == redis_store.wire.one("CLIENT", "ID")


def test_state_of_a_followed_game_is_read_before_its_permissions(redis_store, monkeypatch):
    """Otherwise a commit made after the permission check could be sent to a client that may not read it."""
    game = started(redis_store)
    many, asked = redis_store.wire.many, []
    monkeypatch.setattr(redis_store.wire, "many", lambda commands: asked.append(commands) or many(commands))

    stands = redis_store.followed(game, [("nobody", "token")])

    ((first, *_, last),) = asked
    assert ("seq", "head", "status") == tuple(first[2:])
    assert "chairs" in last
    assert (*redis_store.log.head(game), set()) == (stands.seq, stands.head, stands.held)
    assert stands.lobby == redis_store.lobbies.get(game)
