"""Games to replay: a finished game of each kind, and running games."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from domain.kernel.dice import Dice
from tests.driver import Player
from tests.web.browsing import until
from tests.workers.crew import eventually

HOSTILE = '<img src=x onerror="bad()">'
PATIENCE = 400
"""Seconds for bots to finish a game while other work runs."""


MADE = {
    "battalia": ("battalia", 3, {"options": {"max_weeks": 2}, "modules": ["keeper"]}),
    "fronela": ("fronela", 4, {}),
    "nim": ("nim", 2, {"options": {"heaps": 5}}),
    "running": ("battalia", 2, {}),
    "going": ("nim", 2, {"options": {"heaps": 8}}),
    "fronela-running": ("fronela", 4, {}),
}
"""Kind, seats and settings of each game."""
PLAYED = {"nim": 100, "running": 12, "going": 3}
"""Turns that the players take."""
RESIGNED = ("battalia", "fronela")
"""Games that the players resign and bots finish, which takes a while."""


class Games(dict):
    """Ids of games by name; a game is created when a test first uses it."""

    def __init__(self, ada: Player, birk: Player) -> None:
        super().__init__()
        self._ada, self._birk = ada, birk

    def __missing__(self, which: str) -> str:
        kind, seats, told = MADE[which]
        game = self[which] = _table(self._ada, self._birk, kind, seats, **told)
        if which in RESIGNED:
            for player in (self._ada, self._birk):
                player.send(game, {"type": "resign"}, want=200)
        _play(self._ada, self._birk, game, PLAYED.get(which, 0))
        if which in (*RESIGNED, "nim"):
            eventually(lambda: self._ada.summary(game)["status"] == "over", seconds=PATIENCE, every=0.2)
        return game


@dataclass
class Table:
    """Two players and their games by name."""

    ada: Player
    birk: Player
    games: Games


@pytest.fixture(scope="package")
def shelf(url):
    """Two players and their games."""
    from tests.driver import Remote

    site = Remote(url)
    ada, birk = Player.register(site, "Ada"), Player.register(site, HOSTILE)
    yield Table(ada, birk, Games(ada, birk))
    site.close()


@pytest.fixture
def replay(visiting, shelf):
    """Open a replay as Ada or as a visitor, and wait for its board."""

    def open_replay(which, query="", *, signed_in=True, window=visiting):
        window.expected.add(404)  # there is no analysis
        if signed_in:
            window.sign_in(shelf.ada)
        page = window.open(f"/games/{shelf.games[which]}/replay{query}")
        page.locator("ow-board svg").wait_for()
        page.locator(".lines").wait_for()
        return page

    return open_replay


def where(page):
    """The position that the page says it shows."""
    return page.locator(".where b").inner_text()


def at(page):
    """The commit that is shown on the board and in the text."""
    return int(page.locator(".timeline input").input_value())


def comes_to(page, seq):
    until(page, "(seq) => Number(document.querySelector('.timeline input').value) === seq", seq)


def _table(ada: Player, birk: Player, kind, seats, **told):
    made = ada.make_game(kind, seats, **told)
    birk.join(made["id"], made["invitation"])
    for _ in range(seats - 2):
        ada.seat_bot(made["id"], "greedy")
    ada.start(made["id"])
    return made["id"]


def _play(ada: Player, birk: Player, game, most):
    dice = Dice(b"what happened before it was seen".ljust(32))
    for _ in range(most):
        if ada.summary(game)["status"] == "over":
            return
        for player in (ada, birk):
            if any(turn["game"] == game for turn in player.turns()):
                player.move(game, dice, want=None)
