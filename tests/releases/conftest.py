"""Games of Nim under two releases of the rules, settled by the real worker in a real store."""

from __future__ import annotations

import itertools
import secrets

import orjson
import pytest

from domain.play.record import Submission
from domain.registry import GAMES
from domain.terms import Seat
from service.process.frozen import shelf
from service.process.frozen.loading import load
from service.projections.history.export import export_lines
from service.store.codec import encode_submission
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.cli import conftest as cli
from tests.releases.before import RELEASE, older
from workers.advance import Advance

oraclewheel = cli.oraclewheel


@pytest.fixture(autouse=True)
def on_no_shelf(monkeypatch):
    """Whatever a test puts on this process's shelf, the next one finds it empty."""
    monkeypatch.setattr(shelf, "_shelf", shelf.Shelf())


@pytest.fixture
def kept(tmp_path):
    """The rules of the release before lie frozen where this process looks for them."""
    older().write(tmp_path / "kept")
    return shelf.use(tmp_path / "kept")


class Nim:
    """Games of Nim with heaps of 1 and 3, and whoever settles them: of the present release, or of the one before."""

    def __init__(self, store, monkeypatch):
        self.store, self._monkeypatch = store, monkeypatch
        self._numbers = itertools.count(1)
        self._old = load(older())["nim"]

    def start(self, **settings):
        game, seed = f"nim-{secrets.token_hex(4)}", secrets.token_bytes(32)
        now, chairs = self.store.log.now(), (Chair("ada"), Chair("bob"))
        given = ({"heaps": 2, "last_object": "wins"}, (), {"mode": "free"}, "public")
        lobby = Lobby(game, "nim", "ada", chairs, "nim_v1", *given, commitment(seed), now, **settings)
        self.store.lobbies.create(lobby, seed)
        self.store.lobbies.start(game, "ada", "begin")
        return game

    def take(self, game, heap, objects):
        """Whoever is on turn asks for it."""
        seat = orjson.loads(self.store.log.rows(game).asked)[0]["seat"]
        return self.say(game, seat, {"type": "take", "heap": heap, "objects": objects})

    def say(self, game, seat, command):
        submission = Submission(f"c{next(self._numbers)}", Seat(seat), command, 0)
        return self.store.log.submit(game, encode_submission(submission), str(command))

    def settle(self, advance=None, *, old=False):
        """All that waits is settled by a worker that has just started."""
        advance = advance or Advance.in_process(self.store)
        with self._monkeypatch.context() as patched:
            if old:
                patched.setitem(GAMES, "nim", self._old)
            rounds = 0
            while advance.round(range(self.store.partitions)):
                rounds += 1
                assert rounds < 1000, "it comes to no end"

    def turn(self, game, heap, objects, *, old=False):
        """A turn, and what it came to: the release that its commit names, and whether it was refused."""
        self.take(game, heap, objects)
        self.settle(old=old)
        return self.newest(game)

    def newest(self, game):
        seq, _ = self.store.log.head(game)
        (commit,) = self.store.log.commits(game, seq, seq)
        return commit.release, b'"refusal"' in commit.body

    def last(self, game):
        """The body of the newest commit."""
        seq, _ = self.store.log.head(game)
        (commit,) = self.store.log.commits(game, seq, seq)
        return commit.body

    def begun(self):
        """A game that the release before has begun."""
        game = self.start()
        self.settle(old=True)
        assert (RELEASE, False) == self.newest(game)
        return game

    def exported(self, game):
        return b"".join(export_lines(self.store, self.store.lobbies.get(game)))


@pytest.fixture
def nim(store, monkeypatch):
    return Nim(store, monkeypatch)
