"""News messages are hints that a game has changed, on a server and in a cluster."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from service.ops.instance.embedded import answers
from service.store.redis import keys
from tests.store.pump import command, pump, started, submit


def test_subscriber_is_woken_only_by_its_own_game(store):
    game, other = started(store), started(store)
    mine, others, everything = (store.news.subscribe(name) for name in (game, other, "*"))
    for waiter in (mine, others, everything):
        while waiter.wait(0.05):
            pass
    submit(store, game, command("s1", 1, pennies=1))
    pump(store, game)

    assert mine.wait(2)
    assert everything.wait(2)
    assert not others.wait(0.05)


def test_subscriber_is_woken_while_waiting(store):
    game = started(store)
    waiter = store.news.subscribe(game)
    while waiter.wait(0.05):
        pass
    submit(store, game, command("s1", 1, pennies=1))
    later = threading.Timer(0.1, pump, (store, game))
    later.start()
    start = time.monotonic()

    assert waiter.wait(5)
    assert time.monotonic() - start < 3
    later.join()


def test_closed_subscriber_is_not_woken(store):
    game = started(store)
    waiter = store.news.subscribe(game)
    while waiter.wait(0.05):
        pass
    waiter.close()
    waiter.close()
    submit(store, game, command("s1", 1, pennies=1))
    pump(store, game)

    assert not waiter.wait(0.1)


def test_news_arrives_again_after_a_restart_of_the_server(redis_store, server):
    game = started(redis_store)
    waiter = redis_store.news.subscribe(game)
    told = []
    redis_store.news.on_revoked(told.append)
    os.kill(server.pid, signal.SIGKILL)
    until = time.monotonic() + 10
    while ("*" not in told or not answers(server.socket)) and time.monotonic() < until:
        time.sleep(0.02)
    assert "*" in told, "after a gap nobody is trusted on memory"
    while waiter.wait(0.1):
        pass
    submit(redis_store, game, command("s1", 1, pennies=1))
    pump(redis_store, game)

    assert waiter.wait(2)


GARBLED = [
    ("oraclewheel:news", b"\xff 1"),
    ("oraclewheel:revoked", b"\xff"),
    ("", b""),
    ("", b"0123456789abcdef."),
    ("", b"x" * 99),
]


@pytest.mark.parametrize(("channel", "message"), GARBLED)
def test_malformed_news_does_not_stop_later_news(redis_store, channel, message):
    game = started(redis_store)
    expected, waiter = redis_store.news.expect(game, ["s1"]), redis_store.news.subscribe(game)
    listener = redis_store.news._thread
    while waiter.wait(0.05):
        pass
    redis_store.wire.one("PUBLISH", channel or expected.channel, message)
    submit(redis_store, game, command("s1", 1, pennies=1))
    pump(redis_store, game)

    assert waiter.wait(2)
    assert listener.is_alive()


@pytest.mark.parametrize("told", [b"2 garbled", b"two \x78\x9c", b"2 "])
def test_malformed_outcome_wakes_the_waiting_client_with_no_result(redis_store, told):
    game = started(redis_store)
    expected = redis_store.news.expect(game, ["s1"])
    redis_store.wire.one("PUBLISH", expected.channel, keys.id_field(game, "s1").ljust(16, b" ") + b"." + told)

    while not expected.wait(2):
        pytest.fail("nobody was told")
    assert expected.came() is None
