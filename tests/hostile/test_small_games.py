"""Attacks with small games: scripted dice that do not fit, positions with other settings, and removed kinds of game."""

import pytest

from domain.registry import GAMES

NIM = {"ruleset": "nim_v1", "heaps": [1, 3, 5, 7], "last_object": "wins", "mover": 1, "moves": 0}


@pytest.mark.parametrize("dice", [[3], [1000], []])
def test_scripted_dice_that_do_not_fit_the_first_roll_are_refused(world, dice):
    ash = world.player("Ash")

    refused = ash.post("/v1/games", {"kind": "nim", "seats": 2, "sandbox": {"dice": dice}})

    assert 422 == refused.status, refused.text
    assert ["/sandbox/dice"] == [error["pointer"] for error in refused.json["errors"]]


def test_scripted_dice_that_fit_are_rolled(world):
    ash = world.player("Ash")
    game = ash.make_game("nim", sandbox={"dice": [2]})["id"]
    ash.seat_bot(game)
    ash.start(game)

    assert 2 == ash.view(game, at=1)["public"]["turn"]["seat"]


@pytest.mark.parametrize(
    "change",
    [
        {"heaps": [1, 3, 5]},
        {"heaps": []},
        {"last_object": "loses"},
        {"moves": -1},
        {"heaps": [2, 3, 5, 7]},
    ],
)
def test_nim_position_that_does_not_fit_its_game_is_refused(world, change):
    ash = world.player("Ash")

    refused = ash.post("/v1/games", {"kind": "nim", "seats": 2, "sandbox": {"position": {**NIM, **change}}})

    assert 422 == refused.status, refused.text
    assert 201 == ash.post("/v1/games", {"kind": "nim", "seats": 2, "sandbox": {"position": NIM}}).status


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson", "text/event-stream"])
def test_history_of_a_removed_kind_needs_another_release(world, monkeypatch, accept):
    game, ash, _ = world.table()
    monkeypatch.delitem(GAMES, "pennies")

    answer = ash.get(f"/v1/games/{game}/events", headers={"Accept": accept})

    assert (503, "needs-release") == (answer.status, answer.code)
