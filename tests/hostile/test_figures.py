"""Frequent requests for metrics or health cost little and write nothing."""

from __future__ import annotations

import threading
import time

from service.core.http.context.tokens import digest_of
from service.core.http.ttl_cache import CachedValue
from service.store.ports.accounts import Credential
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem


def counted(log, monkeypatch, name):
    """Count the calls of a method from now on."""
    calls, real = [], getattr(log, name)
    monkeypatch.setattr(log, name, lambda *args: calls.append(1) or real(*args))
    return calls


def test_metrics_are_gathered_only_once_per_interval(monkeypatch):
    world = World()
    gathered = counted(world.store.schedule, monkeypatch, "census")

    for _ in range(50):
        world.public.get("/metrics", want=200)

    assert len(gathered) <= 2, "the second only if this took five seconds"
    assert gathered


def test_remembered_value_expires_after_its_lifetime(monkeypatch):
    asked = []
    remembered = CachedValue(lambda: asked.append(1) or len(asked), 10)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    assert [1, 1] == [remembered.get(), remembered.get()]
    now[0] += 11
    assert [2, 2] == [remembered.get(), remembered.get()]


def test_caller_gets_the_old_value_while_another_refreshes_it():
    asking, go_on, asked = threading.Event(), threading.Event(), []

    def ask():
        asked.append(1)
        if len(asked) > 1:
            asking.set()
            go_on.wait(30)
        return len(asked)

    remembered = CachedValue(ask, 0)
    assert 1 == remembered.get()
    other = threading.Thread(target=remembered.get)
    other.start()
    assert asking.wait(30)
    assert 1 == remembered.get()
    go_on.set()
    other.join(30)
    assert 2 == len(asked)


def test_failed_refresh_is_repeated_by_the_next_caller():
    answers = iter([ValueError("no"), None])

    def ask():
        if (error := next(answers)) is not None:
            raise error
        return "well"

    remembered = CachedValue(ask, 10)
    try:
        remembered.get()
    except ValueError:
        assert "well" == remembered.get()
    else:
        raise AssertionError("it had failed")


def test_metrics_can_require_an_operator_token():
    world = World(metrics="token")
    ash = world.player()
    made = Credential("c1", ash.id, ("read", "play", "admin"), 0)
    world.store.accounts.add_token(made, digest_of("owt_operator"))

    is_a_problem(world.public.get("/metrics"), 401, "no-token")
    is_a_problem(ash.get("/metrics"), 403, "insufficient-scope")
    answer = world.public.get("/metrics", headers={"Authorization": "Bearer owt_operator"}, want=200)
    assert "oraclewheel_store_up 1.0" in answer.text


def test_metrics_can_be_turned_off():
    is_a_problem(World(metrics="off").public.get("/metrics"), 404, "not-found")


def test_many_readiness_requests_ask_the_store_once_a_second(monkeypatch):
    world = World()
    asked = counted(world.store, monkeypatch, "ready")

    for _ in range(100):
        world.public.get("/readyz", want=200)

    assert 1 <= len(asked) <= 5, "one a second"


def test_readiness_check_writes_nothing(redis_store):
    wire = redis_store.wire

    def written():
        told = dict(line.split(b":", 1) for line in wire.one("INFO", "persistence").split(b"\r\n") if b":" in line)
        return wire.one("DBSIZE"), told[b"rdb_changes_since_last_save"]

    before = written()
    for _ in range(5):
        assert redis_store.ready()
    assert before == written()


def test_store_that_rejects_writes_is_not_ready(redis_store):
    wire = redis_store.wire
    wire.one("CONFIG", "SET", "min-replicas-to-write", "1")
    try:
        assert not redis_store.ready()
    finally:
        wire.one("CONFIG", "SET", "min-replicas-to-write", "0")
    wire.one("CONFIG", "SET", "maxmemory", "1")
    try:
        assert not redis_store.ready()
    finally:
        wire.one("CONFIG", "SET", "maxmemory", "0")
    assert redis_store.ready()
