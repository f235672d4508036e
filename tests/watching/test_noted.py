"""Metrics that are buffered and counted later equal those that are counted at once; nothing is counted twice."""

from __future__ import annotations

import os
import random
import threading

import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest

from service.ops.metrics import buffered
from service.ops.metrics.buffered import BufferedCounter, BufferedHistogram
from tests.watching.figures import read, value

BOUNDS = (0.001, 0.01, 0.1, 1.0)


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """A metrics registry for one test."""
    monkeypatch.setattr(buffered, "REGISTRY", CollectorRegistry())
    monkeypatch.setattr(buffered, "_ALL", [])
    return lambda: read(generate_latest(buffered.REGISTRY).decode())


def test_batched_counting_equals_individual_observations(registry):
    amounts = [0.0, *BOUNDS, 2.0, 1e9, *(random.Random(1).expovariate(3) for _ in range(500))]
    times, own = BufferedHistogram("t_seconds", "T.", ("how",), BOUNDS), CollectorRegistry()
    plain = Histogram("t_seconds", "T.", ("how",), buckets=BOUNDS, registry=own)
    for place, amount in enumerate(amounts):
        times.note(amount, "ab"[place % 2])
        plain.labels("ab"[place % 2]).observe(amount)
        if place % 100 == 0:
            times.count()
    times.count()

    wanted = read(generate_latest(own).decode())
    told = registry()
    assert {name for name in wanted if name[0] != "t_seconds_created"} == {
        name for name in told if name[0] != "t_seconds_created"
    }
    for name in wanted:
        if name[0] != "t_seconds_created":
            assert wanted[name] == pytest.approx(told[name]), name


def test_notes_are_exported_only_after_counting_and_only_once(registry):
    sums = BufferedCounter("s", "S.", ("doing",))
    sums.note(2, "a")
    sums.note(0.5, "a")
    assert 0 == value(registry(), "s_total")

    buffered.count_all()
    buffered.count_all()
    assert 2.5 == value(registry(), "s_total", doing="a")


def test_full_buffer_is_counted_automatically(registry):
    times = BufferedHistogram("t_seconds", "T.", (), BOUNDS)
    for _ in range(buffered.MOST):
        times.note(0.5)

    assert buffered.MOST == value(registry(), "t_seconds_count")
    assert not times._came


def test_concurrent_notes_and_counts_lose_nothing(registry):
    times = BufferedHistogram("t_seconds", "T.", (), BOUNDS)

    def work():
        for place in range(5000):
            times.note(0.5)
            if place % 7 == 0:
                times.count()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.count()

    assert 20_000 == value(registry(), "t_seconds_count")


def test_note_made_before_a_fork_is_counted_once(registry):
    times = BufferedHistogram("t_seconds", "T.", (), BOUNDS)
    times.note(0.5)
    pid = os.fork()
    if not pid:
        os._exit(len(times._came))

    assert 0 == os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), "the child has nothing of its parent's to count"
    times.count()
    assert 1 == value(registry(), "t_seconds_count")


def test_expected_label_values_are_exported_as_zero(registry):
    BufferedHistogram("t_seconds", "T.", ("came",), BOUNDS).expect("fault")
    BufferedCounter("s", "S.", ("doing",)).expect("waiting")

    told = registry()
    assert 0 == told["t_seconds_count", frozenset({("came", "fault")})]
    assert 0 == told["s_total", frozenset({("doing", "waiting")})]
