"""Two players and their windows, and a connection to the service that can be cut."""

from __future__ import annotations

import pytest

from tests.driver import Player
from tests.web.live.line import Line


@pytest.fixture
def bo(site):
    return Player.register(site, "Bo <img src=x onerror=alert(1)>")


@pytest.fixture
def line(url):
    made = Line(url)
    yield made
    made.close()


@pytest.fixture
def table(ada, bo):
    """Create and start a game of these two players."""

    def begin(kind="battalia", seats=2, **told):
        made = ada.make_game(kind, seats, **told)
        bo.join(made["id"], made["invitation"])
        for _ in range(seats - 2):
            ada.seat_bot(made["id"], "greedy")
        ada.start(made["id"])
        return made["id"]

    return begin


@pytest.fixture
def at_table(window, url):
    """Open a game in a separate window of a player or a stranger, with one side panel shown."""

    def sit(player, game, panel="history", through=None, cut=False, **told):
        visiting = window(**told)
        visiting.expected.add(404)  # there is no plan
        visiting.url = through or url
        visiting.cut = cut
        if player is not None:
            visiting.sign_in(player)
        page = visiting.open(f"/games/{game}")
        page.locator("#tab-history").wait_for()
        if panel != "history":
            page.locator(f"#tab-{panel}").click()
        page.locator(f"[role=tabpanel][aria-labelledby=tab-{panel}]:not([hidden])").wait_for()
        page.visiting = visiting
        return page

    return sit


def asked(player, game):
    return {question["seat"] for question in player.summary(game)["pending_questions"]}


def pass_turns(ada, bo, game, times):
    """Let the players end their turns in order."""
    for _ in range(times):
        player = ada if 1 in asked(ada, game) else bo
        player.send(game, {"type": "end_turn"}, want=200)


def panel(page, key):
    """Open the side panel with this tab."""
    page.locator(f"#tab-{key}").click()
    shown = page.locator(f"[role=tabpanel][aria-labelledby=tab-{key}]:not([hidden])")
    shown.wait_for()
    return shown
