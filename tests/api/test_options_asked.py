"""Options that answer the question stand apart from standing orders, which nobody asks for."""

from __future__ import annotations

import pytest

from domain.games.fronela.game import FRONELA


@pytest.fixture
def table(world):
    """A game of Fronela, in which every seat may give standing orders at any time."""
    players = [world.player() for _ in range(4)]
    game = players[0].make_game("fronela", 4)["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)
    (asked,) = {each["seat"] for each in players[0].summary(game)["pending_questions"]}
    return game, players[asked - 1], players[asked % 4]


def test_what_answers_the_question_comes_first_and_is_counted(table):
    game, mover, _ = table

    told = mover.options(game)

    types = [option["type"] for option in told["options"]]
    assert 0 < told["answers"] < len(types)
    assert not set(types[: told["answers"]]) & set(FRONELA.unasked)
    assert set(types[told["answers"] :]) <= set(FRONELA.unasked)


def test_only_asked_leaves_standing_orders_and_the_table_away(table):
    game, mover, other = table
    whole, asked = mover.options(game), mover.options(game, only="answers")

    assert whole["options"][: whole["answers"]] == asked["options"]
    assert (whole["answers"], []) == (asked["answers"], asked["table"])
    assert whole["table"]
    assert (0, []) == (other.options(game)["answers"], other.options(game, only="answers")["options"])


def test_only_asked_is_a_small_part_of_the_answer(table):
    game, mover, _ = table
    whole = mover.get(f"/v1/games/{game}/options", want=200)
    asked = mover.get(f"/v1/games/{game}/options", only="answers", want=200)

    assert len(asked.body) * 3 < len(whole.body)


def test_anything_but_asked_is_told(table):
    game, mover, _ = table

    assert "only" == mover.get(f"/v1/games/{game}/options", only="standing", want=422).json["parameter"]
