"""Options that answer the pending question are separate from standing orders, which are possible at any time."""

from __future__ import annotations

import pytest

from domain.games.fronela.game import FRONELA


@pytest.fixture
def table(world):
    """A game of Fronela, in which every seat can give standing orders; the player who is asked, and another."""
    players = [world.player() for _ in range(4)]
    game = players[0].make_game("fronela", 4)["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)
    (asked,) = {each["seat"] for each in players[0].summary(game)["pending_questions"]}
    return game, players[asked - 1], players[asked % 4]


def test_options_that_answer_the_question_come_first_and_are_counted(table):
    game, mover, _ = table

    told = mover.options(game)

    types = [option["type"] for option in told["options"]]
    assert 0 < told["answers"] < len(types)
    assert not set(types[: told["answers"]]) & set(FRONELA.rules.unasked)
    assert set(types[told["answers"] :]) <= set(FRONELA.rules.unasked)


def test_only_answers_omits_standing_orders_and_table_commands(table):
    game, mover, other = table
    whole, asked = mover.options(game), mover.options(game, only="answers")

    assert whole["options"][: whole["answers"]] == asked["options"]
    assert (whole["answers"], []) == (asked["answers"], asked["table"])
    assert whole["table"]
    assert (0, []) == (other.options(game)["answers"], other.options(game, only="answers")["options"])


def test_only_answers_makes_the_response_much_smaller(table):
    game, mover, _ = table
    whole = mover.get(f"/v1/games/{game}/options", want=200)
    asked = mover.get(f"/v1/games/{game}/options", only="answers", want=200)

    assert len(asked.body) * 3 < len(whole.body)


def test_an_unknown_value_of_only_is_422(table):
    game, mover, _ = table

    assert "only" == mover.get(f"/v1/games/{game}/options", only="standing", want=422).json["parameter"]
