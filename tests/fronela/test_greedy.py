"""The greedy bot of Fronela sends only legal commands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela import events
from domain.games.fronela.commands import March
from domain.games.fronela.game import FRONELA
from domain.kernel.dice import Dice
from domain.kernel.options import offers
from domain.kernel.shape import build
from tests.fronela.story import History
from tests.fronela.whole import Table


def plays(story):
    """Greedy's commands up to the end of the phase; each must be offered."""
    said = []
    while story.state.asking.kind == "move":
        seat = story.state.asking.seat
        document = FRONELA.bots.by_name["greedy"](story.state, seat, Dice(bytes(32)))
        params = {name: value for name, value in document.items() if name != "type"}
        assert any(offers(option, document["type"], params) for option in FRONELA.rules.legal(story.state, seat)), (
            document
        )
        said.append(document)
        if document["type"] == "done":
            break
        story.say(build(FRONELA.rules.commands, document))
    return said


def test_fro_07_greedy_moves_no_more_wizards_on_than_came_from_one_area():
    """More wizards than can stay are here, but each group that came from one area is a single wizard."""
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1, "wizard": 1}}} | {
        "arnstor": {"black_malkioni": {"soldier": 1, "lord": 1, "wizard": 2}},
        "akem": {"black_malkioni": {"soldier": 1, "lord": 1, "wizard": 1}},
    }
    story = History("black_malkioni", units).begin(1, 1, 1)
    story.say(March("tarins", "wizard", "arnstor", 1)).say(March("akem", "wizard", "arnstor", 1))
    assert 4 == story.there("arnstor", "black_malkioni")["wizard"]

    said = plays(story)

    went = [command["count"] for command in said if command.get("unit", "").startswith("wizard<")]
    assert went
    assert {1} == set(went)


@pytest.mark.soak
def test_fro_d56_and_d61_greedy_uses_whole_moves_and_fights_on():
    table = Table(9001, "fronela_v3")
    while not table.position.over:
        table.turn("greedy")

    said = [(commit.played or commit.submission.command)["type"] for commit in table.commits]
    assert said.count("go") > 3
    assert said.count("fight_on") > 10
    assert "fight" not in said[: len(said) // 2]


@pytest.mark.soak
def test_greedy_rarely_moves_units_back_and_forth_within_a_turn():
    """An area left empty is always worth taking again, so a bot that scores only by worth would never stop."""
    table, back = Table(7), 0
    steps: set[tuple[str, str, str]] = set()
    for event in (event for _ in range(700) for event in table.turn("greedy").events):
        match event:
            case events.TurnBegun():
                steps = set()
            case events.UnitsMarched(nation, kind, _, area, to) if kind in ("soldier", "unit"):
                back += (nation, to, area) in steps
                steps.add((nation, area, to))

    assert back < 5, "one may come when another has gone, but nobody goes to and fro"


def test_greedy_without_its_cache_chooses_the_same_move():
    """The next step is found together with the one before. A state without that cache must give the same step."""
    table, luck, moves = Table(11, "fronela_v3"), Dice(b"11"), 0
    for number in range(300):
        asked = table.position.asked[0].question
        if asked.kind == "move":
            state = table.position.state
            greedy = FRONELA.bots.by_name["greedy"]
            assert greedy(replace(state), asked.seat, luck) == greedy(state, asked.seat, luck)
            moves += 1
        table.turn("random" if number % 5 == 0 else "greedy")

    assert moves > 100
