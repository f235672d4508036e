"""Acknowledged writes and reads are replicated, on every server that a request used."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from service.ops.settings import BadSetting, Settings
from service.store.ports.errors import NotReplicated, StoreDown, StoreUnusable
from service.store.redis import replication
from service.store.redis.client import RedisClient
from service.store.redis.probe import reach, warnings
from service.store.redis.store import open_store
from tests.cluster.replicated import impatience
from tests.store.pump import command, outcome, pump, started, submit


@pytest.fixture
def store(pair):
    store = open_store(pair.primary.url, replicas=1)
    yield store
    store.close()


def said(client, name):
    """Return how often a server has executed this command."""
    return client.info("commandstats").get(f"cmdstat_{name}", {"calls": 0})["calls"]


def test_acknowledged_write_is_on_the_replica(pair, store):
    game = started(store)
    for number in range(20):
        with store.noting():
            submit(store, game, command(f"s{number}", 1 + number % 2, pennies=1))
            pump(store, game)
            store.hold()
        name = store.keys.game(game).commits
        assert pair.replica.client().xlen(name) == pair.primary.client().xlen(name)
    (held,) = pair.primary.client().scan_iter("*oraclewheel:held", count=1000)
    assert 0 < pair.primary.client().ttl(held) <= 3600, "what is written to be waited for goes by itself"


def written(store):
    """Write something and wait for the replicas."""
    with store.noting():
        store.places.hold("x", "me", 1, 5)
        store.hold()


def test_unreplicated_write_of_any_client_raises_not_replicated(pair, store):
    game = started(store)
    few = "0 of 1 replicas have the write after 0.1 seconds"
    with pair.silent(), closing(open_store(pair.primary.url)) as worker:
        with pytest.raises(NotReplicated, match=few):
            written(store)
        submit(worker, game, command("s1", 1, pennies=1))
        pump(worker, game)
        with store.noting(), pytest.raises(NotReplicated, match=few):
            outcome(store, game, "s1")  # committed by another connection
            store.hold()
    with store.noting():
        assert 2 == outcome(store, game, "s1")
        store.hold()
    written(store)


def test_a_request_waits_for_missing_replicas_once(pair, store):
    with pair.silent(), store.noting():
        store.places.hold("x", "me", 1, 5)
        before = said(pair.primary.client(), "wait")
        store.places.hold("x", "me", 1, 5)
        assert before == said(pair.primary.client(), "wait")
        with pytest.raises(NotReplicated):
            store.hold()


def test_write_to_a_server_that_became_a_replica_is_not_acknowledged(own_pair):
    with closing(open_store(own_pair.primary.url, replicas=1)) as store:
        written(store)
        own_pair.replica.client().replicaof("NO", "ONE")
        own_pair.primary.client().replicaof("127.0.0.1", own_pair.replica.port)
        with store.noting(), pytest.raises((NotReplicated, StoreDown)):
            store.places.hold("y", "me", 1, 5)
            store.hold()


def test_reads_are_answered_while_many_writes_wait_for_replicas(pair):
    with closing(RedisClient(pair.primary.url, connections=2, replicas=1)) as wire, pair.silent():
        failures = []

        def write():
            with replication.required():
                try:
                    wire.one("SET", "x", "y")
                    replication.check()
                except NotReplicated as error:
                    failures.append(error)

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            assert b"PONG" == wire.one("PING")
        for thread in threads:
            thread.join()
        assert 4 == len(failures)


def test_no_extra_commands_are_sent_if_no_replicas_are_required(pair):
    client = pair.primary.client()
    names = ("wait", "set", "info", "config|get")
    with closing(open_store(pair.primary.url)) as store:
        game, before = started(store), [said(client, name) for name in names]
        with store.noting():
            submit(store, game, command("s1", 1, pennies=1))
            store.hold()
    told = [said(client, name) for name in names]
    assert [0, 0, len(names), 0] == [after - earlier for after, earlier in zip(told, before, strict=True)]


def test_each_node_of_a_cluster_waits_for_its_own_replicas(cluster):
    with closing(open_store(cluster.url, replicas=1)) as store:
        games = [started(store) for _ in range(12)]
        waited = {server: said(server.client(), "wait") for server in cluster.primaries()}
        with store.noting():
            for game in games:
                submit(store, game, command("s1", 1, pennies=1))
            store.hold()
        for server in cluster.primaries():
            assert waited[server] < said(server.client(), "wait")
        cluster.move(store.keys.game(games[0]).meta)
        with store.noting():
            for game in games:
                submit(store, game, command("s2", 2, pennies=1))
            store.hold()
    with (
        closing(open_store(cluster.url, replicas=2)) as store,
        impatience(),
        pytest.raises(NotReplicated, match="of 2 replicas have the write"),
    ):
        written(store)


def test_server_that_hides_its_replicas_is_refused(pair):
    client = pair.primary.client()
    try:
        for forbidden in ("info", "wait"):
            client.acl_setuser(
                "shy", enabled=True, nopass=True, commands=["+@all", f"-{forbidden}"], keys=["*"], channels=["*"]
            )
            with pytest.raises(StoreUnusable, match="does not report on its replicas"):
                reach(f"redis://shy@127.0.0.1:{pair.primary.port}", setting="X", replicas=1)
    finally:
        client.acl_deluser("shy")


def test_too_few_replicas_cause_a_warning(pair):
    def told(wanted):
        with closing(reach(pair.primary.url, setting="X", replicas=wanted)) as wire:
            return " ".join(warnings(wire))

    assert "replicas" not in told(1)
    assert "must reach 2 replicas (ORACLEWHEEL_REPLICAS), but only 1 are online" in told(2)
    assert "accepts writes without them" in told(0)


def test_embedded_server_rejects_the_replicas_setting():
    with pytest.raises(BadSetting, match="the embedded server has no replicas"):
        Settings.load({"ORACLEWHEEL_REPLICAS": "1"}, None)
    assert 1 == Settings.load({"ORACLEWHEEL_REPLICAS": "1", "ORACLEWHEEL_REDIS_URL": "redis://one"}, None).replicas
