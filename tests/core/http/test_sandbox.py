"""Sandboxes from a position, with scripted dice or forked from a game; positions and exports of games."""

from __future__ import annotations

import copy
import json

import pytest

from domain.kernel.dice import Dice
from domain.registry import GAMES
from service.audit.auditor import audit
from tests.driver import play_out

HIDE = {"type": "hide", "pennies": 1}


def sandbox(player, **told):
    """A sandbox game in which the player holds both seats."""
    made = player.make_game(sandbox=told)
    player.join(made["id"])
    player.start(made["id"])
    return made["id"]


@pytest.fixture
def over(world):
    game, ash, birk = world.table("Ash", "Birk", options={"points": 2})
    play_out([ash, birk], game, Dice(b"3" * 32))
    return world, game, ash, birk


def test_a_player_can_hold_several_seats_of_a_sandbox(world):
    ash = world.player()
    game = sandbox(ash)

    assert [1, 2] == ash.summary(game)["your_seats"]
    ash.send(game, HIDE, want=200)
    assert "not-your-turn" == ash.send(game, HIDE, want=409).code
    assert 2 == ash.options(game, seat=2)["seat"]
    ash.send(game, {"type": "hide", "pennies": 0}, seat=2, want=200)
    assert "die_rolled" in [line["type"] for entry in ash.events(game, seat=2) for line in entry["lines"]]
    assert [1, 2] == [turn["seat"] for turn in ash.turns()]
    assert (1, 2) == tuple(ash.view(game, seat=seat)["private"] is not None and seat for seat in (1, 2))


def test_scripted_dice_are_rolled_in_order_and_then_the_game_stalls(world):
    ash = world.player()
    game = sandbox(ash, dice=[5, 2])
    faces = []
    for _ in range(3):
        for seat in (1, 2):
            ash.send(game, {"type": "hide", "pennies": 0}, seat=seat)
        faces = [line["face"] for entry in ash.events(game) for line in entry["lines"] if line["type"] == "die_rolled"]

    assert [5, 2] == faces
    assert {"position": False, "dice": True, "forked": None} == ash.summary(game)["sandbox"]
    assert ash.summary(game)["stalled"], "the round cannot be turned without dice"


def test_a_position_can_be_exported_and_imported(world):
    ash = world.player()
    first = sandbox(ash)
    for seat in (1, 2):
        ash.send(first, {"type": "hide", "pennies": 3 - seat}, seat=seat, want=200)
    answer = ash.get(f"/v1/games/{first}/position", want=200)

    second = sandbox(ash, position=answer.json["position"])

    again = ash.get(f"/v1/games/{second}/position", want=200).json
    assert answer.json["position"] == again["position"]
    boards = [{k: v for k, v in ash.view(game)["public"].items() if k != "table"} for game in (first, second)]
    assert boards[0] == boards[1]
    assert ash.summary(second)["sandbox"]["position"]
    assert ["game_begun", "position_set"] == [line["type"] for line in ash.events(second)[0]["lines"]]
    assert all("position" not in line for line in ash.events(second)[0]["lines"])
    ash.send(second, HIDE, seat=2, want=200)


def test_the_position_of_a_past_commit_stays_the_same_and_is_not_cacheable(world):
    ash = world.player()
    game = sandbox(ash)
    early = ash.get(f"/v1/games/{game}/position", at=1, want=200)
    ash.send(game, HIDE, want=200)

    assert early.json == ash.get(f"/v1/games/{game}/position", at=1).json
    assert {} == early.json["position"]["hidden"]
    assert "private, no-store" == early.headers["Cache-Control"]
    assert {"1": 1} == ash.get(f"/v1/games/{game}/position").json["position"]["hidden"]


def broken(position):
    """Invalid positions by description."""
    wrong = {
        "no position at all": 7,
        "a list": [],
        "nothing": {},
        "an unknown field": {**position, "colour": "red"},
        "a wrong type": {**position, "round": "one"},
        "another ruleset": {**position, "ruleset": "pennies_v9"},
        "more hidden than there is": {**position, "hidden": {"1": 99}},
        "a seat that is not there": {
            **position,
            "purses": {**position["purses"], "3": 1},
            "points": {**position["points"], "3": 0},
        },
        "a seat too few": {**position, "purses": {"1": 3}, "points": {"1": 0}},
        "a seat without a purse": {**position, "hidden": {"7": 1}},
        "a number beyond all bounds": {**position, "round": 10**30},
        "a float": {**position, "round": 1.5},
        "very deep": {**position, "hidden": json.loads("[" * 200 + "]" * 200)},
    }
    missing = copy.deepcopy(position)
    del missing["points"]
    return {**wrong, "a field missing": missing}


def test_an_invalid_position_is_422(world):
    ash = world.player()
    position = ash.get(f"/v1/games/{sandbox(ash)}/position", want=200).json["position"]

    for what, wrong in broken(position).items():
        answer = ash.post("/v1/games", {"kind": "pennies", "seats": 2, "sandbox": {"position": wrong}})

        assert (422, "/sandbox/position") == (answer.status, answer.json.get("pointer")), what


@pytest.mark.parametrize(
    ("told", "pointer"),
    [
        ({"dice": ["6"]}, "/sandbox/dice/0"),
        ({"dice": [1, 0]}, "/sandbox/dice/1"),
        ({"dice": 6}, "/sandbox/dice"),
        ({"loaded": True}, "/sandbox/loaded"),
    ],
)
def test_an_invalid_sandbox_is_422_with_a_pointer(world, told, pointer):
    answer = world.player().post("/v1/games", {"kind": "pennies", "seats": 2, "sandbox": told}, want=422)

    assert pointer == answer.json["pointer"]


def test_the_position_of_a_running_game_can_be_neither_read_nor_forked(world):
    game, ash, _ = world.table()
    box = sandbox(ash)

    assert "game-not-over" == ash.get(f"/v1/games/{game}/position", want=409).code
    assert "game-not-over" == ash.post(f"/v1/games/{game}/fork", {}, want=409).code
    assert "not-your-seat" == world.player().get(f"/v1/games/{box}/position", want=403).code
    assert "not-your-seat" == world.player().post(f"/v1/games/{box}/fork", {}, want=403).code


def test_any_player_can_fork_a_finished_game_from_any_commit(over):
    world, game, *_ = over
    cyd = world.player("Cyd")
    position = cyd.get(f"/v1/games/{game}/position", at=1, want=200).json["position"]

    made = cyd.post(f"/v1/games/{game}/fork", {"seq": 1, "dice": [1, 1]}, want=201).json

    assert ([1, 2], {"game": game, "seq": 1}) == (made["your_seats"], made["sandbox"]["forked"])
    cyd.call("DELETE", f"/v1/games/{made['id']}/seats/2", want=204)
    cyd.seat_bot(made["id"], "greedy")
    cyd.start(made["id"])
    forked = cyd.get(f"/v1/games/{made['id']}/position", at=1, want=200).json["position"]
    assert position == forked
    cyd.send(made["id"], HIDE, want=200)
    assert cyd.summary(made["id"])["commitment"] != cyd.summary(game)["commitment"]


def test_a_player_can_fork_their_own_sandbox(world):
    ash = world.player()
    game = sandbox(ash)
    ash.send(game, HIDE, want=200)

    made = ash.post(f"/v1/games/{game}/fork", {}, want=201).json
    ash.start(made["id"])

    assert ash.get(f"/v1/games/{made['id']}/position").json["position"]["hidden"] == {"1": 1}
    assert "unknown-commit" == ash.post(f"/v1/games/{game}/fork", {"seq": 99}, want=404).code
    assert "/seq" == ash.post(f"/v1/games/{game}/fork", {"seq": 0}, want=422).json["pointer"]


def test_a_position_of_battalia_can_be_exported_and_imported(world):
    ash = world.player()
    made = ash.make_game("battalia", sandbox={})
    ash.join(made["id"])
    ash.start(made["id"])
    dice = Dice(b"4" * 32)
    for _ in range(12):
        ash.move(made["id"], dice, want=None)
    answer = ash.get(f"/v1/games/{made['id']}/position", want=200)

    again = ash.make_game("battalia", sandbox={"position": answer.json["position"]})
    ash.join(again["id"])
    ash.start(again["id"])

    assert len(answer.body) < 60_000, "it fits into a body"
    assert answer.json["position"] == ash.get(f"/v1/games/{again['id']}/position", at=1).json["position"]
    assert ash.view(made["id"])["private"] == ash.view(again["id"])["private"]


# -- export -----------------------------------------------------------------------------------------------------------


def test_a_running_games_export_shows_headers_only(world):
    game, ash, _ = world.table()
    ash.send(game, HIDE, want=200)

    answers = [who.get(f"/v1/games/{game}/export", want=200) for who in (ash, world.public)]

    assert answers[0].body == answers[1].body
    assert b"pennies_hidden" not in answers[0].body
    assert world.store.lobbies.seed(game).hex().encode() not in answers[0].body
    assert "application/x-ndjson" == answers[0].headers["Content-Type"]
    assert f'attachment; filename="{game}.ndjson"' == answers[0].headers["Content-Disposition"]


def test_a_finished_games_export_passes_the_audit_with_the_published_key_and_head(over):
    _, game, ash, _ = over
    answer = ash.get(f"/v1/games/{game}/export", want=200)
    public = [key["public"] for key in ash.get("/v1/keys").json["keys"]]

    for anchor in ({"keys": public}, {"heads": [ash.summary(game)["head"]]}):
        report = audit(answer.body, games=GAMES, **anchor)

        assert () == report.divergences
        assert report.is_authenticated


def test_every_signing_key_is_published(world):
    game, ash, _ = world.table()

    keys = {key["id"]: key for key in world.public.get("/v1/keys", want=200).json["keys"]}

    assert "Ed25519" == keys[ash.summary(game)["signature"]["key"]]["algorithm"]
