"""`submit` returns whether to wake a worker, and a sweep finds games whose wake was lost."""

from __future__ import annotations

import time

import pytest

from tests.store.pump import Worker, command, outcome, pump, started, submit


@pytest.fixture
def game(redis_store):
    return started(redis_store)


def hide(name, seat=1):
    return command(name, seat, pennies=1)


def told(receipt):
    return receipt.status, receipt.wake


def census(store):
    counted = store.schedule.census()
    return counted["ready"], counted["claimed"]


def test_the_first_command_of_an_idle_game_wakes_a_worker(redis_store, game):
    assert ("accepted", True) == told(submit(redis_store, game, hide("s1")))
    assert ("accepted", False) == told(submit(redis_store, game, hide("s2", 2)))
    assert ("known", True) == told(submit(redis_store, game, hide("s1"))), "the first wake may be lost"
    pump(redis_store, game)
    assert ("known", False) == told(submit(redis_store, game, hide("s1")))


def test_refused_submission_wakes_no_worker(redis_store, game):
    assert ("stale", False) == told(submit(redis_store, game, {**hide("s1"), "expected": 77}))


def test_submission_to_a_claimed_game_wakes_no_worker(redis_store, game):
    submit(redis_store, game, hide("s1"))
    redis_store.claims.claim([redis_store.schedule.partition(game)], 1, 3000)
    Worker(redis_store, game).step()
    assert not submit(redis_store, game, hide("s2", 2)).wake


def test_a_sweep_finds_a_game_whose_wake_was_lost_within_half_a_second(redis_store, game):
    submit(redis_store, game, hide("s1"))
    partition = redis_store.schedule.partition(game)
    assert 0 == redis_store.schedule.sweep(partition)
    time.sleep(0.4)
    assert 1 == redis_store.schedule.sweep(partition)
    (work,) = redis_store.claims.claim([partition], 1, 3000)
    assert 1 == work.claims


@pytest.mark.parametrize("wrong", ["commands", "ready"])
def test_a_key_of_another_type_leaves_the_submission_unknown(redis_store, game, wrong):
    partition = redis_store.keys.partition(game)
    name = partition.ready if wrong == "ready" else redis_store.keys.game(game).commands
    redis_store.wire.one("SET", name, "garbage")
    with pytest.raises(Exception, match=r"WRONGTYPE|cannot be read"):
        submit(redis_store, game, hide("s1"))
    redis_store.wire.one("DEL", name)
    assert outcome(redis_store, game, "s1") is None
    assert (0, 0) == census(redis_store)
    assert "accepted" == submit(redis_store, game, hide("s1")).status


def test_claim_of_more_partitions_than_games_raises_an_error(redis_store):
    with pytest.raises(ValueError, match="3 partitions for 2 games"):
        redis_store.claims.claim(range(3), 2, 3000)
