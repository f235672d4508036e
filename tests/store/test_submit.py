"""Answers of `submit`, on a server and in a cluster."""

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


def test_same_id_with_another_body_is_a_conflict_even_after_settlement(store):
    game = started(store)
    submit(store, game, command("s1", 1, pennies=1))

    assert "conflict" == submit(store, game, command("s1", 1, pennies=2)).status
    pump(store, game)
    assert "conflict" == submit(store, game, command("s1", 1, pennies=2)).status
    assert store.log.head(game)[0] == 2


def test_retry_is_answered_before_any_other_check(store):
    game = started(store)
    document = command("s1", 1, pennies=1, expected=1)
    submit(store, game, document)
    pump(store, game)

    # By now the ETag is stale, and the refusal limit may be exhausted.
    again = submit(store, game, document, refusals=0)
    assert ("known", 2) == (again.status, again.seq)


def test_stale_if_match_is_refused_with_the_current_seq_of_the_seat(store):
    game = started(store)

    receipt = submit(store, game, command("s1", 1, pennies=1, expected=7))

    assert ("stale", 1) == (receipt.status, receipt.seq)
    assert outcome(store, game, "s1") is None
    assert "accepted" == submit(store, game, command("s1", 1, pennies=1, expected=1)).status


def test_each_seat_has_its_own_etag(store):
    game = started(store)
    submit(store, game, command("bad", 2, pennies=99))
    pump(store, game)

    # The refusal for seat 2 was shown to no other player.
    assert "accepted" == submit(store, game, command("s1", 1, pennies=1, expected=1)).status


def test_outcome_of_a_submission_is_pending_and_then_its_seq(store):
    game = started(store)
    assert outcome(store, game, "s1") is None
    submit(store, game, command("s1", 1, pennies=1))
    assert "pending" == outcome(store, game, "s1")
    pump(store, game)
    assert 2 == outcome(store, game, "s1")


@pytest.mark.parametrize("prepare", ["unknown-game", "not-started"])
def test_game_that_is_not_running_accepts_no_command(store, prepare):
    game = "none" if prepare == "unknown-game" else opened(store, "ann", "bob").id

    assert prepare == submit(store, game, command("s1", 1, pennies=1)).status
    assert outcome(store, game, "s1") is None


def test_seat_with_too_many_refusals_is_rate_limited(store):
    game = started(store)
    for number in range(3):
        assert "accepted" == submit(store, game, command(f"bad{number}", 1, pennies=99), refusals=3).status
        pump(store, game)

    limited = submit(store, game, command("more", 1, pennies=1), refusals=3)

    assert "limited" == limited.status
    assert 0 < limited.retry_after <= 60
    assert "accepted" == submit(store, game, command("other", 2, pennies=1), refusals=3).status
    assert "known" == submit(store, game, command("bad0", 1, pennies=99), refusals=3).status


def test_only_refusals_count_toward_the_refusal_limit(store):
    game = started(store, options={"points": 100000})
    for number in range(8):
        for seat in (1, 2):
            assert "accepted" == submit(store, game, command(f"s{number}-{seat}", seat, pennies=0), refusals=2).status
        pump(store, game)


def test_at_most_a_hundred_commands_of_players_are_pending(store):
    game = started(store)
    statuses = [submit(store, game, command(f"s{n}", 1, pennies=1)).status for n in range(101)]

    assert ["accepted"] * 100 + ["full"] == statuses
    Worker(store, game).step(10)
    assert "accepted" == submit(store, game, command("s100", 1, pennies=1)).status


def test_worker_is_woken_only_when_an_idle_game_becomes_ready(store):
    game = started(store)

    assert submit(store, game, command("s1", 1, pennies=1)).wake
    assert not submit(store, game, command("s2", 2, pennies=1)).wake
    claim_games(store, [store.schedule.partition(game)], 10, 10_000)
    assert not submit(store, game, command("s3", 1, pennies=1)).wake
    assert store.claims.release(game), "what came while it was claimed is waiting"


def test_acceptance_time_of_a_command_is_that_of_the_store(store):
    game = started(store)
    before = store.schedule.now()
    submit(store, game, {**command("s1", 1, pennies=1), "asked_at": 5})
    after = store.schedule.now()

    (work,) = store.claims.work([game])
    assert before <= work.pending[0][1]["asked_at"] <= after


def test_seat_1_has_no_pending_decision_because_seat_12_has_one(redis_store):
    game = started(redis_store)
    name = redis_store.keys.game(game).meta
    newest = redis_store.wire.one("HGET", name, "newest")
    other = newest.replace(b" 1,2\n", b" 12,2\n")
    assert other != newest

    redis_store.wire.one("HSET", name, "newest", other)
    told = [submit(redis_store, game, command(f"s{number}", 1, pennies=1), unasked=1).status for number in range(2)]
    assert ["accepted", "unasked"] == told
