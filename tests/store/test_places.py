"""Semaphore slots: exactly the allowed number is taken at a time, even concurrently, and a lost slot expires."""

from __future__ import annotations

import threading
import time


def test_slots_are_limited_by_name(store):
    assert [(True, 0)] * 3 == [store.places.hold("x", holder, 3, 60) for holder in "abc"]
    taken, seconds = store.places.hold("x", "d", 3, 60)
    assert not taken
    assert 0 < seconds <= 60
    assert (True, 0) == store.places.hold("y", "d", 3, 60), "another name has places of its own"
    assert ["a", "b", "c"] == sorted(store.places.held("x"))


def test_holder_keeps_its_slot_when_all_are_taken(store):
    for holder in "ab":
        store.places.hold("x", holder, 2, 60)

    assert (True, 0) == store.places.hold("x", "a", 2, 60)


def test_released_slot_is_free(store):
    store.places.hold("x", "a", 1, 60)
    store.places.let_go([("x", "a"), ("x", "nobody")])

    assert (True, 0) == store.places.hold("x", "b", 1, 60)
    store.places.let_go([])


def test_slot_that_is_not_renewed_expires(store):
    store.places.hold("x", "gone", 2, 1)
    store.places.hold("x", "kept", 2, 1)
    store.places.keep([("x", "kept")], 60)
    time.sleep(1.2)

    assert ["kept"] == list(store.places.held("x"))
    assert (True, 0) == store.places.hold("x", "new", 2, 60)
    assert not store.places.hold("x", "newer", 2, 60)[0]


def test_fifty_concurrent_requests_get_ten_slots(store):
    got, start = [], threading.Barrier(50, timeout=60)

    def ask(number):
        start.wait()
        got.append(store.places.hold("x", str(number), 10, 60)[0])

    asking = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
    for each in asking:
        each.start()
    for each in asking:
        each.join(60)

    assert 10 == sum(got)
    assert 50 == len(got)


def test_expired_slots_leave_no_key(redis_store):
    redis_store.places.hold("x", "a", 1, 1)
    time.sleep(1.2)

    assert 0 == redis_store.wire.one("EXISTS", "places:x")


def test_clock_that_was_set_back_does_not_extend_a_slot(redis_store):
    redis_store.places.hold("x", "gone", 1, 1)
    hour = int(redis_store.wire.one("TIME")[0]) * 1000 + 3_600_000
    redis_store.wire.one("ZADD", "places:x", hour, "gone")

    assert not redis_store.places.hold("x", "new", 1, 1)[0]
    time.sleep(1.2)
    assert (True, 0) == redis_store.places.hold("x", "new", 1, 1)
