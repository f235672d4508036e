"""A whole service in this process: the API over an empty store, and a worker that settles when it is woken."""

from __future__ import annotations

import contextlib
import threading

import pytest

from domain.registry import GAMES
from service.api.application import create_app
from service.settings import Settings
from tests.driver import InProcess, Player
from tests.pennies import PENNIES
from tests.stores import new_store
from workers.advance import Advance


class World:
    """The service, and whoever plays there."""

    def __init__(self, store=None, **settings):
        self.store = store or new_store()
        self.asleep = False
        self.worker = Advance.in_process(self.store)
        self.app = create_app(self.store, Settings(**settings), self.wake)
        self.app.testing = False
        self.site = InProcess(self.app)
        self.public = Player(self.site)

    def wake(self, game):
        """Settle all that waits in the game, unless the worker is asleep."""
        if not self.asleep:
            self.work(game)

    def work(self, game):
        while self.worker.round([self.store.schedule.partition(game)]):
            pass

    def player(self, name=None):
        return Player.register(self.site, name)

    def table(self, *names, **told):
        """Players of a game of Pennies that has started; the game's id, then they."""
        players = [self.player(name) for name in names or ("Ash", "Birk")]
        made = players[0].make_game(seats=len(players), **told)
        for player in players[1:]:
            player.join(made["id"], made["invitation"])
        players[0].start(made["id"])
        return made["id"], *players


@contextlib.contextmanager
def soon(action, *told, seconds=0.2):
    """Do something while the block waits for it, and be done with it when the block is."""
    timer = threading.Timer(seconds, action, told)
    timer.start()
    yield
    timer.join()


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """The tiny game is on offer."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def world():
    """The service on an empty store."""
    return World()
