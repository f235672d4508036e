"""Processes that start while the store is unavailable wait for it, because exiting would only cause another start."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.core.queue import CRON
from service.store.ports.errors import StoreDown
from workers import process


class Waited(Exception):
    """`await_store` was called."""


def test_worker_waits_for_the_store_before_it_uses_it(monkeypatch):
    def away():
        raise StoreDown("it is loading")

    def waited():
        raise Waited

    for name in ("logging.configure", "signal.signal", "keep_counting", "prepare"):
        monkeypatch.setattr(f"workers.process.{name}", lambda *_: None)
    monkeypatch.setattr(process, "worker_context", away)
    monkeypatch.setattr(process, "await_store", waited)
    with pytest.raises(Waited):
        process.work(CRON)


def test_waiting_for_the_store_ends_when_it_answers_or_after_the_timeout(monkeypatch):
    left = [StoreDown("it is loading")] * 3

    def context():
        if left:
            raise left.pop()
        return SimpleNamespace(queue=SimpleNamespace(connection=SimpleNamespace(ping=lambda: True)))

    monkeypatch.setattr(process, "worker_context", context)
    process.await_store()
    assert not left

    left += [StoreDown("it stays away")] * 9
    with pytest.raises(StoreDown):
        process.await_store(0.0)
