"""The limits on open files and on the connections of one address."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
from collections import Counter

import pytest
from gunicorn.workers.ggevent import GeventWorker

from service.core.http.health import HealthChecks
from service.ops.processes import open_files
from service.ops.server.worker import CappedWorker, connection_limit
from service.ops.settings import Settings


def test_limit_of_open_files_is_raised_to_the_hard_one():
    program = (
        "import resource; from service.ops.processes.open_files import raise_limit;"
        "_, hard = resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard));"
        "raise_limit(); print(resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard))"
    )
    assert "True" == subprocess.check_output([sys.executable, "-c", program], text=True).strip()


@pytest.mark.parametrize(("limit", "warned"), [(1999, True), (2000, False), (resource.RLIM_INFINITY, False)])
def test_limit_under_twice_the_connections_is_reported(monkeypatch, limit, warned):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))

    found = open_files.warnings(1000)

    assert warned == bool(found)
    assert not found or f"may open {limit} files" in found[0]


def test_number_of_connections_per_address_is_limited(monkeypatch):
    worker, served = CappedWorker.__new__(CappedWorker), []
    worker.most, worker.open = connection_limit(Settings(connections_address=2)), Counter()
    first, second, third, other = (socket.socketpair()[0] for _ in range(4))

    def serve(_, listener, client, address):
        """Serve a connection; more connections arrive while it is open."""
        served.append(client)
        if client is first:
            worker.handle(listener, second, address)
        elif client is second:
            worker.handle(listener, third, address)
            worker.handle(listener, other, ("192.0.2.2", 1))

    monkeypatch.setattr(GeventWorker, "handle", serve)
    worker.handle(None, first, ("192.0.2.1", 1))

    assert [first, second, other] == served
    assert -1 == third.fileno(), "it is closed at once"
    assert not worker.open, "each gives its place back"


@pytest.mark.parametrize("settings", [Settings(connections_address=0), Settings(connections_address=2, proxies=1)])
def test_connections_are_not_limited_behind_a_proxy_or_without_a_limit(settings):
    assert 0 == connection_limit(settings)


def test_readiness_warns_of_too_few_open_files(redis_store, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 100))

    assert any("may open 100 files" in each for each in HealthChecks(redis_store, connections=51).warnings())
    assert not any("may open" in each for each in HealthChecks(redis_store, connections=50).warnings())
