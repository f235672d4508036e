"""What `submit` answers, on a server and in a cluster."""

from __future__ import annotations

import pytest

from tests.store.pump import Worker, claim_games, command, opened, outcome, pump, started, submit


def test_a_command_is_accepted_once_and_known_afterwards(store):
    game = started(store)
    document = command("s1", 1, pennies=1)

    first = submit(store, game, document)
    again = submit(store, game, document)
    pump(store, game)
    settled = submit(store, game, document)

    assert ("accepted", None) == (first.status, first.seq)
    assert ("known", None) == (again.status, again.seq)
    assert ("known", 2) == (settled.status, settled.seq)
    assert store.log.head(game)[0] == 2


def test_the_same_id_with_another_body_is_a_conflict_for_ever(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))

    assert "conflict" == submit(store, game, command("s1", 1, pennies=2)).status
    pump(store, game)
    assert "conflict" == submit(store, game, command("s1", 1, pennies=2)).status
    assert store.log.head(game)[0] == 2


def test_a_retry_is_answered_before_anything_else_is_looked_at(store):
    game = started(store)
    document = command("s1", 1, pennies=1, expected=1)
    submit(store, game, document)
    pump(store, game)

    # By now the etag is stale, and the bucket of refusals may be empty.
    again = submit(store, game, document, refusals=0)
    assert ("known", 2) == (again.status, again.seq)


def test_an_if_match_that_does_not_hold_is_stale_and_says_where_the_seat_stands(store):
    game = started(store)

    receipt = submit(store, game, command("s1", 1, pennies=1, expected=7))

    assert ("stale", 1) == (receipt.status, receipt.seq)
    assert outcome(store, game, "s1") is None
    assert "accepted" == submit(store, game, command("s1", 1, pennies=1, expected=1)).status


def test_each_seat_has_an_etag_of_its_own(store):
    game = started(store)
    submit(store, game, command("bad", 2, pennies=99))
    pump(store, game)

    # The refusal of seat 2 showed nobody anything.
    assert "accepted" == submit(store, game, command("s1", 1, pennies=1, expected=1)).status


def test_what_waits_and_what_it_came_to_can_be_asked(store):
    game = started(store)
    assert outcome(store, game, "s1") is None
    submit(store, game, command("s1", 1, pennies=1))
    assert "pending" == outcome(store, game, "s1")
    pump(store, game)
    assert 2 == outcome(store, game, "s1")


@pytest.mark.parametrize("prepare", ["unknown-game", "not-started"])
def test_a_game_that_does_not_run_takes_nothing(store, prepare):
    game = "none" if prepare == "unknown-game" else opened(store, "ann", "bob").id

    assert prepare == submit(store, game, command("s1", 1, pennies=1)).status
    assert outcome(store, game, "s1") is None


def test_a_seat_that_is_refused_too_often_has_to_wait(store):
    game = started(store)
    for number in range(3):
        assert "accepted" == submit(store, game, command(f"bad{number}", 1, pennies=99), refusals=3).status
        pump(store, game)

    limited = submit(store, game, command("more", 1, pennies=1), refusals=3)

    assert "limited" == limited.status
    assert 0 < limited.retry_after <= 60
    assert "accepted" == submit(store, game, command("other", 2, pennies=1), refusals=3).status
    assert "known" == submit(store, game, command("bad0", 1, pennies=99), refusals=3).status


def test_only_refusals_empty_the_bucket(store):
    game = started(store, options={"points": 100000})
    for number in range(8):
        for seat in (1, 2):
            assert "accepted" == submit(store, game, command(f"s{number}-{seat}", seat, pennies=0), refusals=2).status
        pump(store, game)


def test_no_more_than_a_hundred_commands_of_players_wait(store):
    game = started(store)
    statuses = [submit(store, game, command(f"s{n}", 1, pennies=1)).status for n in range(101)]

    assert ["accepted"] * 100 + ["full"] == statuses
    Worker(store, game).step(10)
    assert "accepted" == submit(store, game, command("s100", 1, pennies=1)).status


def test_a_worker_is_woken_when_an_idle_game_becomes_ready_and_not_again(store):
    game = started(store)

    assert submit(store, game, command("s1", 1, pennies=1)).wake
    assert not submit(store, game, command("s2", 2, pennies=1)).wake
    claim_games(store, [store.schedule.partition(game)], 10, 10_000)
    assert not submit(store, game, command("s3", 1, pennies=1)).wake
    assert store.claims.release(game), "what came while it was claimed is waiting"


def test_the_instant_a_command_was_accepted_is_the_stores(store):
    game = started(store)
    before = store.schedule.now()
    submit(store, game, {**command("s1", 1, pennies=1), "asked_at": 5})
    after = store.schedule.now()

    (work,) = store.claims.work([game])
    assert before <= work.pending[0][1]["asked_at"] <= after


def test_a_seat_is_not_asked_because_one_is_whose_number_begins_like_its_own(redis_store):
    game = started(redis_store)
    name = redis_store.keys.game(game).meta
    newest = redis_store.wire.one("HGET", name, "newest")
    other = newest.replace(b" 1,2\n", b" 12,2\n")
    assert other != newest

    redis_store.wire.one("HSET", name, "newest", other)
    told = [submit(redis_store, game, command(f"s{number}", 1, pennies=1), unasked=1).status for number in range(2)]
    assert ["accepted", "unasked"] == told
