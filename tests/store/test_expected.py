"""The outcome of a command is sent to the client that waits for it and to no other, on a server and in a cluster."""

from __future__ import annotations

from dataclasses import replace

import pytest
import redis

from service.store.ports.waiting import TELL, waiting_for
from service.store.redis.store import open_store
from service.store.shared import lists
from tests.store.pump import Worker, command, started, submit


@pytest.fixture
def game(store):
    return started(store)


def settled(store, game, **changed):
    """Settle the pending commands as a worker that reports outcomes does, unless `changed` says otherwise."""
    worker = Worker(store, game)
    (work,) = store.claims.work([game])
    for entry, document in work.pending:
        append = replace(worker.append_of(entry, document), **{"tell": waiting_for(document), **changed})
        assert [None] == list(store.log.append([append]))


def waiting(store, game, *ids):
    expected = store.news.expect(game, ids)
    while expected.wait(0.05):
        pass
    return expected


def test_waiting_client_gets_the_commit_as_it_is_in_the_log(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    assert not expected.wait(0.05)
    assert expected.came() is None
    settled(store, game)

    assert expected.wait(2)
    assert [store.log.outcome(game, "s1")] == list(expected.came())
    assert b"" != expected.came()[0].body


def test_reply_channel_is_not_in_the_commit(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    settled(store, game)

    assert expected.channel.encode() not in store.log.outcome(game, "s1").body


def test_waiting_client_is_not_woken_by_the_outcome_of_another_command(store, game):
    mine, other = waiting(store, game, "s2"), waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: other.channel})
    settled(store, game)

    assert other.wait(2)
    assert not mine.wait(0.1)
    assert mine.came() is None


def test_waiting_client_is_not_woken_by_other_commits_of_the_game(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, command("other", 2, pennies=1))
    settled(store, game)

    assert not expected.wait(0.1)


def test_news_without_an_outcome_wakes_the_waiting_client_with_no_result(redis_store):
    game = started(redis_store)
    expected = waiting(redis_store, game, "s1")
    submit(redis_store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    redis_store.wire.one("PUBLISH", "oraclewheel:news", f"{game} 2")

    assert expected.wait(2)
    assert expected.came() is None


def test_client_that_heeds_news_is_woken_by_a_reply_sent_to_another(store, game):
    first, again, deaf = (waiting(store, game, "s1") for _ in range(3))
    again.heed_news()
    submit(store, game, {**command("s1", 1, pennies=1), TELL: "somebody else's"})
    settled(store, game)

    assert again.wait(2)
    assert again.came() is None
    assert not first.wait(0.1)
    assert not deaf.wait(0.1)


def test_closed_waiter_gets_nothing(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    expected.close()
    expected.close()
    settled(store, game)

    assert not expected.wait(0.1)


def test_command_list_is_reported_when_nothing_follows(store, game):
    ids = [lists.place_id("l1", place) for place in range(3)]
    expected = waiting(store, game, *ids)
    for place in range(2):
        submit(store, game, {**command(ids[place], 1 + place, pennies=1), TELL: expected.channel})
        follows = None if place else command("later", 1, pennies=1)
        settled(store, game, follows=follows)
        if follows is not None:
            assert not expected.wait(0.1)
            assert expected.came() is None
            settled(store, game, tell="")

    assert expected.wait(2)
    assert [store.log.outcome(game, id_).seq for id_ in ids[:2]] == [commit.seq for commit in expected.came()]


def test_command_list_with_a_lost_outcome_wakes_with_no_result(store, game):
    ids = [lists.place_id("l1", place) for place in range(2)]
    expected = waiting(store, game, *ids)
    for place in range(2):
        submit(store, game, {**command(ids[place], 1 + place, pennies=1), TELL: expected.channel if place else ""})
        settled(store, game)

    assert expected.wait(2)
    assert expected.came() is None


def test_commit_is_not_sent_over_the_shared_news_channel(redis_store, redis_url):
    game, client = started(redis_store), redis.Redis.from_url(redis_url)
    spy = client.pubsub()
    spy.subscribe("oraclewheel:news")
    assert spy.get_message(timeout=2)
    other = open_store(redis_url)
    elsewhere = waiting(other, game, "s1")
    expected = waiting(redis_store, game, "s1")
    assert elsewhere.channel != expected.channel
    submit(redis_store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    settled(redis_store, game)

    assert expected.wait(2)
    assert f"{game} 2 told".encode() == spy.get_message(timeout=2)["data"]
    assert spy.get_message(timeout=0.2) is None
    assert elsewhere.came() is None
    other.close()
    client.close()
