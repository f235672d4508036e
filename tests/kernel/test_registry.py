"""Games are found by entry point; a package with a broken game is named; a game needs only rules."""

from __future__ import annotations

import subprocess
import sys

import pytest

from domain.games.nim.game import NimRules
from domain.kernel.dice import Dice
from domain.kernel.game import Game
from domain.kernel.terms import Seat
from domain.registry import GAMES
from tests.games import setups

GAME = "from domain.games.nim.game import NimRules\nfrom domain.kernel.game import Game\nGAME = Game('copy', 'Copy', NimRules())\n"


def games_with(folder, entry, code):
    """Load the games while another package is installed; returns the process."""
    info = folder / "other_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-games\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[oraclewheel.games]\n{entry}\n")
    (folder / "other_games.py").write_text(code)
    code = f"import sys; sys.path.append({str(folder)!r}); from domain.registry import GAMES; print(*GAMES)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_built_in_games_are_registered():
    assert {"battalia", "fronela", "nim"} <= set(GAMES)


def test_game_of_another_package_is_found(tmp_path):
    found = games_with(tmp_path, "copy = other_games:GAME", GAME)
    assert "battalia copy fronela nim\n" == found.stdout, found.stderr


@pytest.mark.parametrize(
    ("entry", "code", "reason"),
    [
        ("copy = other_games:GAME", "1 / 0", "ZeroDivisionError"),
        ("copy = other_games:MISSING", GAME, "AttributeError"),
        ("copy = other_games:GAME", "GAME = 7", "type 'int' instead of a Game"),
        ("pig = other_games:GAME", GAME, "the key of that game is 'copy'"),
        ("nim = other_games:NIM", "from domain.games.nim.game import NIM\n", "registers a game with this name too"),
    ],
)
def test_package_with_a_broken_game_is_named(tmp_path, entry, code, reason):
    failed = games_with(tmp_path, entry, code)

    assert 1 == failed.returncode
    message = failed.stderr.splitlines()[-1]
    assert "BrokenGame" in message
    assert reason in message
    assert entry.partition(" ")[0] in message
    assert "'other-games'" in message


def test_game_needs_only_rules():
    bare = Game("bare", "Bare", NimRules())
    state = None
    setup = bare.rules.check(setups.Setup(2, ""))
    for event in bare.rules.begin(setup, Dice(b"bare")):
        state = bare.rules.evolve(state, event)
        assert {"type", "heaps"} <= set(bare.knowledge.reveal(event, None))
    view = bare.knowledge.view(state)

    assert {"ruleset": "nim_v1", "heaps": [1, 3, 5, 7], "last_object": "wins", "mover": state.mover, "moves": 0} == view
    assert bare.presentation.board(bare.title, view, {"1": "Ash", "2": "Birk"}).startswith("<svg")
    assert any("1, 3, 5, 7" in line for line in bare.presentation.text(view, None))
    assert state == bare.knowledge.imagine(state, Seat(1), Dice(b"x"))
    assert not bare.bots.by_name
