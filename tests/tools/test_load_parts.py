"""The parts of a load test: percentiles, the sending rate, and the processes of the service."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import threading

from tests.workers.crew import eventually
from tools.load.checking import Checked
from tools.load.cores import core_seconds, roots, spent, with_role
from tools.load.crowd import Pace
from tools.load.tally import Tally, percentiles


def test_percentile_is_the_smallest_value_that_covers_its_share():
    assert {} == percentiles([])
    assert {"p50": 7.0, "p90": 7.0, "p99": 7.0, "max": 7.0} == percentiles([7.0])
    found = percentiles([float(n) for n in range(200, 0, -1)])
    assert {"p50": 100.0, "p90": 180.0, "p99": 198.0, "max": 200.0} == found


def test_tally_that_ended_keeps_its_duration():
    tally = Tally()
    tally.took("settled", 0.5)
    tally.end()
    assert tally.seconds == tally.seconds
    assert (1, 0) == (tally.count("settled"), tally.count("never"))


def test_commands_are_spaced_by_the_rate_and_delays_are_recorded(monkeypatch):
    now, slept = [100.0], []

    class Stopped(threading.Event):
        def wait(self, timeout=None):
            slept.append(timeout)
            now[0] += timeout
            return False

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr(random, "expovariate", lambda rate: 1 / rate)
    pace = Pace(4.0)
    for _ in range(8):
        pace.wait(Stopped())
    assert [0.25] * 8 == slept
    assert 0 == pace.behind

    now[0] += 3
    pace.wait(Stopped())
    assert 8 == len(slept)
    assert 2.75 == pace.behind


def test_rate_zero_does_not_wait():
    Pace(0).wait(None)


def test_lost_duplicated_strange_or_unchecked_commands_are_failures():
    assert Checked(3, 40, unanswered=2).right
    for name in ("lost", "twice", "strange", "unchecked"):
        assert not (Checked(3, 40) + Checked(1, 2, **{name: 1})).right, name


def test_process_that_listens_on_this_machine_is_found_by_url():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        found = roots(f"http://127.0.0.1:{port}")
        assert len(found) == 1
        assert sum(core_seconds(found).values()) > 0
        assert [] == roots(f"http://192.0.2.1:{port}")
    assert [] == roots(f"http://127.0.0.1:{port}")
    assert [os.getpid()] == roots("http://192.0.2.1", [os.getpid(), 2**22 + 1])


def test_processes_of_a_service_are_found_by_role():
    command = ["bash", "-c", "exec -a 'rq:worker:compute-1: idle' sleep 60"]
    with subprocess.Popen(command) as worker:
        try:
            eventually(lambda: with_role(os.getpid(), "compute workers") == [worker.pid])
            assert with_role(worker.pid, "settle workers") == []
        finally:
            worker.kill()


def test_spent_core_seconds_are_the_difference_of_two_readings():
    assert spent({"api": 1.0}, {"api": 1.5, "store": 0.25}) == {"api": 0.5, "store": 0.25}
