"""Cheap observations: collected in a queue, and added to the metrics together a little later."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict, deque
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram

PAUSE = 1.0
"""Seconds between two additions: a killed process loses its observations since the last one."""

MOST = 4096
"""Number of observations that are added at once, in processes without a counting thread."""

REGISTRY = CollectorRegistry()
"""The metrics of this process, except those of the API."""

_Labels = tuple[str, ...]


class BufferedMetric:
    """One metric. Thread-safe: each observation is counted exactly once."""

    def __init__(self) -> None:
        self._came: deque[tuple[float, _Labels]] = deque()
        _ALL.append(self)

    def note(self, amount: float, *labels: str) -> None:
        """Record an amount with these labels."""
        self._came.append((amount, labels))
        if len(self._came) >= MOST:
            self.count()

    def count(self) -> None:
        """Add the observations since the last call to the metric."""
        seen: defaultdict[_Labels, list[float]] = defaultdict(list)
        while self._came:
            try:
                amount, labels = self._came.popleft()
            except IndexError:
                break  # another thread counts too
            seen[labels].append(amount)
        for labels, amounts in seen.items():
            self._add(labels, amounts)

    def forget(self) -> None:
        """Drop observations inherited by a fork: the parent counts them."""
        self._came.clear()

    def _add(self, labels: _Labels, amounts: Sequence[float]) -> None:
        raise NotImplementedError


class BufferedHistogram(BufferedMetric):
    """A histogram of durations in seconds."""

    def __init__(self, name: str, what: str, labels: _Labels, bounds: Sequence[float]) -> None:
        super().__init__()
        self._histogram = Histogram(name, what, labels, buckets=bounds, registry=REGISTRY)
        self._named = bool(labels)

    def expect(self, *labels: str) -> None:
        """Export these labels as zero until there is an observation."""
        self._histogram.labels(*labels)

    def _add(self, labels: _Labels, amounts: Sequence[float]) -> None:
        child = self._histogram.labels(*labels) if self._named else self._histogram
        for amount in amounts:
            child.observe(amount)


class BufferedCounter(BufferedMetric):
    """A counter."""

    def __init__(self, name: str, what: str, labels: _Labels) -> None:
        super().__init__()
        self._counter = Counter(name, what, labels, registry=REGISTRY)

    def expect(self, *labels: str) -> None:
        """As `BufferedHistogram.expect`."""
        self._counter.labels(*labels)

    def _add(self, labels: _Labels, amounts: Sequence[float]) -> None:
        self._counter.labels(*labels).inc(sum(amounts))


_ALL: list[BufferedMetric] = []


def count_all() -> None:
    """Add all observations of this process to the metrics."""
    for each in _ALL:
        each.count()


def keep_counting() -> None:
    """Start a thread that calls `count_all` periodically; long-lived processes call this once."""

    def work() -> None:
        while True:
            time.sleep(PAUSE)
            count_all()

    threading.Thread(target=work, name="figures", daemon=True).start()


def _forget_all() -> None:
    for each in _ALL:
        each.forget()


os.register_at_fork(after_in_child=_forget_all)
