"""A whole service in this process: the API on an empty store, and a worker that settles commands when it is woken."""

from __future__ import annotations

import contextlib
import threading

import pytest
from flask import request

from domain.registry import GAMES
from service.api_reference.operations import problem_codes
from service.application import create_app
from service.core.http.reference.routes import ROUTES
from service.ops.settings import Settings
from tests.core.http.problem import undeclared
from tests.driver import InProcess, Player
from tests.pennies import PENNIES
from tests.stores import new_store
from workers.advance import Advance

UNDECLARED: list[str] = []
"""Problems from operations that do not list them in ``x-problem-codes``."""


def note_undeclared(response):
    docs = ROUTES.get(request.endpoint or "")
    if docs is not None and response.mimetype == "application/problem+json" and response.status_code != 405:
        rule = request.url_rule.rule
        told = {"x-problem-codes": problem_codes(docs, request.method, rule)}
        found = undeclared(told, response.status_code, response.get_json())
        UNDECLARED.extend(f"{request.method} {rule}: {fault}" for fault in found)
    return response


@pytest.fixture(autouse=True)
def every_problem_is_declared():
    """Fail a test that gets a problem which the contract does not list for the operation."""
    UNDECLARED.clear()
    yield
    assert sorted(set(UNDECLARED)) == []


class World:
    """The service and its players."""

    def __init__(self, store=None, **settings):
        self.store = store or new_store()
        self.asleep = False
        self.worker = Advance.in_process(self.store)
        self.app = create_app(self.store, Settings(**settings), self.wake)
        self.app.testing = False
        self.app.after_request(note_undeclared)
        self.site = InProcess(self.app)
        self.public = Player(self.site)

    def wake(self, game):
        """Settle all pending commands of the game, unless the worker is asleep."""
        if not self.asleep:
            self.work(game)

    def work(self, game):
        while self.worker.round([self.store.schedule.partition(game)]):
            pass

    def player(self, name=None):
        return Player.register(self.site, name)

    def table(self, *names, **told):
        """Start a game of Pennies; return its id and the players."""
        players = [self.player(name) for name in names or ("Ash", "Birk")]
        made = players[0].make_game(seats=len(players), **told)
        for player in players[1:]:
            player.join(made["id"], made["invitation"])
        players[0].start(made["id"])
        return made["id"], *players


@contextlib.contextmanager
def soon(action, *told, seconds=0.2):
    """Run an action in a thread while the block runs, and wait for it at the end."""
    timer = threading.Timer(seconds, action, told)
    timer.start()
    yield
    timer.join()


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the tiny game of Pennies."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def world():
    return World()
