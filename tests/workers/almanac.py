"""Games of Battalia with calendar pace, in a store whose clock a test can set."""

from __future__ import annotations

import json
from datetime import datetime
from zoneinfo import ZoneInfo

from domain.kernel.game.rules import Setup
from domain.kernel.record import Submission
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.store.codec import encode_submission
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from tests.clock import StoreClock
from tests.workers.test_advance import bodies
from workers.advance import Advance
from workers.sweeper import Sweeper

SOFIA = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}
MODULES = ("rammoth", "armamentum", "keeper", "unbound_buff")
SEED = bytes(range(32))
BATTALIA = "battalia"


def instant(text, zone="UTC"):
    """The Unix time in milliseconds of a local time such as `2026-03-25 10:00`."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def local(milliseconds, zone):
    """The reverse: the local time with its offset."""
    return datetime.fromtimestamp(milliseconds / 1000, ZoneInfo(zone)).isoformat(" ", "minutes")


def begin(store, *holders, pace=SOFIA, modules=(), id_="g", seed=SEED, table=None, **options):
    """A game started by its first player, with nothing settled yet. The same seed gives the same dice."""
    setup = GAMES[BATTALIA].rules.check(Setup(len(holders), "", options, tuple(modules)))
    chairs = tuple(Chair(holder) for holder in holders)
    lobby = Lobby(
        id_,
        BATTALIA,
        "ada",
        chairs,
        setup.ruleset,
        setup.options,
        setup.modules,
        pace,
        "public",
        commitment(seed),
        store.schedule.now(),
        table=table or {},
    )
    store.lobbies.create(lobby, seed)
    store.lobbies.start(id_, "ada", "begin")
    return id_


def say(store, game, seat, id_, /, **command):
    """Submit a command as the API does."""
    return store.log.submit(game, encode_submission(Submission(id_, Seat(seat), command, 0)), f"digest of {command}")


def standing(store, game):
    """The pending questions, as their readers see them."""
    return json.loads(store.views.rows(game).asked)


class Nobody:
    """Ignores wakes."""

    def wake(self, partition):
        pass


class Almanac:
    """A store with an adjustable clock, a worker and a sweeper, advanced by the test."""

    def __init__(self, monkeypatch, store, now):
        self.store = store
        self.clock = StoreClock(monkeypatch, now)
        self.advance = Advance.in_process(store)
        self.sweeper = Sweeper(store, Nobody())

    @property
    def now(self):
        return self.clock.now

    @now.setter
    def now(self, milliseconds):
        self.clock.now = milliseconds

    def due(self):
        """The times at which something is due."""
        names = [partition.due for partition in self.store.keys.partitions]
        found = self.store.wire.all([("ZRANGE", name, 0, -1, "WITHSCORES") for name in names])
        return [int(score) for pairs in found for score in pairs[1::2]]

    def begin(self, *holders, **told):
        game = begin(self.store, *holders, **told)
        self.work()
        return game

    def work(self):
        """Settle everything that is due now, and everything that follows from it."""
        while self.sweeper.sweep() or self.advance.round(range(self.store.partitions)):
            pass

    def until(self, now):
        """Advance to an instant, stopping whenever something is due. The pump sends heartbeats throughout."""
        while True:
            after = [when for when in self.due() if when <= now]
            self.now = max(self.now, min(after)) if after else now
            self.store.schedule.beat("pump")
            self.work()
            if not after:
                return

    def next(self):
        """Advance to the next instant at which something is due."""
        self.until(min(self.due()))

    def sleep(self, now):
        """Advance to an instant while no worker runs, then settle."""
        self.now = now
        self.work()


def days(store, game):
    """Each turn of the day in the log: the planned time, the real time, day and week."""
    return [
        (planned, body["at"], event["day"], event["week"])
        for body, planned in plan(store, game)
        for event in body.get("events", ())
        if event["type"] == "day_announced"
    ]


def plan(store, game):
    """The body of every commit with `at`, the time it was settled, and the time it was planned for, or None."""
    due, told = {}, []
    for stored, body in zip(store.log.commits(game), bodies(store, game), strict=True):
        due.update(body.get("due", ()))
        command = body["submission"]["command"]
        told.append(({**body, "at": stored.at}, due.get(command.get("question"))))
    return told
