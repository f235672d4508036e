"""Every game over REST and in a terminal: listed, played, narrated, drawn, charted, and simulated."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from domain.kernel.dice import Dice
from domain.kernel.options import from_json
from domain.registry import GAMES
from service.cli import main
from service.cli.terminal import board
from service.cli.terminal.asking import Prompt
from tests.core.http.conftest import World
from tests.games import law, setups
from tests.soaking import sample

TURNS = 12
"""Number of commands played over REST in each game."""
CASES = [case for game in GAMES.values() for case in setups.cases(game) if len(case.setup.modules) < 2]
ONE_OF_EACH = [case for case in CASES if not case.setup.options and case.setup.ruleset == case.game.rules.rulesets[0]]


@pytest.fixture(scope="module")
def world():
    return World()


@pytest.mark.parametrize("case", sample(ONE_OF_EACH, 4), ids=str)
def test_game_can_be_played_and_watched_over_rest(world, case):
    game, setup = case.game, case.setup
    player, luck = world.player(), Dice(b"r" * 32)
    made = player.make_game(game.key, setup.seats, modules=list(setup.modules))["id"]
    for _ in range(setup.seats - 1):
        player.seat_bot(made, next(iter(game.bots.by_name), "random"))
    player.start(made)
    for _ in range(TURNS):
        if player.summary(made)["status"] == "over" or player.move(made, luck) is None:
            break
    view, prompt = player.view(made), Prompt(board.word(game.key))

    assert board.text(game.key, view)
    assert all(isinstance(prompt.describe(from_json(option)), str) for option in player.options(made)["options"])
    law.picture(player.get(f"/v1/games/{made}/board.svg", want=200).text)
    chart = player.get(f"/v1/games/{made}/charts/points.svg", want=404 if game.presentation.course is None else 200)
    if game.presentation.course is not None:
        law.picture(chart.text)
    told = [line["text"] for entry in player.events(made) for line in entry["lines"]]
    assert told
    assert not [text for text in told if set("{}_") & set(text)]


@pytest.mark.parametrize("kind", GAMES)
def test_game_is_listed_with_its_commands_and_events(world, kind):
    kinds = world.public.get("/v1/kinds", want=200).json["kinds"]
    full = world.public.get(f"/v1/kinds/{kind}", want=200).json

    assert kind in {each["key"] for each in kinds}
    assert set(full["commands"]) == set(GAMES[kind].rules.commands)
    assert set(full["events"]) == set(GAMES[kind].rules.events)


@pytest.mark.parametrize("kind", GAMES)
def test_game_is_simulated_and_audited_without_faults(kind):
    told = CliRunner().invoke(main, ["simulate", "--kind", kind, "--games", "1", "--audit", "--limit", "80", "--json"])

    assert 0 == told.exit_code, told.output
    (result,) = [json.loads(line) for line in told.output.splitlines() if line.startswith("{")]
    assert [] == result["faults"]
