"""Attacks: unbounded positions, huge numbers, tickets of revoked tokens, caches, metric labels and logs."""

from __future__ import annotations

import copy
import subprocess
import sys

import pytest


def position_of(player, **told):
    """A sandbox game of Battalia and its valid position document."""
    game = player.make_game("battalia", 2, sandbox={}, **told)["id"]
    player.join(game)
    player.start(game)
    return game, player.get(f"/v1/games/{game}/position", want=200).json["position"]


def asked_for(player, position, **told):
    return player.post("/v1/games", {"kind": "battalia", "seats": 2, "sandbox": {"position": position}, **told})


def test_a_valid_position_creates_a_sandbox(world):
    player = world.player()
    _, position = position_of(player)

    assert 201 == asked_for(player, position).status


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 1_000_000_000},
        {"columns": 26, "rows": 700},
        {"starts": ["A1", "Z99"]},
        {"centre": "A1"},
        {"serial": 2**64 - 1},
        {"serial": 2**31},
        {"day": 2**63},
        {"agenda": ["", "?"]},
        {"players": {}},
    ],
)
def test_an_impossible_position_is_refused(world, change):
    player = world.player()
    _, position = position_of(player)
    answer = asked_for(player, {**position, **change})

    assert (422, "/sandbox/position") == (answer.status, answer.json["pointer"])


@pytest.mark.parametrize("option", ["victory_cities", "max_weeks", "movement", "unbound_units"])
def test_a_position_with_an_invalid_option_is_refused(world, option):
    player = world.player()
    _, position = position_of(player)
    changed = copy.deepcopy(position)
    changed["options"][option] = "A1"

    assert 422 == asked_for(player, changed).status


def test_a_position_with_an_unknown_question_is_refused(world):
    player = world.player()
    _, position = position_of(player)
    changed = copy.deepcopy(position)
    changed["asking"][0]["kind"] = "x"

    assert 422 == asked_for(player, changed).status


def test_a_ticket_is_void_when_its_token_is_revoked(world):
    game, ash, _ = world.table("Ashmodai", "Birk")
    made = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json
    asker = type(ash)(ash.site, made["token"])
    ticket = asker.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]
    ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)

    assert "bad-token" == world.public.get(f"/v1/games/{game}/events", ticket=ticket, want=401).code


def test_past_views_of_a_private_game_are_not_publicly_cacheable(world):
    host = world.player("Host")
    made = host.make_game(visibility="private")
    host.call("DELETE", f"/v1/games/{made['id']}/seats/1", want=204)
    for name in ("Ash", "Birk"):
        world.player(name).join(made["id"], made["invitation"])
    host.start(made["id"])

    assert "private" in host.get(f"/v1/games/{made['id']}/view", at=1, want=200).headers["Cache-Control"]


def test_unknown_http_methods_share_one_metric_label(world):
    for method in ("ZZZQ", "ZZZR"):
        world.public.call(method, "/v1/keys", want=405)
    figures = world.public.get("/metrics", want=200).text

    assert "ZZZ" not in figures
    assert 'method="other"' in figures


def test_the_api_removes_secrets_from_its_logs():
    told = "import structlog, service.ops.server.config; print(structlog.get_config()['processors'])"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert "without_secrets" in ran.stdout
