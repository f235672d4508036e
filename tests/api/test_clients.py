"""The clients that the project ships play whole games: made from the contract, against a real server on a real socket."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from tests.driver import Player

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "clients" / "python"

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def made():
    subprocess.run(["make", "clients"], cwd=ROOT, check=True, timeout=900)


@pytest.mark.parametrize(("kind", "seats", "options"), [("battalia", 2, {"max_weeks": 1}), ("fronela", 4, {})])
def test_the_bot_of_the_python_client_finishes_a_game(made, world, kind, seats, options):
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ada = Player.register(world.site, "Ada")
    game = ada.make_game(kind, seats, options=options)["id"]
    for _ in range(seats - 1):
        ada.seat_bot(game, "greedy")
    ada.start(game)

    bot = [str(PYTHON / ".venv" / "bin" / "python"), "bot.py", f"http://127.0.0.1:{server.port}", ada.token, game]
    subprocess.run(bot, cwd=PYTHON, check=True, timeout=3000)
    server.shutdown()

    assert "over" == ada.summary(game)["status"]
    assert "greedy" != ada.summary(game)["seats"][0]["bot"]
