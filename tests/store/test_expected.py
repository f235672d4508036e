"""What a command comes to is told to who waits for it, on a server and in a cluster, and to nobody else."""

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
    """What waits is settled by a worker that tells, unless something else is said."""
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


def test_who_waits_is_told_the_commit_as_it_stands_in_the_log(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    assert not expected.wait(0.05)
    assert expected.came() is None
    settled(store, game)

    assert expected.wait(2)
    assert [store.log.outcome(game, "s1")] == list(expected.came())
    assert b"" != expected.came()[0].body


def test_where_it_is_waited_for_is_no_part_of_the_commit(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    settled(store, game)

    assert expected.channel.encode() not in store.log.outcome(game, "s1").body


def test_of_another_command_nobody_is_told(store, game):
    mine, other = waiting(store, game, "s2"), waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: other.channel})
    settled(store, game)

    assert other.wait(2)
    assert not mine.wait(0.1)
    assert mine.came() is None


def test_what_else_happens_in_the_game_wakes_nobody_who_waits_for_a_command(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, command("other", 2, pennies=1))
    settled(store, game)

    assert not expected.wait(0.1)


def test_a_worker_that_does_not_know_of_it_has_who_waits_look_it_up(redis_store):
    game = started(redis_store)
    expected = waiting(redis_store, game, "s1")
    submit(redis_store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    redis_store.wire.one("PUBLISH", "oraclewheel:news", f"{game} 2")

    assert expected.wait(2)
    assert expected.came() is None


def test_who_waits_for_what_another_is_told_heeds_the_news(store, game):
    first, again, deaf = (waiting(store, game, "s1") for _ in range(3))
    again.heed_news()
    submit(store, game, {**command("s1", 1, pennies=1), TELL: "somebody else's"})
    settled(store, game)

    assert again.wait(2)
    assert again.came() is None
    assert not first.wait(0.1)
    assert not deaf.wait(0.1)


def test_who_has_left_is_told_nothing(store, game):
    expected = waiting(store, game, "s1")
    submit(store, game, {**command("s1", 1, pennies=1), TELL: expected.channel})
    expected.close()
    expected.close()
    settled(store, game)

    assert not expected.wait(0.1)


def test_a_list_is_told_when_nothing_follows(store, game):
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


def test_a_list_of_which_something_was_lost_on_the_way_is_looked_up(store, game):
    ids = [lists.place_id("l1", place) for place in range(2)]
    expected = waiting(store, game, *ids)
    for place in range(2):
        submit(store, game, {**command(ids[place], 1 + place, pennies=1), TELL: expected.channel if place else ""})
        settled(store, game)

    assert expected.wait(2)
    assert expected.came() is None


def test_nothing_of_a_commit_goes_over_a_channel_that_others_hear(redis_store, redis_url):
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
