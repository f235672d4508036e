"""A game from its creation to its end, over the API."""

from __future__ import annotations

import hashlib

import pytest

from domain.kernel.dice import Dice
from tests.driver import play_out
from tests.soaking import soak


def test_a_game_can_be_created_joined_started_and_played_to_its_end(world):
    ash, birk = world.player("Ash"), world.player("Birk")

    made = ash.make_game(options={"points": 2}, entropy="5eed")
    assert "lobby" == made["status"]
    assert 2 == birk.join(made["id"], entropy="c0de")
    started = ash.start(made["id"])
    over = play_out([ash, birk], made["id"], Dice(b"x" * 32))

    assert "running" == started["status"]
    assert "points" == over["outcome"]["reason"]
    assert ["5eed", "c0de"] == [seat["entropy"] for seat in over["seats"]]
    assert [] == over["pending_questions"] == ash.turns()


def test_the_commitment_is_the_hash_of_the_seed_in_the_export(world):
    game, ash, birk = world.table(options={"points": 1})
    committed = ash.summary(game)["commitment"]

    play_out([ash, birk], game, Dice(b"y" * 32))

    assert committed == hashlib.sha256(world.store.lobbies.seed(game)).hexdigest()
    assert world.store.lobbies.seed(game).hex().encode() in ash.get(f"/v1/games/{game}/export").body


def test_bots_are_moved_by_the_workers(world):
    ash = world.player()
    game = ash.make_game(options={"points": 1})["id"]
    assert 2 == ash.seat_bot(game, "greedy")

    ash.start(game)

    assert [1] == [question["seat"] for question in ash.summary(game)["pending_questions"]]
    assert "greedy" == ash.summary(game)["seats"][1]["bot"]


def test_bots_alone_finish_their_game(world):
    ash = world.player()
    game = ash.make_game(options={"points": 1})["id"]
    ash.call("DELETE", f"/v1/games/{game}/seats/1", want=204)
    ash.seat_bot(game, "greedy")
    ash.seat_bot(game, "random")

    ash.start(game)

    assert "over" == ash.summary(game)["status"]


def test_a_player_who_resigned_is_replaced_by_a_bot_and_cannot_play(world):
    game, ash, birk = world.table()

    told = birk.send(game, {"type": "resign"}, want=200).json

    assert ["seat_resigned"] == [line["type"] for line in told["lines"]]
    assert "Birk resigns, and a bot takes over the seat." == told["lines"][0]["text"]
    assert "greedy" == ash.summary(game)["seats"][1]["bot"]
    assert birk.view(game)["private"] is None
    assert [] == birk.options(game)["options"] == birk.options(game)["table"]
    assert "played-by-bot" == birk.send(game, {"type": "resign"}, want=409).code


@pytest.mark.parametrize("seats", [2, *soak(3, 4)])
def test_a_client_can_play_whole_games_of_battalia_from_options_alone(world, seats):
    players = [world.player() for _ in range(seats)]
    game = players[0].make_game("battalia", seats, options={"max_weeks": 1})["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)

    over = play_out(players, game, Dice(bytes(31) + bytes([seats])), seconds=200)

    assert over["outcome"]["reason"]
    assert all(line["text"].strip() for entry in players[0].events(game) for line in entry["lines"])
