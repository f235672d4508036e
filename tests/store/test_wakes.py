"""A command wakes a worker in the step in which it is submitted, where the queue is in the games' own database."""

from __future__ import annotations

import pytest

from service.queue import GROUPS, Queue, wakes_of
from service.store.redis import probe
from tests.store.pump import command, pump, started, submit


@pytest.fixture
def table(redis_store):
    """A game, its partition, and the queue beside it."""
    game = started(redis_store)
    return game, redis_store.log.partition(game), Queue(redis_store.wire.url)


def hide(name):
    return command(name, 1, pennies=1)


def test_whoever_is_first_to_make_a_game_ready_wakes_a_worker_and_nobody_need_do_it_again(redis_store, table):
    game, partition, queue = table
    assert redis_store.wake_workers(redis_store.wire.url, wakes_of)

    assert ("accepted", False) == told(submit(redis_store, game, hide("s1")))
    assert ("accepted", False) == told(submit(redis_store, game, hide("s2")))
    assert 1 == queue.connection.llen(wakes_of(partition))
    assert {partition} == queue.woken([partition % GROUPS])
    assert ("known", False) == told(submit(redis_store, game, hide("s1")))
    assert {partition} == queue.woken([partition % GROUPS]), "who sends again may have lost the first wake"
    pump(redis_store, game)
    assert ("known", False) == told(submit(redis_store, game, hide("s1")))
    assert set() == queue.woken([partition % GROUPS])


def test_what_is_not_accepted_wakes_nobody(redis_store, table):
    game, partition, queue = table
    redis_store.wake_workers(redis_store.wire.url, wakes_of)

    assert "stale" == submit(redis_store, game, {**hide("s1"), "expected": 77}).status
    assert set() == queue.woken([partition % GROUPS])


def test_a_queue_elsewhere_is_woken_by_who_submits(redis_store, table):
    game, partition, queue = table

    assert not redis_store.wake_workers(f"{redis_store.wire.url}?db=1", wakes_of)
    assert ("accepted", True) == told(submit(redis_store, game, hide("s1")))
    assert set() == queue.woken([partition % GROUPS])


@pytest.mark.parametrize("seen", [{"cluster_enabled": "1"}, {}])
def test_in_a_cluster_or_where_it_cannot_be_seen_it_is_woken_by_who_submits(redis_store, table, monkeypatch, seen):
    monkeypatch.setattr(probe, "info", lambda _: seen)

    assert not redis_store.wake_workers(redis_store.wire.url, wakes_of)
    assert ("accepted", True) == told(submit(redis_store, table[0], hide("s1")))


def told(receipt):
    return receipt.status, receipt.wake
