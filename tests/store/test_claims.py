"""Claims of games by workers, on a server and in a cluster. Leases save work; they protect no data."""

from __future__ import annotations

import time
from collections import defaultdict

from tests.store.pump import Worker, claim_games, command, outcome, pump, started, submit

ALL = range(256)


def waiting(store, *holders):
    game = started(store, *holders)
    submit(store, game, command("s1", 1, pennies=1))
    return game


def lapsed(store, game):
    """Wait until the lease of the game has expired by the store's clock and the sweeper has seen it."""
    for _ in range(200):
        time.sleep(0.01)
        if store.schedule.sweep(store.schedule.partition(game)):
            return
    raise AssertionError("the lease does not run out")


def test_claimed_game_is_not_claimed_again(store):
    game = waiting(store)

    assert [game] == claim_games(store, ALL, 10, 10_000)
    assert [] == claim_games(store, ALL, 10, 10_000)
    assert {"ready": 0, "claimed": 1} == {name: store.schedule.census()[name] for name in ("ready", "claimed")}


def test_claim_returns_only_games_of_the_requested_partitions(store):
    game = waiting(store)
    others = [number for number in ALL if number != store.schedule.partition(game)]

    assert [] == claim_games(store, others, 10, 10_000)
    assert [game] == claim_games(store, [store.schedule.partition(game)], 10, 10_000)


def test_claim_respects_its_limit_and_claims_no_game_twice(store):
    games = {waiting(store) for _ in range(9)}
    claimed = []
    while batch := claim_games(store, ALL, 4, 10_000):
        assert len(batch) <= 4
        claimed += batch

    assert sorted(games) == sorted(claimed)


def test_released_game_is_ready_again_only_if_commands_are_pending(store):
    game = waiting(store)
    claim_games(store, ALL, 10, 10_000)
    assert store.claims.release(game)
    claim_games(store, ALL, 10, 10_000)
    Worker(store, game).step()

    assert not store.claims.release(game)
    assert [] == claim_games(store, ALL, 10, 10_000)


def test_game_released_with_a_delay_is_not_claimed_before_it_ends(store):
    game = waiting(store)
    claim_games(store, ALL, 10, 10_000)
    assert not store.claims.release(game, later=40)
    assert [] == claim_games(store, ALL, 10, 10_000)

    time.sleep(0.06)
    assert 1 == store.schedule.sweep(store.schedule.partition(game))
    assert [game] == claim_games(store, ALL, 10, 10_000)
    assert 1 == store.claims.work([game])[0].claims, "it was given back by a worker that lived"


def test_sweeper_makes_the_games_of_dead_workers_ready_again(store):
    game = waiting(store)
    claim_games(store, ALL, 10, 30)
    assert 0 == store.schedule.sweep(store.schedule.partition(game))
    time.sleep(0.05)

    assert 1 == store.schedule.sweep(store.schedule.partition(game))
    assert [game] == claim_games(store, ALL, 10, 10_000)


def test_submission_to_a_game_whose_lease_expired_makes_it_ready(store):
    game = waiting(store)
    claim_games(store, ALL, 10, 20)
    time.sleep(0.04)

    assert submit(store, game, command("s2", 2, pennies=1)).wake


def test_sweeper_counts_a_wake_that_seems_lost(store):
    game = waiting(store)
    assert 0 == store.schedule.sweep(store.schedule.partition(game))
    time.sleep(1.05)

    assert 1 == store.schedule.sweep(store.schedule.partition(game))


def test_claims_without_a_commit_are_counted_and_a_commit_resets_them(store):
    game = waiting(store)
    for times in (1, 2, 3):
        assert [game] == claim_games(store, ALL, 10, 5)
        assert times == store.claims.work([game])[0].claims
        lapsed(store, game)
    claim_games(store, ALL, 10, 10_000)
    Worker(store, game).step()
    submit(store, game, command("s2", 2, pennies=1))
    store.claims.release(game)
    claim_games(store, ALL, 10, 10_000)

    assert 1 == store.claims.work([game])[0].claims


def test_game_whose_lease_expired_is_claimed_alone(store):
    suspect = waiting(store)
    claim_games(store, ALL, 10, 5)
    lapsed(store, suspect)
    innocent = [waiting(store) for _ in range(5)]

    assert [suspect] == claim_games(store, ALL, 10, 10_000)
    assert sorted(innocent) == sorted(claim_games(store, ALL, 10, 10_000))
    assert {1} == {work.claims for work in store.claims.work(innocent)}


def test_suspect_game_that_has_been_ready_longest_is_claimed_first(store):
    """Otherwise a game that crashes workers would crash one after another before the other games get their turn."""
    # Each is alone in its partition; the one that is ready first is in the later partition.
    games = defaultdict(list)
    while len(alone := [place for place in sorted(games) if len(games[place]) == 1]) < 2:
        game = waiting(store)
        games[_place(store, game)].append(game)
    late, early = (games[place][0] for place in alone)
    places = [_place(store, late), _place(store, early)]
    claim_games(store, places, 10, 5)
    lapsed(store, early)
    time.sleep(0.01)
    lapsed(store, late)

    assert [early] == claim_games(store, places, 10, 10_000)
    assert [late] == claim_games(store, places, 10, 10_000)


def _place(store, game):
    return store.schedule.partition(game)


def test_work_is_read_for_many_games_up_to_the_limit(store):
    one, other = started(store), started(store)
    for number in range(5):
        submit(store, one, command(f"s{number}", 1, pennies=1))
    pump(store, other)

    first, second = store.claims.work([one, other], limit=3)
    assert (one, ["s0", "s1", "s2"]) == (first.game_id, [document["id"] for _, document in first.pending])
    assert (other, ()) == (second.game_id, second.pending)


def test_commands_are_settled_once_by_two_workers_of_one_game(store):
    game = started(store)
    for number in range(6):
        submit(store, game, command(f"s{number}", 1 + number % 2, pennies=1))
    one, other = Worker(store, game), Worker(store, game)
    late = other.appends(4)
    time.sleep(0.005)  # otherwise both write identical commits, of the same millisecond
    one.step(3)

    # The fourth has the right seq by now, but follows commits that were never stored.
    assert all(store.log.append(late))
    Worker(store, game).step()
    assert len({outcome(store, game, f"s{n}") for n in range(6)}) == 6
