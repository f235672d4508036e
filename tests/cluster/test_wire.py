"""A cluster behind one connection object: every command is answered once, in order, or fails, even while slots move."""

from __future__ import annotations

import threading
import time

import pytest

from domain.registry import GAMES
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.cluster.client import open_client, slot_of
from service.store.redis.probe import reach, warnings
from service.store.redis.store import open_store
from tests.cluster.servers import eventually
from tests.cluster.test_scripts import SCRIPTS
from tests.pennies import PENNIES
from tests.store.pump import command, outcome, pump, started, submit


def test_replies_have_the_order_of_the_commands_across_nodes(cluster_store):
    wire = cluster_store.wire
    names = [f"name{number}" for number in range(300)]

    wire.all([("SET", name, name) for name in names])

    assert [name.encode() for name in names] == wire.all([("GET", name) for name in names])
    assert 3 == len({wire.line_of(name) for name in names})
    assert 3 == len(wire.servers())
    assert {name.encode() for name in names} == set(wire.scan("name*"))


def test_error_of_one_command_does_not_affect_the_others(cluster_store):
    wire = cluster_store.wire
    wire.one("SET", "text", "x")
    text, wrong, other = wire.many([("GET", "text"), ("HGET", "text", "field"), ("GET", "nothing")])

    assert (b"x", None) == (text, other)
    assert "WRONGTYPE" in str(wrong)


def test_missing_script_is_loaded_into_a_node(cluster, cluster_store):
    games = [started(cluster_store) for _ in range(12)]
    assert 3 == len({cluster_store.wire.line_of(cluster_store.keys.game(game).meta) for game in games})
    for server in cluster.primaries():
        server.client().script_flush()
    for game in games:
        assert "accepted" == submit(cluster_store, game, command("s1", 1, pennies=1)).status
    assert all(2 == pump(cluster_store, game).position.seq for game in games)


def test_moved_slot_is_found_by_following_the_redirect(cluster, cluster_store):
    game = started(cluster_store)
    meta = cluster_store.keys.game(game).meta
    before = cluster.primary_of(meta)
    cluster_store.log.head(game)

    there = cluster.move(meta)

    assert before is not there
    assert "accepted" == submit(cluster_store, game, command("s1", 1, pennies=1)).status
    assert f"127.0.0.1:{there.port}" in cluster_store.wire.line_of(meta).url
    assert 2 == pump(cluster_store, game).position.seq


@pytest.mark.soak
def test_keys_of_a_slot_that_is_being_moved_are_found(cluster, cluster_store, monkeypatch):
    wire = cluster_store.wire
    here = cluster.primary_of("{on}a")
    there = next(server for server in cluster.primaries() if server is not here)
    slot = slot_of("{on}a")
    wire.all([("SET", "{on}a", 1), ("SET", "{on}b", 2)])
    there.client().execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.id_of(here))
    here.client().execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.id_of(there))
    try:
        here.client().execute_command("MIGRATE", "127.0.0.1", there.port, "{on}a", 0, 5000)

        assert [b"1", b"2", None] == wire.all([("GET", "{on}a"), ("GET", "{on}b"), ("GET", "{on}c")])
        began = time.monotonic()
        with pytest.raises(StoreDown):
            wire.one("EXISTS", "{on}a", "{on}b")  # one key is on each node, permanently
        assert 1 < time.monotonic() - began < 20, "it was tried for a while, and not for ever"

        # Do not fail if a busy machine moves the slot slowly.
        monkeypatch.setattr("service.store.redis.cluster.client.PATIENCE", 60.0)
        threading.Timer(0.3, cluster.move, ("{on}b", there)).start()
        assert 2 == wire.one("EXISTS", "{on}a", "{on}b")
    finally:
        eventually(lambda: cluster.primary_of("{on}a") is there)


@pytest.mark.soak
def test_games_continue_while_their_slots_move(cluster, cluster_store):
    games = [started(cluster_store, options={"points": 10_000}) for _ in range(4)]
    other, ended, faults = open_store(cluster.url), threading.Event(), []

    def play(game):
        try:
            for turn in range(12):
                for seat in (1, 2):
                    assert submit(other, game, command(f"{turn}-{seat}", seat, pennies=1)).status in (
                        "accepted",
                        "known",
                    )
                pump(cluster_store, game)
        except Exception as error:  # noqa: BLE001 - any error is reported below
            faults.append(error)

    threads = [threading.Thread(target=play, args=(game,)) for game in games]
    for thread in threads:
        thread.start()
    moved = 0
    while any(thread.is_alive() for thread in threads) or moved < 4:
        cluster.move(cluster_store.keys.game(games[moved % 4]).meta)
        moved += 1
    for thread in threads:
        thread.join()
    ended.set()

    assert [] == faults
    for game in games:
        cluster_store.log.must_be_whole(game)
        seqs = [outcome(cluster_store, game, f"{turn}-{seat}") for turn in range(12) for seat in (1, 2)]
        assert sorted(set(seqs)) == seqs, "each once, in the order in which they came"
    other.close()


def test_notifications_follow_a_moved_slot(cluster, cluster_store):
    game = started(cluster_store, options={"points": 10_000})
    heard = cluster_store.news.subscribe(game)
    for _ in range(3):
        cluster.move(cluster_store.keys.game(game).meta)
        cluster_store.log.head(game)  # the next command finds the new node
    while heard.wait(0.5):
        pass
    submit(cluster_store, game, command("9", 1, pennies=1))
    pump(cluster_store, game)
    assert heard.wait(20)


@pytest.mark.soak
def test_one_subscription_receives_notifications_from_every_node(cluster, cluster_store):
    games = [started(cluster_store) for _ in range(12)]
    assert 3 == len({cluster.primary_of(cluster_store.keys.game(game).meta) for game in games})
    subscribers = {game: cluster_store.news.subscribe(game) for game in games}
    for waiter in subscribers.values():
        while waiter.wait(0.2):
            pass

    for game in games:
        submit(cluster_store, game, command("s1", 1, pennies=1))
        pump(cluster_store, game)

    assert all(waiter.wait(20) for waiter in subscribers.values())


def test_notifications_continue_after_the_subscription_connection_is_lost(cluster, cluster_store):
    game = started(cluster_store)
    waiter = cluster_store.news.subscribe(game)
    while waiter.wait(0.2):
        pass
    for server in cluster.servers:
        server.client().execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    assert waiter.wait(20), "the subscriber is told that it may have missed something"
    while waiter.wait(0.5):
        pass

    submit(cluster_store, game, command("s1", 1, pennies=1))
    pump(cluster_store, game)

    assert waiter.wait(20)


def test_every_script_is_called_with_keys_of_one_slot(cluster_store, monkeypatch, tmp_path):
    """The contract tests of the store also run on this cluster; this test checks that no script is left out."""
    called = {}
    tried = RedisClient.tried

    def noted(self, script, each):
        for names, _ in each:
            called.setdefault(script.sha, set()).add(len({slot_of(name) for name in names}))
        return tried(self, script, each)

    monkeypatch.setattr(RedisClient, "tried", noted)
    from tests.cluster.all_calls import call_everything

    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    call_everything(cluster_store, tmp_path)

    wanted = {Script(script.stem).sha: {1} for script in SCRIPTS}
    assert wanted == called


def test_cluster_is_checked_and_warnings_are_reported(cluster):
    wire = reach(cluster.url, setting="ORACLEWHEEL_REDIS_URL")
    told = warnings(wire)
    wire.close()

    assert all(f"At 127.0.0.1:{server.port}: " in " ".join(told) for server in cluster.primaries())
    assert "accepts writes without them" in told[0]
    with pytest.raises(StoreUnusable, match=r"is a node of a cluster. Use redis\+cluster://"):
        reach(cluster.servers[0].url, setting="X")


def test_single_server_or_unreachable_node_is_not_accepted_as_a_cluster(redis_url, cluster, tmp_path):
    from tests.cluster.servers import free_port, running

    with running(tmp_path / "one") as server, pytest.raises(StoreUnusable, match="is not a cluster"):
        reach(f"redis+cluster://127.0.0.1:{server.port}", setting="X")
    with pytest.raises(StoreUnusable, match="does not answer"):
        reach(f"redis+cluster://127.0.0.1:{free_port()}", setting="X", patience=0.1)
    wire = open_client(f"redis+cluster://127.0.0.1:{free_port()},127.0.0.1:{cluster.servers[4].port}")
    assert 1 == wire.one("HSET", keys.STORE, "x", 1), "any of its nodes leads to all"
    wire.close()
