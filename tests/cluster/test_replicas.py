"""What is acknowledged is held by replicas: whatever a request has written or read, on every server that it spoke with."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from service.settings import BadSetting, Settings
from service.store.ports.errors import NotReplicated, StoreUnusable
from service.store.redis import keys
from service.store.redis.probe import reach, warnings
from service.store.redis.store import open_store
from tests.cluster.replicated import impatience
from tests.cluster.servers import WAITS_FOR_DISKS, eventually
from tests.store.pump import command, outcome, pump, started, submit


@pytest.fixture
def store(pair):
    store = open_store(pair.primary.url, replicas=1)
    yield store
    store.close()


def said(client, name):
    """How often a server has been told this."""
    return client.info("commandstats").get(f"cmdstat_{name}", {"calls": 0})["calls"]


def test_what_was_written_is_held_when_it_is_said_to_be(pair, store):
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


@pytest.mark.skipif(not WAITS_FOR_DISKS, reason="this server does not know what its replicas have on disk")
def test_replicas_have_it_on_disk_where_their_primary_does(pair, store):
    before = said(pair.primary.client(), "waitaof")
    written(store)
    assert before < said(pair.primary.client(), "waitaof")


@pytest.mark.parametrize(("flag", "usual"), [("appendonly", "yes"), ("appendfsync", "always")])
def test_replicas_have_it_in_memory_where_nobody_waits_for_a_disk(pair, flag, usual):
    client = pair.primary.client()
    client.config_set(flag, "no")
    try:
        with closing(open_store(pair.primary.url, replicas=1)) as store:
            before = said(client, "wait"), said(client, "waitaof")
            written(store)
            assert (before[0] + 1, before[1]) == (said(client, "wait"), said(client, "waitaof"))
    finally:
        client.config_set(flag, usual)
        eventually(lambda: client.info("persistence")["aof_rewrite_in_progress"] == 0)


def written(store):
    """Something was written, and is held."""
    with store.noting():
        store.places.hold("x", "me", 1, 5)
        store.hold()


def test_what_too_few_replicas_have_is_not_said_to_be_held_whoever_wrote_it(pair, store):
    game = started(store)
    where = " on disk" if WAITS_FOR_DISKS else ""
    few = f"0 of 1 replicas have it{where} after 0.1 seconds; 1 are connected"
    with pair.silent(), closing(open_store(pair.primary.url)) as worker:
        with pytest.raises(NotReplicated, match=few):
            written(store)
        submit(worker, game, command("s1", 1, pennies=1))
        pump(worker, game)
        with store.noting(), pytest.raises(NotReplicated, match=few):
            assert 2 == outcome(store, game, "s1"), "it is here, and of another connection's writing"
            store.hold()
    with store.noting():
        assert 2 == outcome(store, game, "s1")
        store.hold()
    written(store)


def test_what_was_written_before_a_fail_over_is_not_said_to_be_held_by_the_replicas_of_another_server(pair, store):
    with store.noting():
        store.places.hold("x", "me", 1, 5)
        before = store.spoken_with()
        pair.primary.client().execute_command(
            "DEBUG", "CHANGE-REPL-ID"
        )  # as if it were another one, that had its place
        with pytest.raises(NotReplicated, match="took its place") as error:
            store.hold()
        assert error.value.is_lost
    with store.noting():
        for name, why in ((before[0][0], "took its place"), ("redis://nowhere", "is there no more")):
            with pytest.raises(NotReplicated, match=why):
                store.hold([(name, before[0][1])])
    written(store)


def test_who_comes_while_others_wait_is_covered_by_the_next_wait(pair, store):
    game = started(store)
    client, here, failures = pair.primary.client(), pair.replica.client(), []
    before = said(client, "wait")

    def written_by(number):
        try:
            for turn in range(10):
                with store.noting():
                    store.places.hold(f"turn{turn}", f"{number}", 99, 600)
                    store.hold()
                    assert here.zscore(keys.places(f"turn{turn}"), f"{number}"), turn
        except Exception as error:  # noqa: BLE001 - it is told below
            failures.append(error)

    threads = [threading.Thread(target=written_by, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == failures
    assert said(client, "wait") - before < 160, "one wait is for all who had come before it"
    assert 1 == store.log.head(game)[0]


def test_where_no_replicas_are_wanted_nothing_is_asked_for_their_sake(pair):
    client = pair.primary.client()
    names = ("wait", "waitaof", "info", "config|get")
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
            assert 3 == len(store.spoken_with())
        for server in cluster.primaries():
            assert waited[server] + 1 == said(server.client(), "wait")
        cluster.move(store.keys.game(games[0]).meta)
        with store.noting():
            for game in games:
                submit(store, game, command("s2", 2, pennies=1))
            store.hold()
    with (
        closing(open_store(cluster.url, replicas=2)) as store,
        impatience(),
        pytest.raises(NotReplicated, match="of 2 replicas have it"),
    ):
        written(store)


def test_a_server_that_tells_nothing_of_its_replicas_is_no_place_for_games(pair):
    client = pair.primary.client()
    try:
        for forbidden in ("info", "wait", "waitaof") if WAITS_FOR_DISKS else ("info", "wait"):
            client.acl_setuser(
                "shy", enabled=True, nopass=True, commands=["+@all", f"-{forbidden}"], keys=["*"], channels=["*"]
            )
            with pytest.raises(StoreUnusable, match="is not to be asked what its replicas hold"):
                reach(f"redis://shy@127.0.0.1:{pair.primary.port}", setting="X", replicas=1)
    finally:
        client.acl_deluser("shy")


def test_too_few_replicas_are_warned_of(pair):
    def told(wanted):
        with closing(reach(pair.primary.url, setting="X", replicas=wanted)) as wire:
            return " ".join(warnings(wire))

    assert "replicas" not in told(1)
    assert "must be held by 2 replicas (ORACLEWHEEL_REPLICAS), and 1 are there" in told(2)
    assert "takes writes without them" in told(0)


def test_the_embedded_server_has_no_replicas():
    with pytest.raises(BadSetting, match="the embedded server has no replicas"):
        Settings.load({"ORACLEWHEEL_REPLICAS": "1"}, None)
    assert 1 == Settings.load({"ORACLEWHEEL_REPLICAS": "1", "ORACLEWHEEL_REDIS_URL": "redis://one"}, None).replicas
