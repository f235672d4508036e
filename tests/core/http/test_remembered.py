"""A cache by key: time to live, maximum size, and removal."""

from __future__ import annotations

import time

import pytest

from service.core.http.ttl_cache import TtlCache


@pytest.fixture
def clock(monkeypatch):
    """The monotonic time, as a list of one number that a test can change."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_value_expires_after_its_time_to_live(clock):
    known = TtlCache(10)
    known.put("a", 1, 5.0)

    clock[0] += 4.9
    assert 1 == known.get("a")
    clock[0] += 0.1
    assert known.get("a") is None
    assert known.get("b") is None


def test_putting_a_value_again_restarts_its_time_to_live(clock):
    known = TtlCache(10)
    known.put("a", 1, 5.0)
    clock[0] += 4.0
    known.put("a", 2, 5.0)

    clock[0] += 4.0
    assert 2 == known.get("a")


@pytest.mark.usefixtures("clock")
def test_the_cache_has_a_maximum_size():
    known = TtlCache(10)
    for number in range(100):
        known.put(number, number, 5.0)
        assert number == known.get(number)
        assert len(known._entries) <= 10


@pytest.mark.usefixtures("clock")
def test_only_dropped_values_are_removed():
    known = TtlCache(10)
    for number in range(6):
        known.put(number, number, 5.0)

    known.remove(0)
    known.remove(77)
    known.remove_where(lambda value: value % 2 == 1)

    assert [None, None, 2, None, 4, None] == [known.get(number) for number in range(6)]
