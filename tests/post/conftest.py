"""The tiny game is on offer."""

from __future__ import annotations

import pytest

from domain.registry import GAMES
from tests.pennies import PENNIES


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
