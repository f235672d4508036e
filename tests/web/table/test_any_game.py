"""Any game can be played by highlighted elements and the panel: released games, and one that is added."""

from __future__ import annotations

import random
import re

import pytest

from tests.driver import Player, Remote
from tests.games.test_extending import COPIED, LEFT, added, tutorial
from tests.web.browsing import ROOT, STATIC, visitor
from tests.web.table.clicking import Clicker
from tests.workers.test_serve import Instance

ALL = ["stormgates", "rammoth", "armamentum", "keeper", "unbound_buff"]


def clicker(visiting, seed):
    return Clicker(visiting.page, random.Random(seed))


@pytest.mark.soak
def test_small_game_can_be_played_to_its_end(ada, begin, sit):
    game = begin(ada, "nim")
    playing = clicker(sit(ada, game), 3)

    assert playing.play(40) == "over"
    assert playing.problems == []
    assert ada.summary(game)["status"] == "over"
    assert "Game over" in playing.page.locator(".asked").inner_text()


@pytest.mark.soak
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("kind", "seats", "told"), [("battalia", 2, {"modules": ALL}), ("fronela", 4, {})], ids=["battalia", "fronela"]
)
def test_large_game_accepts_every_command_that_can_be_clicked(ada, begin, sit, kind, seats, told):
    """The page offers nothing that the rules refuse."""
    game = begin(ada, kind, seats, bot="greedy", **told)
    playing = clicker(sit(ada, game), 5)
    before = ada.summary(game)["seq"]

    playing.play(12)

    assert playing.sent == 12
    assert playing.problems == []
    assert ada.summary(game)["seq"] >= before + 12


@pytest.fixture(scope="module")
def pig(tmp_path_factory):
    """A service with the game of docs/extending.md, built as that page describes."""
    import shutil

    project = tmp_path_factory.mktemp("project")
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, project / name, **({"ignore": LEFT} if (ROOT / name).is_dir() else {}))
    chapter = tutorial("Add a game")
    for path, text in chapter.files.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    for path, block in chapter.lines:
        (project / path).write_text(added((project / path).read_text(encoding="utf-8"), block), encoding="utf-8")
    installed = project / "pig-1.dist-info"  # what installing the project again would write
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: pig\nVersion: 1\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(
        "[oraclewheel.games]\npig = domain.games.pig.game:PIG\n", encoding="utf-8"
    )
    instance = Instance(
        tmp_path_factory.mktemp("pigs"),
        ORACLEWHEEL_RATE_REQUESTS="0",
        ORACLEWHEEL_RATE_REGISTRATIONS="0",
        PYTHONPATH=str(project),
    )
    yield instance.start().url
    instance.stop()


@pytest.mark.soak
@pytest.mark.timeout(240)
def test_added_game_can_be_played_to_its_end_without_changes(pig, browser):
    site = Remote(pig)
    player = Player.register(site, "Ada")
    game = player.make_game("pig", 2, visibility="public", options={"goal": 15})["id"]
    player.seat_bot(game, "careful")
    player.start(game)
    visiting = visitor(browser.new_context(), pig)
    visiting.sign_in(player)
    visiting.open(f"/games/{game}").locator("ow-desk").wait_for()
    playing = clicker(visiting, 7)

    assert playing.play(80) == "over"
    assert playing.problems == []
    assert player.summary(game)["outcome"]["reason"] == "points"
    assert visiting.problems() == []
    visiting.context.close()
    site.close()


def test_scripts_name_no_game_command_or_module(site):
    """Only the auditor's scripts have a file for each kind of game."""
    kinds = Player(site).get("/v1/kinds").json["kinds"]
    scripts = [file for file in (STATIC / "app").rglob("*.js") if (STATIC / "app/check/kinds") not in file.parents]
    told = " ".join(file.read_text(encoding="utf-8") for file in scripts)
    told = told.replace('then === "end_turn"', "").replace('? "end_turn" : "wait"', "")  # used by plans of any kind
    own = set()
    for kind in kinds:
        full = Player(site).get(f"/v1/kinds/{kind['key']}").json
        own |= {kind["key"], *kind["modules"], *(name for name in full["commands"] if "_" in name)}

    assert {name for name in own if re.search(rf"\b{name}\b", told)} == set()
