"""What a process remembers by key: for so many seconds, so many at a time, and not after it was told to forget."""

from __future__ import annotations

import time

import pytest

from service.api.http.ttl_cache import RememberedByKey


@pytest.fixture
def clock(monkeypatch):
    """What time it is, as a list that a test sets."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_value_is_remembered_for_its_seconds_and_no_longer(clock):
    known = RememberedByKey(10)
    known.put("a", 1, 5.0)

    clock[0] += 4.9
    assert 1 == known.get("a")
    clock[0] += 0.1
    assert known.get("a") is None
    assert known.get("b") is None


def test_a_value_that_is_put_again_lasts_from_then_on(clock):
    known = RememberedByKey(10)
    known.put("a", 1, 5.0)
    clock[0] += 4.0
    known.put("a", 2, 5.0)

    clock[0] += 4.0
    assert 2 == known.get("a")


@pytest.mark.usefixtures("clock")
def test_what_is_remembered_has_an_end():
    known = RememberedByKey(10)
    for number in range(100):
        known.put(number, number, 5.0)
        assert number == known.get(number)
        assert len(known._known) <= 10


@pytest.mark.usefixtures("clock")
def test_what_is_dropped_is_forgotten_and_nothing_else():
    known = RememberedByKey(10)
    for number in range(6):
        known.put(number, number, 5.0)

    known.drop(0)
    known.drop(77)
    known.drop_where(lambda value: value % 2 == 1)

    assert [None, None, 2, None, 4, None] == [known.get(number) for number in range(6)]
