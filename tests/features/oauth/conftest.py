"""An app, and a player who is signed in."""

from __future__ import annotations

import pytest

from tests.features.oauth.app import Browser, register


@pytest.fixture
def table(world):
    """A game of Pennies: the game, Ash's browser, and an app of Birk."""
    game, ash, birk = world.table("Ash", "Birk", options={"points": 1000})
    return game, Browser(world, ash), register(world, birk)
