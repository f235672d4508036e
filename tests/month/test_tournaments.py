"""A league of Fronela and a Swiss tournament of Battalia run by themselves through a month while their processes are killed."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick
from service.cli.commands.standings import command
from service.ops.instance.folder import socket_path
from service.store.redis.store import open_store
from tests.driver import Player, Remote
from tests.month.people import PATIENCE, Stubborn
from tests.month.simulated import JUMP
from tests.month.stormy import Storm
from tests.workers.crew import ROOT
from tests.workers.test_serve import Instance

DAY, STEP = 86_400_000, 12 * 3_600_000
PACE = {"mode": "per_question", "hours": 24}
LEAGUE = {
    "name": "Fronela league",
    "kind": "fronela",
    "seats": 4,
    "pace": PACE,
    "format": "league",
    "groups": 3,
    "advance": 1,
    "places": 16,
    "round_start": "calendar",
    "round_days": 9,
}
SWISS = {
    "name": "Battalia Swiss",
    "kind": "battalia",
    "seats": 2,
    "pace": PACE,
    "options": {"max_weeks": 1},
    "format": "swiss",
    "rounds": 5,
    "places": 24,
    "round_start": "calendar",
    "round_days": 5,
}
MOST_DAYS = 60


class TournamentMonth:
    """A service with a simulated clock whose processes are killed, and the players of two tournaments."""

    def __init__(self, folder, seed):
        self.instance = Instance(
            folder / "service",
            SIMULATED="fast",
            PYTHONPATH=os.pathsep.join([str(Path(__file__).parent / "site"), str(ROOT)]),
            ORACLEWHEEL_APPENDFSYNC="always",
            ORACLEWHEEL_RATE_REQUESTS="0",
            ORACLEWHEEL_RATE_REGISTRATIONS="0",
            ORACLEWHEEL_UNREQUESTED_BURST="0",
            ORACLEWHEEL_REFUSAL_BURST="10000",
            ORACLEWHEEL_RUNNING_GAMES="0",
            ORACLEWHEEL_LOG_LEVEL="warning",
        )
        self.instance.patience = PATIENCE
        self.instance.start()
        path = socket_path((folder / "service" / "data").resolve())
        self.url, self.wire = f"unix://{path}", redis.Redis(unix_socket_path=str(path))
        self.instant = int(time.time() * 1000) // DAY * DAY + DAY
        self.to(self.instant)
        self.site = Stubborn(Remote(self.instance.url))
        self.organizer = Player.register(self.site, "Orga")
        self.players = [Player.register(self.site, f"Player {number}") for number in range(1, 28)]
        self.storm, self.dice = Storm(self, seed, (1.5, 4.0)), Dice(b"month" * 8)

    def to(self, instant):
        self.instant, until = instant, time.monotonic() + PATIENCE
        while not self._jumped():  # the server was killed and restarts
            assert time.monotonic() < until
            time.sleep(0.05)

    def _jumped(self):
        with suppress(redis.RedisError, OSError):
            self.wire.eval(JUMP, 0, self.instant)
            return True
        return False

    def create(self, settings, players):
        made = self.organizer.post("/v1/tournaments", settings, want=201).json["id"]
        for player in players:
            player.post(f"/v1/tournaments/{made}/entries", {}, want=201)
        self.organizer.post(f"/v1/tournaments/{made}/start", {}, want=200)
        return made

    def read(self, id_):
        return self.organizer.get(f"/v1/tournaments/{id_}", want=200).json

    def play(self, is_there):
        """Everyone who is there plays until it is no one's turn."""
        seconds = time.monotonic() + 240
        moved = True
        while moved and time.monotonic() < seconds:
            moved = False
            for number, player in enumerate(self.players):
                if not is_there(number):
                    continue
                for game in {turn["game"] for turn in player.turns()}:
                    with suppress(AssertionError):  # the game has ended or moved on in the meantime
                        answers = [from_json(each) for each in player.options(game, only="answers")["options"]]
                        if answers:
                            moved |= player.send(game, pick(answers, self.dice)).status == 200

    def close(self):
        self.storm.over()
        if self.instance.process is not None and self.instance.process.poll() is None:
            self.instance.stop()


@pytest.fixture
def month(tmp_path):
    made = TournamentMonth(tmp_path, 11)
    yield made
    made.close()


@pytest.mark.soak
@pytest.mark.timeout(5400)
def test_league_and_swiss_run_by_themselves_and_are_computed_again(month, tmp_path):
    league = month.create(LEAGUE, month.players[:16])
    swiss = month.create(SWISS, month.players[:25])
    month.storm.begin()
    days, leaver, reserve = 0, month.players[3], month.players[25]
    while days < MOST_DAYS and {"running"} & {month.read(each)["state"] for each in (league, swiss)}:
        # Number 7 misses every third day, and number 5 all days after the tenth: their deadlines pass.
        month.play(lambda number, day=days: not (number == 7 and day % 3 == 0) and not (number == 5 and day > 10))
        if days == 8:
            leaver.call("DELETE", f"/v1/tournaments/{swiss}/entries/{leaver.id}", want=200)
            reserve.post(f"/v1/tournaments/{swiss}/entries", {}, want=201)
        time.sleep(2.5)  # the minutely job runs every second
        month.to(month.instant + STEP)
        days += 0.5
    month.storm.over()
    assert month.storm.failed is None

    games = []
    for name, id_ in (("league", league), ("swiss", swiss)):
        document = month.read(id_)
        assert "finished" == document["state"], f"{name} after {days} days"
        tables = [table for each in document["rounds"] for table in each["tables"]]
        played = [table["game"] for table in tables if table["game"]]
        assert len(set(played)) == len(played)
        games += played
        folder = tmp_path / name
        folder.mkdir()
        for game in played:
            export = month.organizer.get(f"/v1/games/{game}/export", want=200)
            (folder / f"{game}.ndjson").write_bytes(export.body)
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
        result = CliRunner().invoke(command, [str(tmp_path / f"{name}.json"), *map(str, sorted(folder.glob("*")))])
        assert 0 == result.exit_code, result.output
        sys.stdout.write(f"{name}: {result.output}\n")
    store = open_store(month.url)
    assert set(games) == set(store.lobbies.every())
    store.close()
    swiss_rounds, league_rounds = len(month.read(swiss)["rounds"]), len(month.read(league)["rounds"])
    assert (5, 3) == (swiss_rounds, league_rounds)
    sys.stdout.write(f"{days} days, {len(games)} games, killed: {dict(month.storm.kills)}\n")
    assert {"settle", "cron", "side", "api", "valkey"} <= month.storm.kills.keys()
