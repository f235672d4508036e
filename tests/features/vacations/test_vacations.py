"""Vacations of players over HTTP; every game is notified once, even if a process is killed."""

from __future__ import annotations

import time

import pytest

from service.store.upkeep.vacations import tell_all
from tests.core.http.problem import is_a_problem
from tests.driver import Player

HOUR, DAY = 3_600_000, 86_400_000
DAILY = {"mode": "per_question", "hours": 24}


def leave(player, begins, ends, want=201, **told):
    return player.post("/v1/me/vacations", {"from": begins, "to": ends}, want=want, **told)


def told(player, game):
    return [line["type"] for entry in player.events(game) for line in entry["lines"] if "vacation" in line["type"]]


def away(player, game):
    return [each["seat"] for each in player.view(game)["public"]["table"]["vacations"]["away"]]


def test_a_vacation_begins_in_every_game_with_a_clock_and_vacation_days(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    games = []
    for body in ({"pace": DAILY}, {"pace": DAILY, "table": {"vacation_days": 0}}, {}, {"pace": DAILY}):
        made = ash.make_game(**body)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    now = world.store.schedule.now()
    made = leave(ash, now, now + 5 * DAY).json
    for game in games:
        world.work(game)

    assert sorted([games[0], games[3]]) == made["games"]
    assert [["vacation_announced", "vacation_begun"], [], [], ["vacation_announced", "vacation_begun"]] == [
        told(birk, game) for game in games
    ]
    assert [None, True] == [
        asked["deadline"] and True for asked in ash.summary(games[0])["pending_questions"] if asked["seat"]
    ]
    assert [1] == away(birk, games[0])
    assert [made] == ash.get("/v1/me/vacations").json["vacations"]
    assert [] == birk.get("/v1/me/vacations").json["vacations"]


def test_a_move_ends_the_vacation_only_in_its_game(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    games = []
    for _ in range(2):
        made = ash.make_game(pace=DAILY)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    now = world.store.schedule.now()
    leave(ash, now, now + 5 * DAY)
    ash.send(games[0], {"type": "hide", "pennies": 1}, want=200)

    assert [[], [1]] == [away(birk, game) for game in games]
    assert "vacation_ended" == told(birk, games[0])[-1]


def test_a_vacation_can_be_canceled_before_and_after_it_begins(world):
    game, ash, birk = world.table(pace=DAILY)
    now = world.store.schedule.now()
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
    assert all(asked["deadline"] for asked in ash.summary(game)["pending_questions"])


def test_a_player_cannot_cancel_the_vacation_of_another(world):
    _, ash, birk = world.table(pace=DAILY)
    now = world.store.schedule.now()
    made = leave(ash, now, now + DAY).json
    is_a_problem(birk.call("DELETE", f"/v1/me/vacations/{made['id']}"), 404, "unknown-vacation")


def test_a_game_that_starts_during_a_vacation_is_notified_later(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    now = world.store.schedule.now()
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
def test_a_process_killed_while_notifying_neither_repeats_nor_skips_a_game(world, step, monkeypatch):
    game, ash, birk = world.table(pace=DAILY)
    now = world.store.schedule.now()

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


def test_a_vacation_is_deleted_when_it_is_over(world):
    game, ash, _ = world.table(pace=DAILY)
    now = world.store.schedule.now()
    made = leave(ash, now, now + 300).json
    while world.store.schedule.now() <= made["to"]:
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
        ({"from": 9 * DAY, "to": 9 * DAY}, "/to", "after its beginning"),
        ({"from": -2 * DAY, "to": -DAY}, "/to", "in the future"),
        ({"from": 0, "to": 367 * DAY}, "/to", "366 days"),
        ({"from": 800 * DAY, "to": 801 * DAY}, "/from", "within two years"),
        ({"from": 0, "to": DAY, "games": []}, "/games", "nknown"),
        ({"from": 0, "to": DAY, "seat": "bot"}, "/seat", "'orders', 'sitter'"),
        ({"from": 0, "to": DAY, "seat": None}, "/seat", ""),
        ({"from": 0, "to": DAY, "seat": "sitter"}, "/sitter", "Required"),
        ({"from": 0, "to": DAY, "sitter": "p1"}, "/sitter", "sitter"),
        ({"from": 0, "to": DAY, "seat": "default", "sitter": "p1"}, "/sitter", "sitter"),
        ({"from": 0, "to": DAY, "seat": "sitter", "sitter": 7}, "/sitter", ""),
        ({"from": 200 * DAY, "to": 367 * DAY, "seat": "sitter", "sitter": "p1"}, "/to", "one year from now"),
    ],
)
def test_an_invalid_vacation_is_422_with_a_pointer(world, body, pointer, right):
    ash, now = world.player(), world.store.schedule.now()
    moved = {
        name: now + value if type(value) is int and value != -1 and (name == "to" or value > 0 or value < -1) else value
        for name, value in body.items()
    }
    problem = is_a_problem(ash.post("/v1/me/vacations", moved), 422, "invalid")

    assert pointer in [error["pointer"] for error in problem["errors"]]
    assert right in problem["detail"]
    assert [] == ash.get("/v1/me/vacations").json["vacations"]


def test_overlapping_vacations_and_too_many_vacations_are_refused(world):
    ash, now = world.player(), world.store.schedule.now()
    leave(ash, now + 100 * DAY, now + 110 * DAY)
    told = is_a_problem(leave(ash, now + 109 * DAY, now + 120 * DAY, want=None), 422, "invalid")
    assert "/from" == told["pointer"]
    for number in range(19):
        leave(ash, now + 2 * number * DAY, now + (2 * number + 1) * DAY)
    is_a_problem(leave(ash, now + 200 * DAY, now + 210 * DAY, want=None), 429, "too-many-vacations")


def test_repeated_creation_of_vacations_is_rate_limited(world):
    game, ash, _ = world.table(pace=DAILY)
    now = world.store.schedule.now()
    for _ in range(20):
        made = leave(ash, now + DAY, now + 2 * DAY).json
        assert 204 == ash.call("DELETE", f"/v1/me/vacations/{made['id']}").status
    before = world.store.log.head(game)[0]

    refused = leave(ash, now + DAY, now + 2 * DAY, want=None)

    is_a_problem(refused, 429, "too-many-vacations")
    assert 3600 < int(refused.headers["Retry-After"]) <= 24 * 3600 / 20
    world.work(game)
    assert before == world.store.log.head(game)[0]


def test_one_of_two_concurrent_vacations_is_refused(world, monkeypatch):
    ash, now = world.player(), world.store.schedule.now()
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


def test_changing_vacations_needs_more_than_a_read_token(world):
    ash, now = world.player(), world.store.schedule.now()
    token = ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"]
    is_a_problem(leave(Player(ash.site, token), now, now + DAY, want=None), 403, "insufficient-scope")
    is_a_problem(leave(world.public, now, now + DAY, want=None), 401, "no-token")
    assert 200 == Player(ash.site, token).get("/v1/me/vacations").status
    is_a_problem(world.public.get("/v1/me/vacations"), 401, "no-token")
    is_a_problem(Player(ash.site, token).call("DELETE", "/v1/me/vacations/x"), 403, "insufficient-scope")


CALENDAR = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}


def sitters(world, game):
    return [(each.seat, each.player) for each in world.store.lobbies.get(game).seating.sitters]


def announced(player, game):
    return [
        line.get("plays", "")
        for entry in player.events(game)
        for line in entry["lines"]
        if line["type"] == "vacation_announced"
    ]


def calendar_table(world, ash, birk):
    made = ash.make_game(kind="battalia", pace=CALENDAR, seats=2)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    return made["id"]


def test_a_vacation_sitter_sits_in_all_possible_games_until_it_ends(world):
    ash, birk, cyd = world.player("Ash"), world.player("Birk"), world.player("Cyd")
    games = [calendar_table(world, ash, birk), calendar_table(world, ash, cyd)]
    made = ash.make_game(pace=DAILY)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    games.append(made["id"])
    now = world.store.schedule.now()
    cyd.agrees_to_sit_for(ash)
    vacation = leave(ash, now, now + 5 * DAY, want=None)
    assert 201 == vacation.status
    ash.call("DELETE", f"/v1/me/vacations/{vacation.json['id']}")
    told_ = ash.post(
        "/v1/me/vacations", {"from": now, "to": now + 5 * DAY, "seat": "sitter", "sitter": cyd.id}, want=201
    ).json
    for game in games:
        world.work(game)

    assert ("sitter", cyd.id) == (told_["seat"], told_["sitter"])
    assert [[(1, cyd.id)], [], [(1, cyd.id)]] == [sitters(world, game) for game in games]
    assert [["", "sitter"], ["", ""], ["", ""]] == [announced(ash, game) for game in games]
    assert 200 == cyd.get(f"/v1/games/{games[0]}/view").status
    seen = ash.view(games[0])["public"]["table"]["vacations"]["away"]
    assert ["sitter"] == [each["plays"] for each in seen]

    assert 204 == ash.call("DELETE", f"/v1/me/vacations/{told_['id']}").status
    for game in games:
        world.work(game)
    assert [[], [], []] == [sitters(world, game) for game in games]


def test_an_early_move_removes_a_vacation_sitter_but_not_a_manual_one(world):
    ash, birk, cyd, dara = (world.player(name) for name in ("Ash", "Birk", "Cyd", "Dara"))
    games = []
    for _ in range(2):
        made = ash.make_game(pace=DAILY)
        birk.join(made["id"], made["invitation"])
        ash.start(made["id"])
        games.append(made["id"])
    now = world.store.schedule.now()
    cyd.agrees_to_sit_for(ash)
    dara.agrees_to_sit_for(ash)
    ash.post(f"/v1/games/{games[1]}/seats/1/sitter", {"player": dara.id, "until": now + DAY}, want=200)
    ash.post("/v1/me/vacations", {"from": now, "to": now + 5 * DAY, "seat": "sitter", "sitter": cyd.id}, want=201)
    for game in games:
        world.work(game)
    assert [[(1, cyd.id)], [(1, dara.id)]] == [sitters(world, game) for game in games]

    for game in games:
        ash.send(game, {"type": "hide", "pennies": 1}, want=200)
    assert [[], [(1, dara.id)]] == [sitters(world, game) for game in games]
    assert [[], []] == [away(birk, game) for game in games]


def test_the_number_of_sitters_named_per_day_is_limited(world, monkeypatch):
    monkeypatch.setattr("service.store.upkeep.sitter_assignment.NAMED", 2)
    ash, birk, cyd = world.player("Ash"), world.player("Birk"), world.player("Cyd")
    games = [calendar_table(world, ash, birk) for _ in range(2)]
    now = world.store.schedule.now()
    cyd.agrees_to_sit_for(ash)
    ash.post("/v1/me/vacations", {"from": now, "to": now + DAY, "seat": "sitter", "sitter": cyd.id}, want=201)
    for game in games:
        world.work(game)
    assert [[], [(1, cyd.id)]] == sorted(sitters(world, game) for game in games)
    assert [[""], ["sitter"]] == sorted(announced(ash, game) for game in games)


def test_vacation_names_no_sitter_who_has_not_agreed(world):
    ash, birk, cyd = world.player("Ash"), world.player("Birk"), world.player("Cyd")
    game = calendar_table(world, ash, birk)
    now = world.store.schedule.now()
    body = {"from": now, "to": now + DAY, "seat": "sitter", "sitter": cyd.id}

    refused = is_a_problem(ash.post("/v1/me/vacations", body), 409, "sitter-not-agreed")

    assert "/sitter" == refused["pointer"]
    assert [ash.id] == [each["player"]["id"] for each in cyd.get("/v1/me/sitting").json["agreements"]]
    cyd.agrees_to_sit_for(ash)
    ash.post("/v1/me/vacations", body, want=201)
    world.work(game)
    assert [(1, cyd.id)] == sitters(world, game)


def test_sitter_who_withdraws_sits_in_no_game_that_begins_later(world):
    ash, birk, cyd = world.player("Ash"), world.player("Birk"), world.player("Cyd")
    now = world.store.schedule.now()
    cyd.agrees_to_sit_for(ash)
    ash.post("/v1/me/vacations", {"from": now, "to": now + DAY, "seat": "sitter", "sitter": cyd.id}, want=201)
    cyd.call("DELETE", f"/v1/me/sitting/{ash.id}", want=204)
    game = calendar_table(world, ash, birk)

    tell_all(world.store)
    world.work(game)

    assert [] == sitters(world, game)
    assert [""] == announced(birk, game)


def test_a_vacation_sitter_must_be_another_existing_player(world):
    ash, now = world.player(), world.store.schedule.now()
    body = {"from": now, "to": now + DAY, "seat": "sitter"}
    unknown = is_a_problem(ash.post("/v1/me/vacations", {**body, "sitter": "nobody"}), 404, "unknown-player")
    assert "/sitter" == unknown["pointer"]
    assert (
        "/sitter" == is_a_problem(ash.post("/v1/me/vacations", {**body, "sitter": ash.id}), 422, "invalid")["pointer"]
    )


def test_only_a_calendar_game_announces_that_orders_are_not_used(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = calendar_table(world, ash, birk)
    other, _, _ = made = world.table(pace=DAILY)
    now = world.store.schedule.now()
    ash.post("/v1/me/vacations", {"from": now, "to": now + DAY, "seat": "default"}, want=201)
    made[1].post("/v1/me/vacations", {"from": now, "to": now + DAY, "seat": "default"}, want=201)
    for each in (game, other):
        world.work(each)
    assert ["default"] == announced(birk, game)
    assert [""] == announced(made[2], other)
    assert "standing orders are not used during that time" in str(birk.events(game))
