"""Vacations of players, in complete games with an adjustable clock."""

from __future__ import annotations

import json

import pytest

from domain.kernel.terms import SYSTEM
from domain.registry import GAMES
from domain.table import features
from service.core.pace.calendar import DAY, HOUR, Calendar
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.core.positions.rows import as_bytes, build_public
from tests.stores import new_store
from tests.workers.almanac import SOFIA, Almanac, bodies, instant, say, standing
from tests.workers.test_clocks import DAILY, START, dues, kinds, to_the_end

TABLE = features.complete_settings({})


@pytest.fixture
def almanac(monkeypatch):
    return Almanac(monkeypatch, new_store(), START)


def announce(almanac, game, seat, begins, ends, name="v1"):
    told = {"type": "announce_vacation", "seat": seat, "vacation": name, "begins": begins, "ends": ends}
    say(almanac.store, game, SYSTEM, f"vacation {name}", **told)
    almanac.work()


def recall(almanac, game, seat, name="v1"):
    say(almanac.store, game, SYSTEM, f"recall {name}", type="recall_vacation", seat=seat, vacation=name)
    almanac.work()


def view(almanac, game):
    position = Positions(almanac.store).read_newest(load_game_config(almanac.store, game))
    return json.loads(as_bytes(build_public(GAMES["battalia"].knowledge, position)))["table"]["vacations"]


def ended(almanac, game):
    return [
        (event["vacation"], event["why"])
        for body in bodies(almanac.store, game)
        for event in body.get("events", ())
        if event["type"] == "vacation_ended"
    ]


def end_turn(almanac, game, seat, by=None):
    say(almanac.store, game, seat, f"turn {almanac.store.log.head(game)[0]}", type="end_turn")
    almanac.work()


def test_vacation_begins_and_ends_by_itself_and_stops_the_clock(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    announce(almanac, game, 2, START + 10 * HOUR, START + 10 * HOUR + 5 * DAY)
    assert {
        "days": 14,
        "announced": [{"seat": 2, "begins": START + 10 * HOUR, "ends": START + 10 * HOUR + 5 * DAY}],
        "away": [],
    } == view(almanac, game)
    assert {2: START + DAY} == {seat: due for seat, due in dues(almanac, game).items() if seat}
    almanac.until(START + 10 * HOUR)
    assert ["vacation_begun", "clocks_stopped"] == kinds(almanac, game)[-2:]
    assert {2: None} == {seat: due for seat, due in dues(almanac, game).items() if seat}
    almanac.until(START + 10 * HOUR + 5 * DAY)

    assert ["vacation_ended", "clocks_started"] == kinds(almanac, game)[-2:]
    assert [("v1", "over")] == ended(almanac, game)
    assert {2: START + 5 * DAY + DAY} == dues(almanac, game)
    assert "deadline_passed" not in kinds(almanac, game)
    to_the_end(almanac, game)


def test_move_ends_the_vacation_and_the_next_question_gets_its_full_time(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    announce(almanac, game, 2, START, START + 9 * DAY)
    assert [{"seat": 2, "since": START, "until": START + 9 * DAY}] == view(almanac, game)["away"]
    almanac.until(START + 3 * DAY)
    say(almanac.store, game, 1, "chat", type="give_time", seat=2, hours=1)
    almanac.work()
    assert [] == ended(almanac, game)
    end_turn(almanac, game, 2)
    assert [("v1", "played")] == ended(almanac, game)
    assert {1: START + 4 * DAY} == dues(almanac, game)
    end_turn(almanac, game, 1)
    assert {2: START + 4 * DAY} == dues(almanac, game)
    to_the_end(almanac, game)


def test_vacation_is_recalled_before_or_after_it_begins(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    announce(almanac, game, 2, START + DAY, START + 2 * DAY, "a")
    announce(almanac, game, 2, START, START + 9 * DAY, "b")
    recall(almanac, game, 2, "a")
    almanac.until(START + 12 * HOUR)
    recall(almanac, game, 2, "b")
    recall(almanac, game, 1, "c")

    assert [("a", "recalled"), ("b", "recalled")] == ended(almanac, game)
    assert "already-answered" == bodies(almanac.store, game)[-1]["refusal"]["code"]
    assert not almanac.store.lobbies.get(game).stalled
    assert {2: START + 36 * HOUR} == dues(almanac, game)
    to_the_end(almanac, game)


@pytest.mark.soak
def test_vacation_days_of_a_year_are_limited(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table={**TABLE, "vacation_days": 5, "missed_limit": 0}, max_weeks=8)
    announce(almanac, game, 2, START, START + 3 * DAY, "a")
    announce(almanac, game, 2, START + 5 * DAY, START + 15 * DAY, "b")
    announce(almanac, game, 2, START + 20 * DAY, START + 25 * DAY, "c")
    announce(almanac, game, 2, START + 366 * DAY, START + 368 * DAY, "d")
    stopped = {}
    while [each[0] for each in ended(almanac, game)] != ["a", "b", "c", "d"]:
        if almanac.store.lobbies.get(game).status == "over":
            break
        almanac.next()
        stopped.setdefault(tuple(each[0] for each in ended(almanac, game)), almanac.now)

    assert [("a", "over"), ("b", "over"), ("c", "no_days")] == ended(almanac, game)[:3]
    assert START + 7 * DAY == stopped[("a", "b")], "two of the five days were left"
    to_the_end(almanac, game)


def test_next_year_has_its_own_vacation_days(almanac):
    game = almanac.begin(
        "ada", "bob", pace={"mode": "per_question", "hours": 24 * 200}, table={**TABLE, "vacation_days": 5}, max_weeks=1
    )
    announce(almanac, game, 2, START, START + 9 * DAY, "a")
    announce(almanac, game, 2, START + 366 * DAY, START + 375 * DAY, "b")
    almanac.until(START + 371 * DAY)
    assert [("a", "over"), ("b", "over")] == ended(almanac, game)


def test_table_without_vacation_days_ignores_announcements(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table={**TABLE, "vacation_days": 0}, max_weeks=1)
    announce(almanac, game, 2, START, START + DAY)
    assert "vacation_announced" not in kinds(almanac, game)
    assert not almanac.store.lobbies.get(game).stalled
    to_the_end(almanac, game)


def test_resignation_ends_the_vacation(almanac):
    game = almanac.begin("ada", "bob", "cy", pace=DAILY, table=TABLE, max_weeks=1)
    (first,) = {asked["seat"] for asked in standing(almanac.store, game)}
    announce(almanac, game, first, START, START + 9 * DAY)
    say(almanac.store, game, first, "enough", type="resign")
    almanac.work()
    assert [("v1", "left")] == ended(almanac, game)
    assert {"announced": [], "away": []} == {k: v for k, v in view(almanac, game).items() if k != "days"}
    to_the_end(almanac, game)


def test_vacation_with_calendar_pace_stops_no_clock_and_counts_no_missed_turn(almanac):
    plan = Calendar.of(SOFIA, START)
    game = almanac.begin("ada", "bob", table={**TABLE, "missed_limit": 2}, max_weeks=1)
    announce(almanac, game, 2, START, plan.end(5))
    almanac.until(plan.end(4))
    assert "clocks_stopped" not in kinds(almanac, game)
    missed = [e for body in bodies(almanac.store, game) for e in body.get("events", ()) if e["type"] == "turn_missed"]
    assert missed
    assert {1} == {event["seat"] for event in missed}
    to_the_end(almanac, game)


def test_vacation_leaves_the_hour_that_was_left_before_it(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    announce(almanac, game, 2, instant("2026-06-02 03:00") - HOUR, START + 4 * DAY)
    almanac.until(START + 5 * DAY)
    assert [("v1", "over")] == ended(almanac, game)
    assert 1 == kinds(almanac, game).count("deadline_passed"), "one hour was left, and it has passed since"
    to_the_end(almanac, game)
