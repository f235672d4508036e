"""A shared primary and its replica, and a cluster for backups."""

from __future__ import annotations

import pytest

from service.store.redis import replication
from tests.cluster.kept import Kept
from tests.cluster.replicated import Pair


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Give replicas much time on a busy machine; `impatience` is for waits that must fail."""
    monkeypatch.setattr(replication, "SECONDS", 9.0)


@pytest.fixture(scope="session")
def whole_pair(tmp_path_factory):
    pair = Pair(tmp_path_factory.mktemp("pair"))
    try:
        yield pair.start()
    finally:
        pair.stop()


@pytest.fixture
def pair(whole_pair):
    """The pair, emptied."""
    whole_pair.primary.client().flushall()
    return whole_pair


@pytest.fixture
def kept(cluster, cluster_store, tmp_path):
    """A cluster with played games, for backups."""
    return Kept(cluster, cluster_store, tmp_path)


@pytest.fixture
def own_pair(tmp_path):
    """A primary and its replica that a test may stop."""
    pair = Pair(tmp_path)
    try:
        yield pair.start()
    finally:
        pair.stop()
