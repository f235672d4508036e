"""A command that nothing else waits beside is handed to who listens, and need not be claimed."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from domain import RELEASE
from service.queue import GROUPS, groups_of, partitions_of
from service.store.codec import canonical, plain
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import Mark
from service.store.redis import keys
from service.store.redis.store import open_store
from tests.store.pump import Worker, command, outcome, pump, started, submit


@pytest.fixture
def game(redis_store):
    return started(redis_store)


@pytest.fixture
def inbox(redis_store):
    inbox = redis_store.log.inbox()
    inbox.listen(range(redis_store.partitions))
    yield inbox
    inbox.close()


def came(inbox, most=32, seconds=2.0):
    """What is handed over, awaited."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if works := inbox.taken(most):
            return works
        time.sleep(0.002)
    return ()


def hide(name, seat=1):
    return command(name, seat, pennies=1)


def census(store):
    told = store.log.census()
    return told["ready"], told["claimed"]


def test_what_is_handed_over_is_what_a_claim_would_hand_out(redis_store, game, inbox):
    receipt = submit(redis_store, game, hide("s1"))
    (work,) = came(inbox)
    (claimed,) = redis_store.log.claim([redis_store.log.partition(game)], 1, 3000)

    assert ("accepted", False) == (receipt.status, receipt.wake), "nobody has to be woken"
    assert claimed.pending == work.pending
    assert (game, 1, False, None) == (work.game_id, work.claims, work.garbled, work.mark)
    assert abs(work.at - claimed.at) < 5000


def test_where_nobody_listens_somebody_is_woken(redis_store, game):
    inbox = redis_store.log.inbox()
    inbox.listen({redis_store.log.partition(game)})
    inbox.listen({redis_store.log.partition(game) ^ 1})
    assert submit(redis_store, game, hide("s1")).wake
    pump(redis_store, game)
    inbox.listen({redis_store.log.partition(game)})
    inbox.listen(())
    assert submit(redis_store, game, hide("s2", 2)).wake
    inbox.close()
    with pytest.raises(StoreDown):
        inbox.taken(1)


def test_what_waits_beside_something_is_not_handed_over(redis_store, game, inbox):
    submit(redis_store, game, hide("s1"))
    came(inbox)
    assert not submit(redis_store, game, hide("s2", 2)).wake, "whoever has the first finds it"
    (work,) = redis_store.log.claim([redis_store.log.partition(game)], 1, 3000)
    assert ["s1", "s2"] == [document["id"] for _, document in work.pending]
    pump(redis_store, game)
    assert () == came(inbox, seconds=0.05)


def test_a_claimed_game_is_left_to_who_has_it(redis_store, game, inbox):
    submit(redis_store, game, hide("s1"))
    came(inbox)
    redis_store.log.claim([redis_store.log.partition(game)], 1, 3000)
    Worker(redis_store, game).step()
    assert not submit(redis_store, game, hide("s2", 2)).wake
    assert () == came(inbox, seconds=0.05)


def test_a_game_that_is_set_aside_is_not_handed_over(redis_store, game, inbox):
    redis_store.log.mark(game, Mark("quarantined", RELEASE, "for the test"))
    redis_store.log.release(game, 60_000)

    assert "quarantined" == submit(redis_store, game, hide("s1")).status
    assert "accepted" == submit(redis_store, game, command("due:1", 0, type="noop")).status
    assert () == came(inbox, seconds=0.05)
    assert outcome(redis_store, game, "s1") is None, "it may be sent again"


def test_its_commit_takes_the_game_out_of_those_that_are_ready(redis_store, game, inbox):
    submit(redis_store, game, hide("s1"))
    (work,) = came(inbox)
    assert (1, 0) == census(redis_store)
    worker = Worker(redis_store, game)
    assert [None] == list(redis_store.log.append([replace(worker.append_of(*work.pending[0]), done=True)]))
    assert (0, 0) == census(redis_store)
    assert [False] == list(redis_store.log.release_all([game]))
    assert 2 == outcome(redis_store, game, "s1")


def test_where_more_has_come_meanwhile_the_game_stays_ready(redis_store, game, inbox):
    submit(redis_store, game, hide("s1"))
    (work,) = came(inbox)
    submit(redis_store, game, hide("s2", 2))
    worker = Worker(redis_store, game)
    assert [None] == list(redis_store.log.append([replace(worker.append_of(*work.pending[0]), done=True)]))
    assert (1, 0) == census(redis_store)
    assert [True] == list(redis_store.log.release_all([game]))
    pump(redis_store, game)
    assert 3 <= outcome(redis_store, game, "s2")


def test_what_was_lost_on_its_way_is_found_by_a_sweep_a_second_later(redis_store, game, inbox):
    submit(redis_store, game, hide("s1"))
    came(inbox)
    partition = redis_store.log.partition(game)
    assert 0 == redis_store.log.sweep(partition)
    time.sleep(1.05)
    assert 1 == redis_store.log.sweep(partition)
    (work,) = redis_store.log.claim([partition], 1, 3000)
    assert 1 == work.claims


def test_who_sends_again_has_somebody_woken(redis_store, game, inbox):
    submit(redis_store, game, hide("s1"))
    came(inbox)
    again = submit(redis_store, game, hide("s1"))
    assert ("known", True) == (again.status, again.wake)


def test_another_database_of_the_same_server_is_another_store(redis_store, redis_url, game):
    other = open_store(f"{redis_url}?db=3")
    inbox = other.log.inbox()
    inbox.listen(range(64))
    assert submit(redis_store, game, hide("s1")).wake
    assert () == came(inbox, seconds=0.05)
    inbox.close()
    other.close()


def test_what_no_release_hands_over_is_left_out(redis_store, game, inbox):
    channel = redis_store.wire.channel(keys.HANDED, redis_store.log.partition(game))
    document = canonical(plain(hide("forged")))
    for garbage in (b"", b"1-1 5 %s {}", b"x", b'1-1 0 %s {"id":"a"}', b"1-1 " + b"9" * 5000 + b" %s " + document):
        redis_store.wire.one("PUBLISH", channel, garbage.replace(b"%s", game.encode()))
    submit(redis_store, game, hide("s1"))
    (work,) = came(inbox)
    assert "s1" == work.pending[0][1]["id"]


def test_more_than_is_wanted_stays_for_the_next_time(redis_store, inbox):
    games = [started(redis_store) for _ in range(5)]
    for each in games:
        submit(redis_store, each, hide("s1"))
    taken = []
    while len(taken) < 5:
        works = came(inbox, 2)
        assert 0 < len(works) <= 2
        taken += [work.game_id for work in works]
    assert games == taken


@pytest.mark.parametrize("wrong", ["commands", "ready"])
def test_where_something_of_another_type_stands_nothing_has_been_asked(redis_store, game, inbox, wrong):
    partition = redis_store.keys.partition(game)
    name = partition.ready if wrong == "ready" else redis_store.keys.game(game).commands
    redis_store.wire.one("SET", name, "garbage")
    with pytest.raises(Exception, match=r"WRONGTYPE|cannot be read"):
        submit(redis_store, game, hide("s1"))
    assert () == came(inbox, seconds=0.05)
    redis_store.wire.one("DEL", name)
    assert outcome(redis_store, game, "s1") is None
    assert (0, 0) == census(redis_store)
    assert "accepted" == submit(redis_store, game, hide("s1")).status


@pytest.mark.parametrize("slots", [1, 2, 3, 7, 16, 20, 40, 64])
def test_every_partition_is_handed_to_one_pump(slots):
    heard = [
        number for slot in range(slots) for number in partitions_of(slot, slots, groups_of(slot, slots), 4 * GROUPS)
    ]
    assert list(range(4 * GROUPS)) == sorted(heard)
