"""The metrics for Prometheus: requests of this API, counts of games and jobs. They hold no name and no id."""

from __future__ import annotations

import os
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service.queue import Queue
from service.store.ports.errors import StoreDown
from service.store.ports.store import Store
from service.store.shared.backlog import Backlog

GATHERED = 5.0
"""Seconds between two gatherings: they read every process's files and every partition, and anybody may ask."""

BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)


class Requests:
    """How many requests there were, and how long they took."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._count = Counter(
            "oraclewheel_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "oraclewheel_request_seconds",
            "Time until the answer began.",
            ["route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._counts: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one; the labelled children are remembered, because looking them up costs more than counting."""
        count = self._counts.get((method, route, status))
        if count is None:
            count = self._counts[method, route, status] = self._count.labels(method, route, str(status))
        count.inc()
        time = self._times.get(route)
        if time is None:
            time = self._times[route] = self._seconds.labels(route)
        time.observe(seconds)

    def text(self, store: Store, queue: Queue | None, backlog: Backlog) -> bytes:
        """Everything, in Prometheus' format; under several processes the sum of all."""
        registry = self.registry
        if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        now = CollectorRegistry()
        now.register(Census(store, queue, backlog))
        return generate_latest(registry) + generate_latest(now)


class Census(Collector):
    """Gauges that are read from the store and the queue at the moment of the scrape."""

    def __init__(self, store: Store, queue: Queue | None, backlog: Backlog) -> None:
        self._store, self._queue, self._backlog = store, queue, backlog

    def collect(self) -> Iterable[Metric]:
        """The store's gauges, and RQ's where there is a queue and its Redis answers."""
        try:
            census = self._store.log.census()
            waited = self._backlog.seconds()
        except StoreDown:
            census, waited = {}, None
        yield GaugeMetricFamily("oraclewheel_store_up", "Whether the store answers.", value=int(bool(census)))
        games = GaugeMetricFamily(
            "oraclewheel_games", "Games with commands waiting, with a worker, or stalled.", labels=["state"]
        )
        for state in ("ready", "claimed", "stalled", "quarantined", "needs-release"):
            if state in census:
                games.add_metric([state], census[state])
        yield games
        if "due" in census:
            yield GaugeMetricFamily("oraclewheel_deadlines", "Deadlines to come.", value=census["due"])
        if waited is not None:
            yield GaugeMetricFamily(
                "oraclewheel_waiting_seconds", "How long the oldest waiting command has waited.", value=waited
            )
        yield from self._outbox()
        yield from self._jobs()

    def _outbox(self) -> Iterable[Metric]:
        """What subscriptions are owed, where the store answers."""
        try:
            census = self._store.outbox.census()
        except StoreDown:
            return
        yield GaugeMetricFamily(
            "oraclewheel_outbox",
            "Words that subscriptions are owed, those to be tried again among them.",
            value=census.owed,
        )
        yield GaugeMetricFamily(
            "oraclewheel_outbox_seconds",
            "For how long the oldest of them has been due.",
            value=(census.oldest or 0) / 1000,
        )
        yield CounterMetricFamily("oraclewheel_dead_words", "Words that were given up, ever.", value=census.dead)

    def _jobs(self) -> Iterable[Metric]:
        if self._queue is None:
            return
        failed = GaugeMetricFamily(
            "oraclewheel_jobs_failed", "Jobs that RQ has given up and none has done since.", labels=["queue"]
        )
        waiting = GaugeMetricFamily("oraclewheel_jobs_waiting", "Jobs that wait.", labels=["queue"])
        try:
            for name, ids in self._queue.failed().items():
                failed.add_metric([name], len(ids))
            for name, count in self._queue.waiting().items():
                waiting.add_metric([name], count)
        except RedisError:
            return
        yield failed
        yield waiting
