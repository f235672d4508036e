"""Clocks and vacations on the clock of the store, which the tests set ahead."""

from __future__ import annotations

import pytest

from service.core.pace.clock import HOUR
from tests.clock import StoreClock
from tests.workers.almanac import Nobody, begin, bodies, say, standing
from tests.workers.test_clocks import DAILY, TABLE, bell, kinds
from workers.advance import Advance
from workers.sweeper import Sweeper

__all__ = ["bell"]
MINUTE = 60_000


class Hourly:
    """A game with an hour for each answer, a worker and a sweeper."""

    def __init__(self, store, clock):
        self.store, self.clock, self.advance = store, clock, Advance.in_process(store)
        self.sweeper = Sweeper(store, Nobody())
        self.game = begin(store, "ada", "bob", pace={**DAILY, "hours": 1}, table=TABLE, max_weeks=1)
        self.work()

    def work(self):
        self.store.schedule.beat("pump")
        while self.sweeper.sweep() or self.advance.round(range(self.store.partitions)):
            pass

    def until(self, kind):
        """Set the clock ahead by half an hour at a time, for at most six hours, until an event of this kind happens."""
        for _ in range(12):
            if kind in kinds(self, self.game):
                return
            self.clock.forward(30 * MINUTE)
            self.work()
        pytest.fail(f"no {kind} in {kinds(self, self.game)}")

    def say(self, seat, /, **command):
        say(self.store, self.game, seat, f"{command} {self.store.log.head(self.game)[0]}", **command)
        self.work()


@pytest.fixture
def hourly(redis_store, bell, monkeypatch):
    return Hourly(redis_store, StoreClock(monkeypatch))


def test_stopped_clock_continues_and_the_deadline_then_passes(hourly):
    hourly.say(2, type="ring", what="stop")
    hourly.clock.forward(2 * HOUR)
    hourly.work()
    assert "deadline_passed" not in kinds(hourly, hourly.game)
    hourly.say(2, type="ring", what="start")
    started = hourly.store.schedule.now()
    (asked,) = standing(hourly.store, hourly.game)
    assert 0 < asked["due"] - started <= HOUR
    hourly.until("deadline_passed")
    passed = next(
        body
        for body in bodies(hourly.store, hourly.game)
        if any(event["type"] == "deadline_passed" for event in body.get("events", ()))
    )
    assert passed["submission"]["asked_at"] >= asked["due"]


def test_vacation_begins_and_ends_once_by_the_clock_of_the_store(hourly):
    now = hourly.store.schedule.now()
    vacation = {"type": "announce_vacation", "seat": 2, "vacation": "v"}
    hourly.say(0, **vacation, begins=now + 15 * MINUTE, ends=now + 3 * HOUR)
    hourly.until("vacation_begun")
    assert None is standing(hourly.store, hourly.game)[0]["due"]
    hourly.until("vacation_ended")
    hourly.until("deadline_passed")

    happened = kinds(hourly, hourly.game)
    names = ("vacation_announced", "vacation_begun", "clocks_stopped", "vacation_ended", "clocks_started")
    assert list(names) == [each for each in happened if each in names]
    assert happened.index("deadline_passed") > happened.index("clocks_started")
