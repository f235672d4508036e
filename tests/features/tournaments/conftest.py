"""A service with tournaments of Nim."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from service.core.positions.cache import Positions
from service.features.tournaments.running import Runner
from service.ops.settings import Settings
from tests.driver import play_out

DAILY = {"mode": "per_question", "hours": 24}
SWISS = {"name": "Autumn Nim", "kind": "nim", "seats": 2, "pace": DAILY, "format": "swiss", "rounds": 3, "places": 4}


class Arena:
    """A service, an organizer, and players."""

    def __init__(self, world):
        self.world, self.store = world, world.store
        self.organizer = world.player("Orga")
        self.runner = Runner(self.store, Settings(running_games=0), Positions(self.store), world.wake)
        self.players = {}

    def create(self, want=201, **changed):
        body = {name: value for name, value in {**SWISS, **changed}.items() if value is not None}
        return self.organizer.post("/v1/tournaments", body, want=want).json

    def enter(self, id_, *names):
        for name in names:
            player = self.players.setdefault(name, None) or self.world.player(name)
            self.players[name] = player
            player.post(f"/v1/tournaments/{id_}/entries", {}, want=201)

    def started(self, *names, **changed):
        """The id of a tournament of these players whose first round has begun."""
        id_ = self.create(**changed)["id"]
        self.enter(id_, *(names or ("Ash", "Birk", "Cleo", "Dora")))
        self.organizer.post(f"/v1/tournaments/{id_}/start", {}, want=200)
        self.runner.advance_all()
        return id_

    def read(self, id_, player=None):
        return (player or self.world.public).get(f"/v1/tournaments/{id_}", want=200).json

    def play(self, id_, number=-1):
        """Play all games of a round to their ends."""
        players = list(self.players.values())
        for table in self.read(id_)["rounds"][number]["tables"]:
            if table["game"] and table["ranks"] is None:
                play_out(players, table["game"], Dice(table["game"].encode() + b"-" * 16))

    def finish(self, id_):
        """Play to the end."""
        while self.read(id_)["state"] == "running":
            self.play(id_)
            self.runner.advance_all()
        return self.read(id_)


@pytest.fixture
def arena(world):
    return Arena(world)
