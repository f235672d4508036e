"""Metrics read from the store and the queue during the scrape: the state of the whole service."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service.core.queue import Queue
from service.core.queue.compute import search_workers
from service.ops.metrics.catalogue import KINDS_OF_DELIVERY, kind_of_delivery
from service.store.ports.errors import StoreDown
from service.store.redis.log.schedule import SWEPT
from service.store.redis.store import Store
from service.store.upkeep.backlog import Backlog

STATES = ("ready", "claimed", "stalled", "quarantined", "needs-release")


class StoreMetrics(Collector):
    """Gauges of the whole service. Every API process on every host exports the same values."""

    def __init__(
        self,
        store: Store,
        queue: Queue | None,
        backlog: Backlog,
        more: Iterable[Callable[[Store], Iterable[Metric]]] = (),
    ) -> None:
        """``more`` return the metrics of features."""
        self._store, self._queue, self._backlog, self._more = store, queue, backlog, tuple(more)
        self._started = time.monotonic()

    def collect(self) -> Iterable[Metric]:
        """The gauges of the store, and of the queue if there is one; without those that do not respond."""
        parts: list[Callable[[], Iterable[Metric]]] = [partial(each, self._store) for each in self._more]
        of_store = (self._games, self._waiting, self._outbox, self._archive, self._servers, *parts)
        metrics, up = list[Metric](), True
        try:
            for part in of_store:
                metrics += part()
        except StoreDown:
            up = False  # skip the others: each might take long to fail
        yield GaugeMetricFamily("oraclewheel_store_up", "1 if the store responds, otherwise 0.", value=int(up))
        yield from metrics
        with suppress(RedisError):
            yield from [*self._jobs()]

    def _games(self) -> Iterator[Metric]:
        census = self._store.schedule.census()
        games = GaugeMetricFamily(
            "oraclewheel_games",
            "Games by state: with waiting commands, with a worker, stalled, quarantined, or waiting for another release.",
            labels=["state"],
        )
        for state in STATES:
            games.add_metric([state], census.get(state, 0))
        yield games
        yield GaugeMetricFamily("oraclewheel_deadlines", "Scheduled deadlines.", value=census["due"])
        yield GaugeMetricFamily(
            "oraclewheel_deadline_overdue_seconds",
            "Age of the oldest deadline that has passed and is not submitted.",
            value=census["overdue"] / 1000,
        )
        before = self._store.schedule.last_beat(SWEPT)
        # If no sweep has ever run, report it like one that stopped.
        age = time.monotonic() - self._started if before is None else (self._store.schedule.now() - before) / 1000
        yield GaugeMetricFamily(
            "oraclewheel_sweep_age_seconds",
            "Time since the last sweep, or since the start of the process if there was none. One runs every half second.",
            value=max(0, age),
        )

    def _waiting(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "oraclewheel_oldest_command_age_seconds",
            "Age of the oldest waiting command.",
            value=self._backlog.seconds(),
        )

    def _outbox(self) -> Iterator[Metric]:
        census = self._store.outbox.census()
        yield GaugeMetricFamily(
            "oraclewheel_pending_deliveries",
            "Pending deliveries to subscriptions, including retries.",
            value=census.pending,
        )
        yield GaugeMetricFamily(
            "oraclewheel_oldest_delivery_age_seconds",
            "Age of the oldest pending delivery.",
            value=(census.oldest or 0) / 1000,
        )
        waiting, kinds = self._store.outbox.due(), Counter[str]()
        for subscription, count in waiting.items():
            found = self._store.subscriptions.get(subscription)
            kinds[kind_of_delivery(found.kind) if found else "unknown"] += count
        deliveries = GaugeMetricFamily(
            "oraclewheel_due_deliveries", "Deliveries that are due or in progress, by kind.", labels=["kind"]
        )
        for kind in (*KINDS_OF_DELIVERY, *sorted(kinds.keys() - {*KINDS_OF_DELIVERY})):
            deliveries.add_metric([kind], kinds[kind])
        yield deliveries
        yield CounterMetricFamily(
            "oraclewheel_abandoned_deliveries", "Deliveries that were given up, in total.", value=census.dead
        )

    def _archive(self) -> Iterator[Metric]:
        archived, moving = self._store.shelved()
        yield GaugeMetricFamily("oraclewheel_archived_games", "Games in the archive.", value=archived)
        yield GaugeMetricFamily(
            "oraclewheel_archive_moves_in_progress",
            "Games whose move to the archive has started and not finished.",
            value=moving,
        )

    def _servers(self) -> Iterator[Metric]:
        gauges = {
            "memory": GaugeMetricFamily(
                "oraclewheel_redis_memory_bytes", "Memory used by a server of the store.", labels=["server"]
            ),
            "most": GaugeMetricFamily(
                "oraclewheel_redis_memory_limit_bytes",
                "Memory limit of a server of the store (maxmemory). 0 means no limit.",
                labels=["server"],
            ),
            "disk": GaugeMetricFamily(
                "oraclewheel_redis_disk_ok",
                "1 if the last write to disk (append-only file or snapshot) succeeded, otherwise 0.",
                labels=["server"],
            ),
            "replicas": GaugeMetricFamily("oraclewheel_redis_replicas", "Connected replicas.", labels=["server"]),
            "wanted": GaugeMetricFamily(
                "oraclewheel_redis_replicas_required",
                "Replicas required to accept writes (min-replicas-to-write) or to send responses "
                "(ORACLEWHEEL_REPLICAS).",
                labels=["server"],
            ),
        }
        for server in self._store.servers():
            for name, gauge in gauges.items():
                gauge.add_metric([server.name], float(getattr(server, name)))
        yield from gauges.values()

    def _jobs(self) -> Iterator[Metric]:
        if self._queue is None:
            return
        failed = GaugeMetricFamily(
            "oraclewheel_jobs_failed", "Failed RQ jobs that were not repeated successfully.", labels=["queue"]
        )
        waiting = GaugeMetricFamily("oraclewheel_jobs_waiting", "Waiting jobs.", labels=["queue"])
        for name, ids in self._queue.failed().items():
            failed.add_metric([name], len(ids))
        for name, count in self._queue.waiting().items():
            waiting.add_metric([name], count)
        yield failed
        yield waiting
        yield GaugeMetricFamily(
            "oraclewheel_search_workers",
            "Search workers with a current heartbeat.",
            value=search_workers(self._queue.connection),
        )
        yield GaugeMetricFamily(
            "oraclewheel_settle_workers",
            "Lanes with a live settle worker, out of those in the settings of this process.",
            value=self._queue.settling(),
        )
        yield GaugeMetricFamily(
            "oraclewheel_settle_workers_configured",
            "Configured settle workers (ORACLEWHEEL_SETTLE_WORKERS).",
            value=self._queue.lanes.count,
        )
