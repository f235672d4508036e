"""How many server commands a commit costs, so that an increase does not go unnoticed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import pytest

from domain.registry import GAMES
from service.store.ports.waiting import TELL
from tests.pennies import PENNIES
from tests.store.pump import Worker, command, follow, started, submit
from workers.advance import Advance


@pytest.fixture
def cost(redis_store):
    """Counts the commands inside a block by name, including those called by scripts."""

    def counted():
        told = redis_store.wire.one("INFO", "commandstats").decode()
        lines = (line.partition(":") for line in told.splitlines() if line.startswith("cmdstat_"))
        return {name[8:]: int(rest.partition(",")[0].partition("=")[2]) for name, _, rest in lines}

    @contextmanager
    def during():
        calls, before = {}, counted()
        yield calls
        after = counted()
        calls.update({name: n - before.get(name, 0) for name, n in after.items() if n > before.get(name, 0)})
        calls.pop("info", None)

    return during


def _played(store, game, id_, seat):
    """Submit, claim and settle a command, so that the server has every script loaded."""
    submit(store, game, command(id_, seat, pennies=1))
    assert [game] == [work.game_id for work in store.claims.claim([store.schedule.partition(game)], 1, 3000)]
    Worker(store, game).step()
    store.claims.release(game)


def test_commands_and_the_end_of_their_turn_cost_a_fixed_number_of_server_commands(redis_store, cost):
    game, log = started(redis_store), redis_store.log
    _played(redis_store, game, "s1", 1)
    worker = Worker(redis_store, game)

    with cost() as submitting:
        submit(redis_store, game, command("s2", 2, pennies=1))
    with cost() as claiming:
        (work,) = redis_store.claims.claim([redis_store.schedule.partition(game)], 32, 3000)
    appended = [replace(worker.append_of(*entry), tell="told") for entry in work.pending]
    with cost() as appending:
        assert [None] == list(log.append(appended))
    with cost() as looking:
        (work,) = redis_store.claims.work([game])
    turn = [replace(worker.append_of(*entry), done=True) for entry in work.pending]
    with cost() as turning:
        assert [None] == list(log.append(turn))

    # The appends include the views and, for the metrics, a read of the time.
    told = [sum(each.values()) for each in (submitting, claiming, appending, looking, turning)]
    assert [7, 6, 16, 2, 14] == told, (submitting, claiming, appending, looking, turning)


def test_subscribers_of_a_game_add_one_server_command_to_what_follows_its_commit(redis_store, cost):
    """However many subscribers there are; a game without subscribers costs no more than before."""
    quiet, told = started(redis_store), started(redis_store)
    for number in range(4):
        redis_store.outbox.listen([told], f"s{number}")
    spent = []
    for game in (quiet, told):
        _played(redis_store, game, "s1", 1)
        redis_store.outbox.claim([redis_store.schedule.partition(game)], 10, 60_000)
        worker = Worker(redis_store, game)
        submit(redis_store, game, command("s2", 2, pennies=1))
        (work,) = redis_store.claims.claim([redis_store.schedule.partition(game)], 32, 3000)
        appended = [worker.append_of(*entry) for entry in work.pending]
        with cost() as appending:
            assert [None] == list(redis_store.log.append(appended))
        with cost() as following:
            follow(redis_store, game)
        spent.append((appending, following))

    (appended_quietly, quiet), (appended, told) = spent
    assert appended_quietly == appended
    more = {name: count - quiet.get(name, 0) for name, count in told.items() if count != quiet.get(name, 0)}
    assert {"zadd": 1} == {name: count for name, count in more.items() if name != "time"}
    assert more.get("time", 0) <= 1


def test_sweep_of_an_empty_partition_takes_one_command(redis_store, cost):
    with cost() as sweeping:
        redis_store.schedule.sweep(63)

    assert {"exists": 1} == sweeping


def test_claim_of_a_few_partitions_does_not_check_them_first(redis_store, cost):
    redis_store.claims.claim(range(9), 32, 3000)  # loads the script
    with cost() as claiming:
        redis_store.claims.claim(range(9), 32, 3000)

    assert {"evalsha": 9, "zpopmin": 9} == claiming


def test_commit_appended_with_the_end_of_its_turn_costs_21_server_commands(redis_store, cost, monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setattr("workers.advance.PASS", 600)
    game, log = started(redis_store), redis_store.log
    _played(redis_store, game, "s1", 1)
    advance = Advance.in_process(redis_store)
    partitions = [redis_store.schedule.partition(game)]
    advance.round(partitions)
    submit(redis_store, game, command("s2", 2, pennies=1))
    advance.round(partitions)
    submit(redis_store, game, command("s3", 1, pennies=1))
    advance.round(partitions)

    submit(redis_store, game, {**command("s4", 2, pennies=1), TELL: "told"})
    with cost() as settling:
        advance.round(partitions)
        assert set() == advance.unfinished

    assert 7 == log.head(game)[0]
    assert 21 == sum(settling.values()), settling
