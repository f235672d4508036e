"""Requests without permission, and games that must stay unknown: 401, 403, 404."""

from __future__ import annotations

import pytest

from tests.core.http.problem import is_a_problem

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def table(world):
    return world, *world.table()


def test_no_token_is_401(table):
    world, game, *_ = table

    for method, path in [
        ("GET", "/v1/me"),
        ("PATCH", "/v1/me"),
        ("GET", "/v1/me/tokens"),
        ("POST", "/v1/me/tokens"),
        ("DELETE", "/v1/me/tokens/c1"),
        ("POST", "/v1/me/tickets"),
        ("GET", "/v1/me/turns"),
        ("POST", "/v1/games"),
        ("GET", "/v1/games?mine=true"),
        ("POST", f"/v1/games/{game}/seats"),
        ("PATCH", f"/v1/games/{game}/seats/1"),
        ("DELETE", f"/v1/games/{game}/seats/1"),
        ("POST", f"/v1/games/{game}/invitation"),
        ("POST", f"/v1/games/{game}/start"),
        ("POST", f"/v1/games/{game}/commands"),
        ("GET", f"/v1/games/{game}/commands/x"),
        ("GET", f"/v1/games/{game}/options"),
        ("PUT", f"/v1/games/{game}/plan"),
        ("GET", f"/v1/games/{game}/plan"),
        ("DELETE", f"/v1/games/{game}/plan"),
        ("POST", f"/v1/games/{game}/fork"),
    ]:
        answer = world.public.call(method, path)
        is_a_problem(answer, 401, "no-token")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer", "Basic YTpi", "", "Bearer " + "x" * 10_000])
def test_a_bad_token_is_401_even_where_none_is_needed(table, header):
    world, game, *_ = table

    for path in ("/v1/me", f"/v1/games/{game}/view", "/v1/games"):
        answer = world.public.get(path, headers={"Authorization": header})
        is_a_problem(answer, 401, "bad-token")


def test_a_token_in_the_url_is_refused(table):
    world, game, ash, _ = table

    answer = world.public.get(f"/v1/games/{game}/options", token=ash.token, access_token=ash.token)

    is_a_problem(answer, 422, "invalid")
    assert ash.token not in answer.text


def test_not_your_seat_is_403(table):
    world, game, ash, _ = table
    stranger = world.player()

    is_a_problem(stranger.send(game, HIDE), 403, "not-your-seat")
    is_a_problem(stranger.get(f"/v1/games/{game}/options"), 403, "not-your-seat")
    is_a_problem(ash.send(game, HIDE, seat=2), 403, "not-your-seat")
    is_a_problem(ash.get(f"/v1/games/{game}/options", seat=2), 403, "not-your-seat")
    is_a_problem(ash.get(f"/v1/games/{game}/view", seat=2), 403, "not-your-seat")
    is_a_problem(ash.get(f"/v1/games/{game}/view", seat=2, at=1), 403, "not-your-seat")
    is_a_problem(ash.get(f"/v1/games/{game}/events", seat=2), 403, "not-your-seat")
    is_a_problem(world.public.get(f"/v1/games/{game}/view", seat=1), 403, "not-your-seat")


def test_a_private_game_does_not_exist_for_others(world):
    game, ash, birk = world.table("Ash", "Birk", visibility="private")
    stranger = world.player()
    lobby = ash.make_game(visibility="private")["id"]

    for who, need in ((stranger, "unknown-game"), (world.public, None)):
        for path in ("", "/view", "/view?at=1", "/options", "/events", "/export", "/position", "/commands/x", "/plan"):
            is_a_problem(who.get(f"/v1/games/{game}{path}"), *_hidden(need, path))
    for path, body in [
        ("/commands", HIDE),
        ("/commands", b"{"),
        ("/start", None),
        ("/invitation", None),
        ("/fork", {}),
        ("/seats", {}),
        ("/seats", {"invitation": "wrong"}),
        ("/seats", {"seat": 9}),
        ("/seats", b"{"),
        ("/seats", b"x" * 70_000),
        ("/seats", {"bot": "random"}),
    ]:
        for hidden in (game, lobby, "gnone"):
            is_a_problem(stranger.post(f"/v1/games/{hidden}{path}", body), 404, "unknown-game")
    is_a_problem(stranger.post("/v1/me/tickets", {"game": game}), 404, "unknown-game")
    assert "running" == birk.summary(game)["status"]


def _hidden(need, path):
    if need is None and path in ("/options", "/commands/x", "/plan"):
        return 401, "no-token"
    return 404, "unknown-game"
