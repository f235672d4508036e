"""The jobs of notifications, by the names that RQ has for them."""

from __future__ import annotations

from service.core.feature import load
from service.core.jobs import worker_context
from service.core.notifications.game_subscriptions import reconcile
from workers.process import Worker


def drain() -> int:
    """Make pending deliveries; returns the number of deliveries processed."""
    return int(load("service.features.notifications.drain:drain")(lambda: Worker.stopping))


def reconcile_subscriptions() -> int:
    """The hourly job: repair subscriptions to games."""
    return reconcile(worker_context().store)
