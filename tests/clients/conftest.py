"""A service on its own port, and the clients as `make clients` builds them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.driver import Player, Remote
from tests.workers.test_serve import Instance

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PYTHON, TYPESCRIPT = ROOT / "clients" / "python", ROOT / "clients" / "typescript"


@dataclass(frozen=True)
class Client:
    """How to run the programs of one language: the project's bot, and the program in this folder for its features."""

    bot: list[str]
    habits: list[str]

    def play(self, *told):
        subprocess.run([*self.bot, *told], check=True, timeout=3000, env=ENVIRON)

    def tried(self, *told):
        """The result of the program for the client's features."""
        done = subprocess.run([*self.habits, *told], check=True, timeout=600, env=ENVIRON, stdout=subprocess.PIPE)
        return json.loads(done.stdout)


ENVIRON = {**os.environ, "PYTHONPATH": str(PYTHON)}
OF_PYTHON = str(PYTHON / ".venv" / "bin" / "python")
CLIENTS = {
    "python": Client([OF_PYTHON, str(PYTHON / "bot.py")], [OF_PYTHON, str(HERE / "habits.py")]),
    "typescript": Client(["node", str(TYPESCRIPT / "dist" / "bot.js")], ["node", str(HERE / "habits.mjs")]),
}


@pytest.fixture(scope="package")
def made():
    subprocess.run(["make", "clients"], cwd=ROOT, check=True, timeout=900)


@pytest.fixture(params=CLIENTS)
def client(request, made):
    if request.param == "typescript" and shutil.which("npm") is None:
        pytest.skip("node and npm are not here, and the client in TypeScript is made with them")
    return CLIENTS[request.param]


@pytest.fixture(scope="package")
def url(tmp_path_factory):
    """The address of `oraclewheel serve` with its embedded server and workers."""
    instance = Instance(tmp_path_factory.mktemp("service"), ORACLEWHEEL_RATE_REQUESTS="0").start()
    yield instance.url
    instance.stop()


@pytest.fixture
def ada(url):
    site = Remote(url)
    yield Player.register(site, "Ada")
    site.close()


def begin(player, kind, seats, **told):
    """Start a game in which all other seats are bots."""
    game = player.make_game(kind, seats, **told)["id"]
    for _ in range(seats - 1):
        player.seat_bot(game, "greedy")
    player.start(game)
    return game
