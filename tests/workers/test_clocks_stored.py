"""Clocks and vacations on a server and in a cluster, by the store's own clock, where an hour is shorter than elsewhere."""

from __future__ import annotations

import time

import pytest

from service.pace import clock
from tests.workers.almanac import Nobody, begin, bodies, say, standing
from tests.workers.test_clocks import DAILY, TABLE, bell, kinds
from workers.sweeper import Sweeper

__all__ = ["bell"]


class Hasty:
    """A game on a store, a worker and a sweeper, and little patience."""

    def __init__(self, store, advance, **told):
        self.store, self.advance = store, advance
        self.sweeper = Sweeper(store, Nobody())
        self.game = begin(store, "ada", "bob", pace={**DAILY, "hours": 1}, table=TABLE, **told)
        self.work()

    def work(self):
        self.store.schedule.beat("pump")
        while self.sweeper.sweep() or self.advance.round(range(self.store.partitions)):
            pass

    def until(self, kind, count=1, seconds=20):
        """Work until there are so many events of a kind; raises `AssertionError` if that takes too long."""
        patience = time.monotonic() + seconds
        while kinds(self, self.game).count(kind) < count:
            assert time.monotonic() < patience, kinds(self, self.game)
            time.sleep(0.02)
            self.work()

    def say(self, seat, /, **command):
        say(self.store, self.game, seat, f"{command} {self.store.log.head(self.game)[0]}", **command)
        self.work()


@pytest.fixture
def hasty(store, advance, monkeypatch):
    monkeypatch.setattr(clock, "HOUR", 400)
    return Hasty(store, advance, max_weeks=1)


def test_a_clock_that_stood_goes_on_and_then_the_deadline_passes(hasty):
    hasty.say(2, type="ring", what="stop")
    time.sleep(0.6)
    hasty.work()
    assert "deadline_passed" not in kinds(hasty, hasty.game)
    hasty.say(2, type="ring", what="start")
    started = hasty.store.schedule.now()
    (asked,) = standing(hasty.store, hasty.game)
    assert 0 < asked["due"] - started <= 400
    hasty.until("deadline_passed")
    passed = next(
        body
        for body in bodies(hasty.store, hasty.game)
        if any(event["type"] == "deadline_passed" for event in body.get("events", ()))
    )
    assert passed["submission"]["asked_at"] >= asked["due"]


def test_a_vacation_begins_and_ends_by_the_clock_of_the_store_once_each(hasty):
    now = hasty.store.schedule.now()
    told = {"type": "announce_vacation", "seat": 2, "vacation": "v"}
    hasty.say(0, **told, begins=now + 150, ends=now + 3000)
    hasty.until("vacation_begun")
    assert None is standing(hasty.store, hasty.game)[0]["due"]
    hasty.until("vacation_ended")
    hasty.until("deadline_passed")

    happened = kinds(hasty, hasty.game)
    names = ("vacation_announced", "vacation_begun", "clocks_stopped", "vacation_ended", "clocks_started")
    assert list(names) == [each for each in happened if each in names]
    assert happened.index("deadline_passed") > happened.index("clocks_started")
