"""The pace of a game: validation, and the deadlines that clients see."""

from __future__ import annotations

import pytest

from service.core.pace.calendar import Calendar
from service.core.pace.working import WEEK
from tests.clock import StoreClock
from tests.core.http.problem import is_a_problem
from tests.workers.almanac import SOFIA, Nobody, instant
from workers.sweeper import Sweeper

OFF = {"mode": "per_question", "hours": 24, "zone": "Europe/Sofia", "weekends": ["saturday", "sunday"]}


def without(name):
    return {key: value for key, value in SOFIA.items() if key != name}


@pytest.mark.parametrize(
    ("pace", "pointer", "right"),
    [
        ({**SOFIA, "zone": "Europe/Sofa"}, "/pace/zone", "perhaps Europe/Sofia?"),
        ({**SOFIA, "zone": "Mars"}, "/pace/zone", "such as Europe/Sofia"),
        ({**SOFIA, "zone": ""}, "/pace/zone", "1"),
        ({**SOFIA, "zone": 2}, "/pace/zone", "string of 1 to 64 characters"),
        ({**SOFIA, "at": "25:00"}, "/pace/at", "from 00:00 to 23:59"),
        ({**SOFIA, "at": "6pm"}, "/pace/at", "5"),
        ({**SOFIA, "at": "18:00:00"}, "/pace/at", "5"),
        ({**SOFIA, "day": "24H"}, "/pace/day", "such as PT24H"),
        ({**SOFIA, "day": "P1Y"}, "/pace/day", "such as PT24H"),
        ({**SOFIA, "day": "PT59S"}, "/pace/day", "from PT1M to P31D"),
        ({**SOFIA, "day": "P5W"}, "/pace/day", "from PT1M to P31D"),
        ({**SOFIA, "day": 24}, "/pace/day", "ISO 8601 duration"),
        ({**SOFIA, "hours": 24}, "/pace/hours", "with the pace per_question"),
        (without("day"), "/pace/day", "such as PT24H"),
        (without("at"), "/pace/at", "such as 18:00"),
        (without("zone"), "/pace/zone", "such as Europe/Sofia"),
        ({"mode": "free", "zone": "Europe/Sofia"}, "/pace/zone", "with the paces per_question and calendar"),
        ({"mode": "per_question", "hours": 24, "day": "PT24H"}, "/pace/day", "with the pace calendar"),
        ({**SOFIA, "weekends": "sunday"}, "/pace/weekends", "list"),
        ({**SOFIA, "weekends": ["sonntag"]}, "/pace/weekends/0", "'sunday'"),
        ({**SOFIA, "weekends": [6]}, "/pace/weekends/0", "'sunday'"),
        ({**SOFIA, "weekends": ["sunday", "sunday"]}, "/pace/weekends", "once"),
        ({**SOFIA, "weekends": list(WEEK)}, "/pace/weekends", "at most 6"),
        ({**SOFIA, "holidays": "2026-12-24"}, "/pace/holidays", "list"),
        ({**SOFIA, "holidays": ["2026-12-24", "24.12.26"]}, "/pace/holidays/1", "YYYY-MM-DD"),
        ({**SOFIA, "holidays": ["2026-02-29"]}, "/pace/holidays/0", "YYYY-MM-DD"),
        ({**SOFIA, "holidays": ["1800-01-01"]}, "/pace/holidays/0", "YYYY-MM-DD"),
        ({**SOFIA, "holidays": ["2026-W01-1"]}, "/pace/holidays/0", "YYYY-MM-DD"),
        ({**SOFIA, "holidays": [20261224]}, "/pace/holidays/0", "YYYY-MM-DD"),
        ({**SOFIA, "holidays": ["2026-12-24"] * 2}, "/pace/holidays", "once"),
        ({**SOFIA, "holidays": ["2026-12-24"] * 367}, "/pace/holidays", "at most 366"),
        ({"mode": "free", "weekends": ["sunday"]}, "/pace/weekends", "with the paces per_question and calendar"),
        ({"mode": "free", "holidays": ["2026-12-24"]}, "/pace/holidays", "with the paces per_question and calendar"),
        ({"mode": "per_question", "hours": 24, "weekends": ["sunday"]}, "/pace/zone", "such as Europe/Sofia"),
        ({"mode": "per_question", "hours": 24, "zone": "Europe/Sofia"}, "/pace/zone", "without weekends"),
        ({**OFF, "bank_hours": 0}, "/pace/bank_hours", "1"),
        ({**OFF, "bank_hours": 8761}, "/pace/bank_hours", "8760"),
        ({**OFF, "bank_hours": "48"}, "/pace/bank_hours", "whole number"),
        ({**OFF, "bank_hours": 48, "increment_hours": -1}, "/pace/increment_hours", "0"),
        ({**OFF, "bank_hours": 48, "increment_hours": 1.5}, "/pace/increment_hours", "whole number"),
        ({**OFF, "increment_hours": 4}, "/pace/increment_hours", "bank_hours"),
        ({**SOFIA, "bank_hours": 48}, "/pace/bank_hours", "with the pace per_question"),
        ({"mode": "free", "increment_hours": 4}, "/pace/increment_hours", "with the pace per_question"),
        ({**OFF, "zone": "Europe/Sofa"}, "/pace/zone", "perhaps Europe/Sofia?"),
    ],
)
def test_an_invalid_pace_is_422_with_a_pointer_and_a_hint(world, pace, pointer, right):
    ash = world.player()

    document = is_a_problem(ash.post("/v1/games", {"kind": "battalia", "seats": 2, "pace": pace}), 422, "invalid")

    assert [pointer] == [error["pointer"] for error in document["errors"]]
    assert right in document["detail"]
    assert [] == ash.get("/v1/games", mine="true").json["games"]


def test_all_faults_of_a_pace_are_reported_at_once(world):
    pace = {"mode": "calendar", "day": "long", "at": "99:99", "hours": 3}

    told = is_a_problem(world.player().post("/v1/games", {"kind": "fronela", "seats": 4, "pace": pace}), 422, "invalid")

    assert {f"/pace/{name}" for name in ("day", "at", "zone", "hours", "mode")} == {
        e["pointer"] for e in told["errors"]
    }


@pytest.mark.parametrize(("kind", "seats"), [("fronela", 4), ("pennies", 2)])
def test_a_game_without_days_has_no_calendar(world, kind, seats):
    ash = world.player()

    told = is_a_problem(ash.post("/v1/games", {"kind": kind, "seats": seats, "pace": SOFIA}), 422, "invalid")

    assert "/pace/mode" == told["pointer"]
    assert ["free", "per_question"] == ash.get(f"/v1/kinds/{kind}").json["paces"]
    assert "calendar" in ash.get("/v1/kinds/battalia").json["paces"]


def test_a_game_that_starts_from_a_position_has_no_calendar(world):
    ash = world.player()
    made = ash.make_game("battalia", 2, sandbox={})["id"]
    ash.seat_bot(made)
    ash.start(made)
    position = ash.get(f"/v1/games/{made}/position", want=200).json["position"]
    body = {"kind": "battalia", "seats": 2, "pace": SOFIA, "sandbox": {"position": position}}

    assert "/pace/mode" == is_a_problem(ash.post("/v1/games", body), 422, "invalid")["pointer"]
    ash.post("/v1/games", {**body, "sandbox": {"dice": [1, 2]}}, want=201)


def test_a_calendar_shows_its_deadlines_before_and_after_they_pass(world, monkeypatch):
    ash, birk = world.player("Ash"), world.player("Birk")
    made = ash.make_game("battalia", 2, pace=SOFIA)
    birk.join(made["id"], made["invitation"])
    game = made["id"]
    began = ash.start(game)
    plan = Calendar.of(SOFIA, began["started_at"])
    (asked,) = ash.summary(game)["pending_questions"]
    half = began["started_at"] + (plan.end(1) - began["started_at"]) // 2

    assert SOFIA == began["pace"] == ash.view(game)["public"]["table"]["pace"]
    assert ({"day": 1, "place": 1, "of": 2}, half) == (asked["about"], asked["deadline"])
    (turn,) = [*ash.turns(), *birk.turns()]
    assert (asked["id"], half) == (turn["id"], turn["deadline"])

    late = plan.end(1) + 12345
    StoreClock(monkeypatch, late)
    sweeper = Sweeper(world.store, Nobody())
    while sweeper.sweep():
        world.work(game)
    told = [(entry["by"], entry.get("planned"), entry["at"]) for entry in ash.events(game)]
    expected = [("policy", half, late), ("policy", plan.end(1), late), ("system", plan.end(1), late)]
    assert expected == told[1:]
    assert None is told[0][1]
    (only,) = ash.get(f"/v1/games/{game}/events", after=3).json["events"]
    assert plan.end(1) == only["planned"], "though the page begins after the commit that planned it"


def test_entries_have_no_planned_time_in_other_paces(world, monkeypatch):
    game, ash, _ = world.table(pace={"mode": "per_question", "hours": 1})
    later = world.store.schedule.now() + 3_600_001
    StoreClock(monkeypatch, later)
    world.store.schedule.beat("pump")
    Sweeper(world.store, Nobody()).sweep()
    world.work(game)

    entries = ash.events(game)
    assert "policy" in {entry["by"] for entry in entries}
    assert not [entry for entry in entries if "planned" in entry]


@pytest.mark.parametrize("pace", [OFF, {**OFF, "weekends": []}, {**OFF, "holidays": ["2026-12-24"]}])
def test_a_deadline_skips_the_weekend(world, monkeypatch, pace):
    friday = instant("2026-06-05 17:00", "Europe/Sofia")
    StoreClock(monkeypatch, friday)
    game, ash, _ = world.table(pace=pace)

    days = 3 if pace["weekends"] else 1
    assert pace == ash.summary(game)["pace"]
    assert {friday + days * 86_400_000} == {asked["deadline"] for asked in ash.summary(game)["pending_questions"]}
