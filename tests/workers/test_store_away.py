"""Processes that start while the store is away wait for it, each of them: to die of it would only cost another start."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.store.ports.errors import StoreDown
from workers import process, schedule


class Waited(Exception):
    """It was waited."""


def test_the_schedule_asks_nothing_of_the_store_before_it_answers(monkeypatch):
    def away():
        raise StoreDown("it is loading")

    def waited():
        raise Waited

    monkeypatch.setattr(schedule, "worker_context", away)
    monkeypatch.setattr(schedule, "await_store", waited)
    with pytest.raises(Waited):
        schedule.run()


def test_who_waits_goes_on_as_soon_as_it_answers_and_gives_up_in_the_end(monkeypatch):
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
