"""A running game, and a player at its table."""

from __future__ import annotations

import pytest

from tests.web.browsing import until


@pytest.fixture
def begin(site):
    """Create and start a game with the player in the first seat and bots in the others."""

    def made(player, kind, seats=2, bot="random", **told):
        game = player.make_game(kind, seats, **{"visibility": "public", **told})["id"]
        for _ in range(seats - 1):
            player.seat_bot(game, bot)
        player.start(game)
        return game

    return made


@pytest.fixture
def sit(window):
    """Open a game's page for a player, in a separate window."""

    def opened(player, game, **told):
        visiting = window(**told)
        visiting.sign_in(player)
        page = visiting.open(f"/games/{game}")
        page.locator("ow-desk").wait_for()
        until(page, "() => document.querySelector('ow-desk').game.options !== null")
        return visiting

    return opened
