"""Games of pennies, set up as the API does, and a worker that settles them."""

from __future__ import annotations

import itertools
import secrets

import pytest

from domain.kernel.record import Submission
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.store.codec import encode_submission
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.pennies import PENNIES
from workers.advance import Advance


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the test game."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def advance(store):
    """A worker on either store."""
    return Advance.in_process(store)


class Tables:
    """Creates games of pennies in a store and submits the commands of their players."""

    def __init__(self, store):
        self.store = store
        self.numbers = itertools.count(1)

    def start(self, *holders, points=3, pace=None, id_=None, sandbox=None, creator="ada"):
        """A game started by its first player, with nothing settled yet."""
        game = id_ or f"t{next(self.numbers)}-{secrets.token_hex(3)}"
        seed = secrets.token_bytes(32)
        lobby = Lobby(
            game,
            "pennies",
            creator,
            tuple(Chair(holder) for holder in holders or ("ada", "bob")),
            "pennies_v1",
            {"points": points},
            (),
            pace or {"mode": "free"},
            "public",
            commitment(seed),
            self.store.schedule.now(),
            sandbox,
        )
        self.store.lobbies.create(lobby, seed)
        self.store.lobbies.start(game, creator, "begin")
        return game

    def say(self, game, seat, id_=None, expected=None, **command):
        """Submit a command as the API does."""
        submission = Submission(id_ or f"c{next(self.numbers)}", Seat(seat), command, 0, expected)
        return self.store.log.submit(game, encode_submission(submission), f"digest of {command}")

    def hide(self, game, seat, pennies=0, **more):
        """The seat closes its hand."""
        return self.say(game, seat, type="hide", pennies=pennies, **more)


@pytest.fixture
def tables(store):
    return Tables(store)
