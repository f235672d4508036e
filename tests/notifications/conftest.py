"""Register the pennies game."""

from __future__ import annotations

import pytest

from domain.registry import GAMES
from tests.core.http.test_noninterference import repeatable
from tests.pennies import PENNIES

__all__ = ["repeatable"]


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
