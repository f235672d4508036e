"""Table settings for missed turns and resignations, and the names of seats, over the API."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("on_timeout", "greedy"),
        ("on_timeout", None),
        ("missed_limit", -1),
        ("missed_limit", 100),
        ("missed_limit", True),
        ("missed_limit", "3"),
        ("on_resign", "die"),
        ("on_resign", "leave"),
        ("no_such", 1),
    ],
)
def test_an_invalid_table_setting_is_422_and_named(world, setting, value):
    ada = world.player("Ada")
    body = {"kind": "nim", "seats": 2, "table": {setting: value}}
    refused = ada.post("/v1/games", body, want=422)

    assert [f"/table/{setting}"] == [error["pointer"] for error in refused.json["errors"]]


def test_a_game_has_defaults_for_omitted_table_settings(world):
    ada = world.player("Ada")
    made = ada.post("/v1/games", {"kind": "nim", "seats": 2, "table": {"missed_limit": 5}}, want=201).json

    expected = {"on_timeout": "default", "missed_limit": 5, "on_resign": "bot"}
    assert expected.items() <= made["table"].items()


def test_battalia_accepts_the_table_setting_on_resign_leave(world):
    ada = world.player("Ada")
    made = ada.post("/v1/games", {"kind": "battalia", "seats": 3, "table": {"on_resign": "leave"}}, want=201)

    assert "leave" == made.json["table"]["on_resign"]


def test_seats_of_a_game_are_named_as_the_history_names_them(world):
    ash = world.player("Ash")
    game = ash.make_game("battalia")["id"]
    ash.seat_bot(game, "greedy")
    ash.start(game)

    first, second = (each["name"] for each in ash.summary(game)["seats"])

    assert "Ash" == first
    assert second.endswith(" (greedy bot)")
    assert f"{second} " in ash.get(f"/v1/games/{game}/history", want=200).text
