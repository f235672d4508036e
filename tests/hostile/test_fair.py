"""Fair queues: a caller with many requests does not delay callers with few."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from service.core.http.limits import fair_queue, history_limiter
from service.core.http.limits.fair_queue import HEAVY_USE_SECONDS, ClientUsage, FairQueue
from service.core.http.limits.history_limiter import HistoryLimiter, HistorySlot


@pytest.fixture
def clock(monkeypatch):
    """The monotonic clock, as a list that a test sets."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


class Asker:
    """A caller in a queue, who enters and leaves when the test says so."""

    def __init__(self, queue, who):
        self._slot = queue.slot(who, 0)
        self.queue, self.who = queue, who
        self.inside = False

    def wait(self):
        waiter = fair_queue.WaitingClient(self.who)
        with self.queue._lock:
            self.queue._waiting.append(waiter)
            self.queue._admit_next()
        self._waiter = waiter
        return self

    @property
    def called(self):
        return self._waiter.admitted.is_set()

    def leave(self):
        self.queue.leave(self._waiter)


def test_caller_with_the_least_use_so_far_is_next(clock):
    queue = FairQueue(1)
    first = Asker(queue, "greedy").wait()
    crowd = [Asker(queue, "greedy").wait() for _ in range(50)]
    honest = Asker(queue, "honest").wait()
    assert first.called
    assert not honest.called

    clock[0] += 0.3
    first.leave()
    assert honest.called
    assert not any(each.called for each in crowd)
    honest.leave()
    assert crowd[0].called, "and then those who came before, in their order"


def test_caller_with_a_slot_gets_no_second_slot_while_it_holds_one(clock):
    queue = FairQueue(2)
    greedy = [Asker(queue, "greedy").wait() for _ in range(3)]
    assert [True, False, False] == [each.called for each in greedy]

    honest = Asker(queue, "honest").wait()
    assert honest.called
    greedy[0].leave()
    assert [True, False] == [each.called for each in greedy[1:]]


def test_heavy_callers_never_occupy_all_slots_together(clock):
    queue = FairQueue(2)
    for who in ("one", "other"):
        asker = Asker(queue, who).wait()
        clock[0] += HEAVY_USE_SECONDS + 1
        asker.leave()

    one, other = Asker(queue, "one").wait(), Asker(queue, "other").wait()
    assert [True, False] == [one.called, other.called]
    assert Asker(queue, "honest").wait().called
    one.leave()
    assert other.called


def test_recent_use_decays_by_half_per_half_life(clock):
    usage = ClientUsage()
    usage.add("one", 8.0)
    assert 8.0 == usage.seconds("one")
    assert 0.0 == usage.seconds("other")
    clock[0] += fair_queue.HALF_LIFE
    assert 4.0 == usage.seconds("one")
    usage.add("one", 1.0)
    assert 5.0 == usage.seconds("one")


def test_number_of_remembered_callers_is_limited(clock, monkeypatch):
    monkeypatch.setattr(fair_queue, "MAX_CLIENTS", 10)
    usage = ClientUsage()
    usage.add("greedy", 60.0)
    for number in range(100):
        usage.add(f"guest {number}", 0.01)
        assert len(usage._used) <= 10
    assert usage.seconds("greedy") > HEAVY_USE_SECONDS
    for number in range(100):
        usage.add(f"greedy {number}", 60.0)
        assert len(usage._used) <= 10


def test_caller_whose_wait_times_out_leaves_the_queue():
    queue = FairQueue(1)
    with queue.slot("one", 0) as inside, queue.slot("other", 0.01) as late:
        assert (True, False) == (inside, late)
    assert ([], {}) == (queue._waiting, queue._admitted)
    with queue.slot("third", 0) as inside:
        assert inside


def test_slot_is_released_if_the_work_fails():
    queue = FairQueue(1)
    with pytest.raises(ZeroDivisionError), queue.slot("one", 0):
        raise ZeroDivisionError
    with queue.slot("other", 0) as inside:
        assert inside


def test_all_waiting_threads_get_a_slot():
    queue, told = FairQueue(2), []

    def work(who):
        with queue.slot(who, 60) as inside:
            told.append(inside)
            assert len(queue._admitted) <= 2

    threads = [threading.Thread(target=work, args=(f"p{number % 5}",)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [True] * 40 == told


def test_history_limiter_admits_the_caller_with_the_least_use_next(clock, monkeypatch):
    monkeypatch.setattr(history_limiter, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda _: None))
    limiter = HistoryLimiter()
    first = HistorySlot(limiter, "greedy")
    assert first.acquire(0)
    crowd = [HistorySlot(limiter, "greedy") for _ in range(20)]
    assert not any(slot.acquire(0) for slot in crowd)
    honest = HistorySlot(limiter, "honest")
    assert not honest.acquire(0)

    clock[0] += 0.5
    first.release()
    assert not any(slot.acquire(0) for slot in crowd)
    assert honest.acquire(0)


SERVED = """
from gevent import monkey
monkey.patch_all()
import os, sys, time
import gevent
from service.core.http.context.offload import ReadContext, ThreadOffload
from service.core.http.problems import Problem
from service.core.positions.cache import Positions
from service.store.redis.store import open_store

store = open_store(sys.argv[1])
apart = ThreadOffload(ReadContext(store, Positions(store)), lambda: store, 30)

def slow(desk):
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        pass

done = []
def asked(who):
    apart.run(slow, who)
    done.append(who)

crowd = [gevent.spawn(asked, "greedy") for _ in range(30)]
gevent.sleep(0.05)
asked("honest")
assert done.count("greedy") <= 3, done
gevent.killall(crowd)
print("held")
os._exit(0)
"""


@pytest.mark.soak
def test_thirty_slow_requests_of_one_account_do_not_delay_another(redis_url):
    run = subprocess.run(
        [sys.executable, "-c", SERVED, redis_url], capture_output=True, text=True, timeout=120, check=False
    )

    assert (0, "held") == (run.returncode, run.stdout.strip()), run.stderr


def test_offloaded_work_is_queued_by_account_or_by_address(world, monkeypatch):
    game, ash, _ = world.table()
    house, asked = world.app.extensions["oraclewheel"], []
    run = house.offload.run
    monkeypatch.setattr(house.offload, "run", lambda work, who: asked.append(who) or run(work, who), raising=True)

    ash.get(f"/v1/games/{game}/options", want=200)
    world.public.get(f"/v1/games/{game}/events", want=200)
    assert [ash.id, "127.0.0.1"] == asked


def test_lists_of_games_and_turns_are_offloaded(world, monkeypatch):
    _, ash, _ = world.table()
    house, asked = world.app.extensions["oraclewheel"], []
    run = house.offload.run
    monkeypatch.setattr(house.offload, "run", lambda work, who: asked.append(who) or run(work, who))

    assert world.public.get("/v1/games?limit=200", want=200).json["games"]
    assert ash.get("/v1/games?mine=true", want=200).json["games"]
    assert ash.get("/v1/me/turns", want=200).json["turns"]
    assert ["127.0.0.1", ash.id, ash.id] == asked
