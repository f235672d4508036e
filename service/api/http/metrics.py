"""The metrics for Prometheus: requests of this API, what all processes have seen, and how all stands. They hold no name and no id."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from service.api.http.census import Census
from service.process.figures.gathering import FOLDER, gathered
from service.process.logs import detailed, logger

GATHERED = 5.0
"""Seconds between two gatherings: they read every process's files and every partition, and anybody may ask."""

BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)

log = logger("api")


class Requests:
    """How many requests there were, and how long they took."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._count = Counter(
            "oraclewheel_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "oraclewheel_request_seconds",
            "Time until the response began.",
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
        if detailed():
            log.debug("answered", method=method, route=route, status=status, milliseconds=round(1000 * seconds, 1))

    def text(self, census: Census) -> bytes:
        """Everything, in Prometheus' format; under several processes the sum of all."""
        # The files of the processes hold what this app has counted as well.
        own = b"" if os.environ.get(FOLDER) else generate_latest(self.registry)
        now = CollectorRegistry()
        now.register(census)
        return own + gathered() + generate_latest(now)
