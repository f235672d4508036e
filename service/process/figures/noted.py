"""Observations that cost the one who makes them next to nothing: they are noted, and counted all together a little later."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict, deque
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram

PAUSE = 1.0
"""Seconds between two countings: a process that is killed takes with it what it has seen since the last one."""

MOST = 4096
"""Observations that are noted before they are counted at once, where nobody counts in the background."""

REGISTRY = CollectorRegistry()
"""The figures of this process that are no API's own."""

_Labels = tuple[str, ...]


class Noted:
    """One figure. Safe to use from any thread: what is noted is taken out by exactly one that counts."""

    def __init__(self) -> None:
        self._came: deque[tuple[float, _Labels]] = deque()
        _ALL.append(self)

    def note(self, amount: float, *labels: str) -> None:
        """So much was seen, under these labels."""
        self._came.append((amount, labels))
        if len(self._came) >= MOST:
            self.count()

    def count(self) -> None:
        """Count what was noted since this was called last."""
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
        """What was noted is another process's to count, off which this one was forked."""
        self._came.clear()

    def _add(self, labels: _Labels, amounts: Sequence[float]) -> None:
        raise NotImplementedError


class Times(Noted):
    """How long something took, in seconds: a histogram."""

    def __init__(self, name: str, what: str, labels: _Labels, bounds: Sequence[float]) -> None:
        super().__init__()
        self._histogram = Histogram(name, what, labels, buckets=bounds, registry=REGISTRY)
        self._named = bool(labels)

    def expect(self, *labels: str) -> None:
        """There may be some under these labels: until then they are told to be none."""
        self._histogram.labels(*labels)

    def _add(self, labels: _Labels, amounts: Sequence[float]) -> None:
        child = self._histogram.labels(*labels) if self._named else self._histogram
        for amount in amounts:
            child.observe(amount)


class Sums(Noted):
    """How much there was of something: a counter."""

    def __init__(self, name: str, what: str, labels: _Labels) -> None:
        super().__init__()
        self._counter = Counter(name, what, labels, registry=REGISTRY)

    def expect(self, *labels: str) -> None:
        """As `Times.expect`."""
        self._counter.labels(*labels)

    def _add(self, labels: _Labels, amounts: Sequence[float]) -> None:
        self._counter.labels(*labels).inc(sum(amounts))


_ALL: list[Noted] = []


def count_all() -> None:
    """Count what has been noted in this process."""
    for each in _ALL:
        each.count()


def keep_counting() -> None:
    """Count in the background from now on, as long as this process lives; what a long-lived process calls once."""

    def work() -> None:
        while True:
            time.sleep(PAUSE)
            count_all()

    threading.Thread(target=work, name="figures", daemon=True).start()


def _forget_all() -> None:
    for each in _ALL:
        each.forget()


os.register_at_fork(after_in_child=_forget_all)
