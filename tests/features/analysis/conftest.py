"""Finished games in files, and the command line in an empty folder."""

import pytest

from domain.games.nim.game import NIM
from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from tests.cli.conftest import oraclewheel  # noqa: F401 - a fixture
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the tiny game Pennies."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


def nim(*said, form=2, table=None, name="game"):
    """A game of Nim for two that starts with these moves, each by the player to move; then experts play."""
    game = SelfPlay(
        NIM,
        Setup(2, "nim_v1", {"heaps": 3}),
        ["player:expert", "player:expert"],
        b"n" * 32,
        name,
        form=form,
        table=table,
    )
    game.begin()
    for heap, objects in said:
        game.say(game.position.state.mover, {"type": "take", "heap": heap, "objects": objects})
    return game
