"""Gauges of the store."""

from __future__ import annotations

import time

from service.core.http.store_metrics import StoreMetrics
from service.store.upkeep.backlog import Backlog


def test_age_of_sweeps_counts_from_the_start_until_the_first_sweep(redis_store, monkeypatch):
    """Otherwise the alert NoSweeps stays silent if no sweep ever runs."""
    metrics, begun = StoreMetrics(redis_store, None, Backlog(redis_store)), time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begun + 60)

    ages = {each.name: each.samples[0].value for each in metrics.collect() if each.samples}

    assert 59 < ages["oraclewheel_sweep_age_seconds"] < 61
