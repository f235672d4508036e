"""Players give each other time, over HTTP."""

from __future__ import annotations

import pytest

from tests.core.http.problem import is_a_problem

HOUR = 3_600_000
DAILY = {"mode": "per_question", "hours": 24}


def give(player, game, want=200, **command):
    return player.send(game, {"type": "give_time", **command}, want=want)


def due(player, game, seat):
    return next(asked["deadline"] for asked in player.summary(game)["pending_questions"] if asked["seat"] == seat)


def test_a_gift_of_time_is_offered_extends_the_deadline_and_is_narrated(world):
    game, ash, birk = world.table(pace=DAILY)
    offered = [each for each in birk.get(f"/v1/games/{game}/options").json["table"] if each["type"] == "give_time"]
    stood = due(ash, game, 1)
    give(birk, game, seat=1, hours=5)

    assert [{"seat": 1}] == [each["fixed"] for each in offered]
    assert [{"name": "hours", "integer": {"min": 1, "max": 168}}] == offered[0]["open"]
    assert stood + 5 * HOUR == due(ash, game, 1)
    (line,) = ash.events(game)[-1]["lines"]
    assert "gives" in line["text"]
    assert "5 more hours" in line["text"]
    left = [each for each in birk.get(f"/v1/games/{game}/options").json["table"] if each["type"] == "give_time"]
    assert 163 == left[0]["open"][0]["integer"]["max"]


def test_a_game_without_deadlines_offers_no_gift_of_time(world):
    game, _, birk = world.table()
    assert "give_time" not in {each["type"] for each in birk.get(f"/v1/games/{game}/options").json["table"]}


@pytest.mark.parametrize(
    ("command", "pointer"),
    [
        ({}, "/hours"),
        ({"seat": 1}, "/hours"),
        ({"hours": 1}, "/seat"),
        ({"seat": "1", "hours": 1}, "/seat"),
        ({"seat": 1, "hours": 1.5}, "/hours"),
        ({"seat": 1, "hours": True}, "/hours"),
        ({"seat": 1, "hours": 1, "why": "x"}, "/why"),
    ],
)
def test_a_malformed_gift_of_time_is_422_with_a_pointer(world, command, pointer):
    game, _, birk = world.table(pace=DAILY)
    told = is_a_problem(birk.post(f"/v1/games/{game}/commands", {"type": "give_time", **command}), 422, "invalid")
    assert pointer in [error["pointer"] for error in told["errors"]]


@pytest.mark.parametrize(
    ("told", "command", "code", "pointer"),
    [
        ({}, {"seat": 2, "hours": 1}, "not-now", "/seat"),
        ({}, {"seat": 3, "hours": 1}, "not-now", "/seat"),
        ({}, {"seat": 0, "hours": 1}, "not-now", "/seat"),
        ({}, {"seat": -1, "hours": 1}, "not-now", "/seat"),
        ({}, {"seat": 1, "hours": 169}, "not-now", "/hours"),
        ({}, {"seat": 1, "hours": 0}, "not-now", "/hours"),
        ({}, {"seat": 1, "hours": 2**50}, "not-now", "/hours"),
        ({"table": {"give_time": 0}}, {"seat": 1, "hours": 1}, "not-now", "/hours"),
        ({"pace": {"mode": "free"}}, {"seat": 1, "hours": 1}, "not-now", "/seat"),
    ],
)
def test_a_gift_of_time_outside_the_limits_is_refused_with_a_pointer(world, told, command, code, pointer):
    game, ash, birk = world.table(**{"pace": DAILY, **told})
    before = ash.summary(game)["pending_questions"]
    problem = is_a_problem(give(birk, game, want=None, **command), 409, code)

    assert pointer == problem["pointer"]
    assert problem["type"] == f"urn:oraclewheel:refusal:{code}"
    assert before == ash.summary(game)["pending_questions"]


@pytest.mark.parametrize(
    ("value", "right"), [(-1, "0 to 8760"), (8761, "0 to 8760"), ("7", "0 to 8760"), (True, "0 to 8760")]
)
def test_the_give_time_setting_must_be_within_its_range(world, value, right):
    body = {"kind": "pennies", "seats": 2, "table": {"give_time": value}}
    told = is_a_problem(world.player().post("/v1/games", body), 422, "invalid")
    assert "/table/give_time" == told["pointer"]
    assert right in told["detail"]


def test_a_very_long_clock_cannot_be_extended_but_can_pause_and_resume(world):
    """A year of hours that count only on Mondays is so far ahead that a longer clock could not be computed."""
    weekends = ["tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    pace = {"mode": "per_question", "hours": 8760, "zone": "Europe/Sofia", "weekends": weekends}
    game, ash, birk = world.table(pace=pace, table={"give_time": 8760})
    for giver, seat in ((birk, 1), (ash, 2)):
        assert "not-now" == is_a_problem(give(giver, game, seat=seat, hours=8760, want=None), 409, "not-now")["code"]
        more = {"type": "call_vote", "kind": "more_time", "seat": seat, "hours": 720}
        is_a_problem(giver.send(game, more, want=None), 409, "bad-vote")
        offered = giver.get(f"/v1/games/{game}/options").json["table"]
        assert not [each for each in offered if "more_time" == each["fixed"].get("kind") or "give_time" == each["type"]]
    for kind in ("pause", "resume"):
        ash.send(game, {"type": "call_vote", "kind": kind}, want=200)
        birk.send(game, {"type": "cast_vote", "agree": True}, want=200)
    assert [] == ash.view(game)["public"]["table"]["clocks"]["stopped"]
