"""The metrics for Prometheus: requests of this API, totals of all processes, and the state of the service.

They contain no name and no id.
"""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from service.core.http.store_metrics import StoreMetrics
from service.ops.logging import detailed, logger
from service.ops.metrics.gathering import FOLDER, gathered

SCRAPE_SECONDS = 5.0
"""Seconds between two collections, which read every process's files and every partition. The route may be public."""

BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)

log = logger("api")


class RequestMetrics:
    """Number and duration of requests."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._count = Counter(
            "oraclewheel_http_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "oraclewheel_http_request_duration_seconds",
            "Time until the response began.",
            ["route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._counts: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one. The labelled children are cached, because looking them up costs more than counting."""
        count = self._counts.get((method, route, status))
        if count is None:
            count = self._counts[method, route, status] = self._count.labels(method, route, str(status))
        count.inc()
        time = self._times.get(route)
        if time is None:
            time = self._times[route] = self._seconds.labels(route)
        time.observe(seconds)
        if detailed():
            log.debug(
                "request_answered", method=method, route=route, status=status, duration_ms=round(1000 * seconds, 1)
            )

    def render(self, store_metrics: StoreMetrics) -> bytes:
        """All metrics in Prometheus' format; with several processes, their sum."""
        # The files of the processes include what this app has counted.
        own = b"" if os.environ.get(FOLDER) else generate_latest(self.registry)
        now = CollectorRegistry()
        now.register(store_metrics)
        return own + gathered() + generate_latest(now)
