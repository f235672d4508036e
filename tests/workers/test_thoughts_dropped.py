"""A search stops when its question is no longer pending, since other jobs wait."""

from __future__ import annotations

import time
from threading import Thread
from types import SimpleNamespace

import pytest

from domain.table import bots
from service.core.positions.cache import Positions
from service.features.search_bots.choosing import Choosing, choose
from service.ops.settings import Settings
from service.store.ports.errors import StoreDown
from tests.workers.test_choosing import WORTHS, Thinkers, acts, first_asked, rounds, starting
from workers.advance import Advance


@pytest.fixture
def thinkers(redis_store):
    return Thinkers(redis_store)


@pytest.fixture
def advance(redis_store, thinkers):
    return Advance.in_process(redis_store, thinking=thinkers)


@pytest.fixture
def asked(redis_store, advance, thinkers):
    """The game and the question for which a bot computes a move."""
    first_asked(redis_store, starting(redis_store), advance, thinkers)
    return thinkers.asked[0]


def test_search_stops_when_its_question_is_answered(redis_store, asked, advance, thinkers, monkeypatch):
    store, choosing, looks = redis_store, thinkers.choosing, []

    def meanwhile(*_):
        choosing.look()
        looks.append("it stands")
        assert "accepted" == Choosing(store, Positions(store), thinkers, WORTHS).answer(*asked)
        rounds(store, advance)
        choosing.look()
        raise AssertionError("it has been answered by another")

    chosen = bots.choose
    monkeypatch.setattr(bots, "choose", lambda *args: chosen(*args) if looks else meanwhile())
    assert "dropped" == choosing.answer(*asked)
    assert ["it stands"] == looks
    assert 1 == len(acts(store, asked[0]))
    choosing.look()


def test_search_continues_while_the_store_is_unavailable(redis_store, asked, advance, thinkers, monkeypatch):
    choosing, chosen = thinkers.choosing, bots.choose

    def meanwhile(*args):
        with monkeypatch.context() as away:
            away.setattr(Choosing, "_found", lambda *_: (_ for _ in ()).throw(StoreDown("away")))
            choosing.look()
        return chosen(*args)

    monkeypatch.setattr(bots, "choose", meanwhile)
    assert "accepted" == choosing.answer(*asked)


def test_job_checks_during_the_search_whether_its_question_is_pending(redis_store, asked, thinkers, monkeypatch):
    store, chosen, begun = redis_store, bots.choose, []

    def answered_elsewhere():
        thinkers.choosing.answer(*asked)
        rounds(store, Advance.in_process(store, thinking=thinkers))

    def endless(*args):
        if begun:
            return chosen(*args)
        begun.append(asked)
        other = Thread(target=answered_elsewhere)  # in a thread: pumps set alarms, of which a process has only one
        other.start()
        other.join()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            pass
        raise AssertionError("nobody looked")

    context = SimpleNamespace(
        store=store, positions=Positions(store), queue=thinkers, settings=Settings(search_seconds=600)
    )
    monkeypatch.setattr("service.features.search_bots.choosing.worker_context", lambda: context)
    monkeypatch.setattr("service.features.search_bots.choosing.LOOK", 0.02)
    monkeypatch.setattr(bots, "choose", endless)
    assert "dropped" == choose(*asked)
    assert 1 == len(acts(store, asked[0]))
