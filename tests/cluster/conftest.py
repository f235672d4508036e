"""A primary and its replica, for the tests that do not end them."""

from __future__ import annotations

import pytest

from tests.cluster.replicated import Pair


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
