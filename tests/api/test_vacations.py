"""Vacations of players, over HTTP: every game is told once, whoever is killed in between."""

from __future__ import annotations

import time

import pytest

from service.store.upkeep.vacations import tell_all
from tests.api.conftest import both_stores
from tests.api.problem import is_a_problem
from tests.driver import Player

HOUR, DAY = 3_600_000, 86_400_000
DAILY = {"mode": "per_question", "hours": 24}


def leave(player, begins, ends, want=201, **told):
    return player.post("/v1/me/vacations", {"from": begins, "to": ends}, want=want, **told)


def told(player, game):
    return [line["type"] for entry in player.events(game) for line in entry["lines"] if "vacation" in line["type"]]


def away(player, game):
    return [each["seat"] for each in player.view(game)["public"]["table"]["vacations"]["away"]]


@both_stores
def test_a_vacation_is_announced_and_begins_in_every_game_with_a_clock_and_days_for_it(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    games = []
    for body in ({"pace": DAILY}, {"pace": DAILY, "table": {"vacation_days": 0}}, {}, {"pace": DAILY}):
        made = ash.make_game(**body)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    now = world.store.log.now()
    made = leave(ash, now, now + 5 * DAY).json
    for game in games:
        world.work(game)

    assert sorted([games[0], games[3]]) == made["games"]
    assert [["vacation_announced", "vacation_begun"], [], [], ["vacation_announced", "vacation_begun"]] == [
        told(birk, game) for game in games
    ]
    assert [None, True] == [asked["due"] and True for asked in ash.summary(games[0])["asked"] if asked["seat"]]
    assert [1] == away(birk, games[0])
    assert [made] == ash.get("/v1/me/vacations").json["vacations"]
    assert [] == birk.get("/v1/me/vacations").json["vacations"]


def test_who_plays_is_back_in_that_game_alone(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    games = []
    for _ in range(2):
        made = ash.make_game(pace=DAILY)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    now = world.store.log.now()
    leave(ash, now, now + 5 * DAY)
    ash.send(games[0], {"type": "hide", "pennies": 1}, want=200)

    assert [[], [1]] == [away(birk, game) for game in games]
    assert "vacation_ended" == told(birk, games[0])[-1]


@both_stores
def test_it_is_recalled_before_it_begins_and_after(world):
    game, ash, birk = world.table(pace=DAILY)
    now = world.store.log.now()
    first = leave(ash, now + 9 * DAY, now + 10 * DAY).json
    second = leave(ash, now, now + DAY).json
    assert [first["id"], second["id"]] == [
        each["id"] for each in sorted(ash.get("/v1/me/vacations").json["vacations"], key=lambda each: -each["from"])
    ]
    for each in (first, second):
        assert 204 == ash.call("DELETE", f"/v1/me/vacations/{each['id']}").status
        is_a_problem(ash.call("DELETE", f"/v1/me/vacations/{each['id']}"), 404, "unknown-vacation")
    world.work(game)

    assert ["vacation_ended"] * 2 == told(birk, game)[-2:]
    assert [] == away(birk, game)
    assert [] == ash.get("/v1/me/vacations").json["vacations"]
    assert all(asked["due"] for asked in ash.summary(game)["asked"])


def test_a_vacation_is_nobody_else_s_to_recall(world):
    _, ash, birk = world.table(pace=DAILY)
    now = world.store.log.now()
    made = leave(ash, now, now + DAY).json
    is_a_problem(birk.call("DELETE", f"/v1/me/vacations/{made['id']}"), 404, "unknown-vacation")


@both_stores
def test_a_game_that_begins_meanwhile_is_told_by_the_schedule(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    now = world.store.log.now()
    made = leave(ash, now, now + 5 * DAY).json
    assert [] == made["games"]
    game = ash.make_game(pace=DAILY)
    birk.join(game["id"], game["invitation"])
    ash.start(game["id"])
    assert [game["id"]] == tell_all(world.store)
    assert [] == tell_all(world.store)
    world.work(game["id"])
    assert [1] == away(birk, game["id"])


@pytest.mark.parametrize("step", ["told_vacation", "submit"])
@both_stores
def test_who_is_killed_while_telling_tells_no_game_twice_and_leaves_none_out(world, step, monkeypatch):
    game, ash, birk = world.table(pace=DAILY)
    now = world.store.log.now()

    def dies(*_, **__):
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(type(world.store.accounts if step == "told_vacation" else world.store.log), step, dies)
        with pytest.raises(SystemExit):
            leave(ash, now, now + 5 * DAY)
    for _ in range(2):
        tell_all(world.store)
        world.work(game)

    assert ["vacation_announced", "vacation_begun"] == told(birk, game)


def test_what_is_over_is_forgotten(world):
    game, ash, _ = world.table(pace=DAILY)
    now = world.store.log.now()
    made = leave(ash, now, now + 300).json
    while world.store.log.now() <= made["to"]:
        time.sleep(0.05)
    tell_all(world.store)
    assert [] == world.store.accounts.vacations(ash.id)
    assert [] == ash.get("/v1/me/vacations").json["vacations"]
    assert game


@pytest.mark.parametrize(
    ("body", "pointer", "right"),
    [
        ({"to": 9 * DAY}, "/from", "required"),
        ({"from": 9 * DAY}, "/to", "required"),
        ({"from": "soon", "to": 9 * DAY}, "/from", "whole number"),
        ({"from": 1.5, "to": 9 * DAY}, "/from", "whole number"),
        ({"from": True, "to": 9 * DAY}, "/from", "whole number"),
        ({"from": 0, "to": "later"}, "/to", "whole number"),
        ({"from": 0, "to": -1}, "/to", "0"),
        ({"from": 9 * DAY, "to": 9 * DAY}, "/to", "after it has begun"),
        ({"from": -2 * DAY, "to": -DAY}, "/to", "after now"),
        ({"from": 0, "to": 367 * DAY}, "/to", "366 days"),
        ({"from": 800 * DAY, "to": 801 * DAY}, "/from", "within two years"),
        ({"from": 0, "to": DAY, "games": []}, "/games", "nknown"),
    ],
)
def test_a_vacation_that_cannot_be_is_422_with_a_pointer(world, body, pointer, right):
    ash, now = world.player(), world.store.log.now()
    moved = {
        name: now + value if type(value) is int and value != -1 and (name == "to" or value > 0 or value < -1) else value
        for name, value in body.items()
    }
    problem = is_a_problem(ash.post("/v1/me/vacations", moved), 422, "invalid")

    assert pointer in [error["pointer"] for error in problem["errors"]]
    assert right in problem["detail"]
    assert [] == ash.get("/v1/me/vacations").json["vacations"]


def test_two_vacations_at_a_time_and_too_many_are_refused(world):
    ash, now = world.player(), world.store.log.now()
    leave(ash, now + 100 * DAY, now + 110 * DAY)
    told = is_a_problem(leave(ash, now + 109 * DAY, now + 120 * DAY, want=None), 422, "invalid")
    assert "/from" == told["pointer"]
    for number in range(19):
        leave(ash, now + 2 * number * DAY, now + (2 * number + 1) * DAY)
    is_a_problem(leave(ash, now + 200 * DAY, now + 210 * DAY, want=None), 429, "too-many-vacations")


@both_stores
def test_who_comes_and_goes_all_day_fills_no_log_with_it(world):
    game, ash, _ = world.table(pace=DAILY)
    now = world.store.log.now()
    for _ in range(20):
        made = leave(ash, now + DAY, now + 2 * DAY).json
        assert 204 == ash.call("DELETE", f"/v1/me/vacations/{made['id']}").status
    before = world.store.log.head(game)[0]

    refused = leave(ash, now + DAY, now + 2 * DAY, want=None)

    is_a_problem(refused, 429, "too-many-vacations")
    assert 3600 < int(refused.headers["Retry-After"]) <= 24 * 3600 / 20
    world.work(game)
    assert before == world.store.log.head(game)[0]


@both_stores
def test_of_two_vacations_that_are_entered_at_once_one_is_refused(world, monkeypatch):
    ash, now = world.player(), world.store.log.now()
    look, others = world.store.accounts.vacations, []

    def looks(player_id):
        found = look(player_id)
        if not others:
            others.append(None)
            others[0] = leave(ash, now + DAY, now + 3 * DAY, want=None)
        return found

    monkeypatch.setattr(type(world.store.accounts), "vacations", lambda _, player_id: looks(player_id))
    leave(ash, now + 2 * DAY, now + 4 * DAY)

    is_a_problem(others[0], 409, "in-progress")
    assert 1 == len(ash.get("/v1/me/vacations").json["vacations"])


def test_a_token_that_only_reads_makes_none(world):
    ash, now = world.player(), world.store.log.now()
    token = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    is_a_problem(leave(Player(ash.site, token), now, now + DAY, want=None), 403, "insufficient-scope")
    is_a_problem(leave(world.public, now, now + DAY, want=None), 401, "no-token")
    assert 200 == Player(ash.site, token).get("/v1/me/vacations").status
    is_a_problem(world.public.get("/v1/me/vacations"), 401, "no-token")
    is_a_problem(Player(ash.site, token).call("DELETE", "/v1/me/vacations/x"), 403, "insufficient-scope")
