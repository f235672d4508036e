"""Fixtures every test may use: a real server, and stores on it."""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import hypothesis
import pytest
import structlog
from flask import Flask
from werkzeug.routing import Rule

from service.ops import logging as logs
from service.ops.instance.embedded import EmbeddedServer
from tests import stores
from tests.cluster.cluster import Cluster
from tests.soaking import soak

hypothesis.settings.register_profile("gate", deadline=None)  # a busy machine is not a failure
hypothesis.settings.load_profile("gate")


class RuleCompiledOnce(Rule):
    """A URL rule that is compiled once per process: an app has about 100, 0.2 s of CPU, and the tests make thousands of apps."""

    compiled: ClassVar[dict[tuple, dict]] = {}

    def compile(self) -> None:
        defaults, methods = sorted((self.defaults or {}).items()), sorted(self.methods or ())
        key = (self.rule, self.endpoint, *defaults, *methods, self.strict_slashes, self.merge_slashes)
        if key in self.compiled:
            vars(self).update({**self.compiled[key], "map": self.map})
        else:
            super().compile()
            self.compiled[key] = dict(vars(self))


Flask.url_rule_class = RuleCompiledOnce

_configure = structlog.configure


def _uncached(**settings):
    """Configure structlog so that no logger caches its configuration on first use.

    A process of the service is configured once, so its loggers may cache that. In tests several configurations follow each
    other, and `capture_logs` would not see a logger with an earlier one.
    """
    _configure(**{**settings, "cache_logger_on_first_use": False})


structlog.configure = _uncached


PLAIN = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
"""Plain tracebacks: those of rich take up to a second of CPU each."""


@pytest.fixture(autouse=True)
def _nothing_configured(monkeypatch):
    """Reset logging, so that a configuration made in one test does not affect the next."""
    structlog.reset_defaults()
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], PLAIN])
    monkeypatch.setattr(logs, "_told", "info")


@pytest.fixture(autouse=True, scope="session")
def _stores_of_session() -> Iterator[None]:
    with stores.scope():
        yield
    stores.stop_server()


@pytest.fixture(autouse=True, scope="module")
def _stores_of_module() -> Iterator[None]:
    with stores.scope():
        yield


@pytest.fixture(autouse=True)
def _stores_of_test() -> Iterator[None]:
    with stores.scope():
        yield


@pytest.fixture(scope="session")
def server() -> EmbeddedServer:
    """A real server of this test process (one for each xdist worker)."""
    return stores.server()


@pytest.fixture
def redis_url(server: EmbeddedServer) -> str:
    """The URL of the real server's first database, emptied."""
    stores.flush(*range(stores.DATABASES.start))
    return server.url


@pytest.fixture
def redis_store(redis_url: str):
    """A store on the real server, empty."""
    from service.store.redis.store import open_store

    store = open_store(redis_url)
    yield store
    store.close()


@pytest.fixture(scope="session")
def whole_cluster() -> Iterator[Cluster]:
    """A real cluster of this test process, started by the first test that needs it."""
    folder = Path(tempfile.mkdtemp(prefix="ow-"))
    cluster = Cluster(folder)
    try:
        yield cluster.start()
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(whole_cluster: Cluster) -> Cluster:
    """The cluster, emptied."""
    whole_cluster.empty()
    return whole_cluster


@pytest.fixture
def cluster_store(cluster: Cluster):
    """A store on the cluster, empty."""
    from service.store.redis.store import open_store

    store = open_store(cluster.url)
    yield store
    store.close()


@pytest.fixture(params=["redis", *soak("cluster")])
def store(request: pytest.FixtureRequest):
    """A store on one server, and in the soak also on a cluster; both must behave the same."""
    return request.getfixturevalue(f"{request.param}_store")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Pause garbage collection: test items live to the end, and scanning them again and again takes 5 of 15 s in each process."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Resume garbage collection, without the test items."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the browser tests first: with `--dist worksteal` they then stay in one process and share one service and one browser."""
    browsers = Path(__file__).parent / "web"
    items.sort(key=lambda item: not item.path.is_relative_to(browsers))
