"""A game that starts by itself when its last seat is taken, if its creator chose that."""

from __future__ import annotations

import pytest

from tests.api.conftest import World
from tests.api.problem import is_a_problem

HIDE = {"type": "hide", "pennies": 1}


def test_game_with_auto_start_starts_when_the_last_seat_is_taken(world):
    ash, birk, cyd = (world.player(name) for name in ("Ash", "Birk", "Cyd"))
    made = ash.make_game(seats=3, auto_start=True)
    assert made["auto_start"]

    birk.join(made["id"], made["invitation"])
    assert "lobby" == ash.summary(made["id"])["status"]
    cyd.join(made["id"], made["invitation"])

    assert "running" == ash.summary(made["id"])["status"]
    cyd.send(made["id"], HIDE, want=200)


def test_game_without_auto_start_waits_for_its_creator(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game()
    birk.join(made["id"], made["invitation"])

    assert (False, "lobby") == (made["auto_start"], ash.summary(made["id"])["status"])


def test_game_with_auto_start_starts_when_its_creator_seats_the_last_bot(world):
    ash = world.player("Ash")
    game = ash.make_game(auto_start=True)["id"]
    ash.seat_bot(game)

    assert "running" == ash.summary(game)["status"]


def test_game_with_auto_start_waits_while_its_creator_has_too_many_running_games():
    world = World(running_games=1)
    ash, birk = world.player("Ash"), world.player("Birk")
    games = [ash.make_game(auto_start=True) for _ in range(2)]
    for made in games:
        birk.join(made["id"], made["invitation"])

    assert ["running", "lobby"] == [ash.summary(made["id"])["status"] for made in games]


@pytest.mark.parametrize("value", ["yes", 1, None, []])
def test_auto_start_is_true_or_false(world, value):
    answer = world.player("Ash").post("/v1/games", {"kind": "pennies", "seats": 2, "auto_start": value})

    assert "/auto_start" == is_a_problem(answer, 422, "invalid")["pointer"]
