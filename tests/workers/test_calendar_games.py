"""DAY-02 with calendar pace: seats that have not moved get the default move, days turn and check-points happen once, on
time."""

from __future__ import annotations

import time

import pytest

from domain.games.battalia.rulebook.turn.setup import factions_left
from service.core.pace.calendar import DAY, HOUR, Calendar
from tests.stores import new_store
from tests.workers.almanac import (
    MODULES,
    SOFIA,
    Almanac,
    Nobody,
    begin,
    bodies,
    days,
    instant,
    local,
    plan,
    say,
    standing,
)
from tests.workers.test_advance import replayed
from workers.advance import Advance
from workers.sweeper import OUTAGE, Sweeper

START = instant("2026-03-20 10:00", "Europe/Sofia")
PLAN = Calendar.of(SOFIA, START)
PLAYERS = ("ada", "bob", "cy", "di")


@pytest.fixture
def almanac(monkeypatch):
    return Almanac(monkeypatch, new_store(), START)


def asked(almanac, game):
    (question,) = standing(almanac.store, game)
    return question


def kinds(body):
    return [event["type"] for event in body["events"]]


def moments(body):
    return [event["moment"].partition(":")[0] for event in body["events"] if event["type"] == "moment_came"]


# -- a day ------------------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_day_02_day_turns_in_order_at_the_time_of_the_calendar(almanac):
    game = almanac.begin(*PLAYERS, modules=MODULES)
    almanac.until(PLAN.end(7) - 1)
    before = len(bodies(almanac.store, game))
    assert ("day", 0, PLAN.end(7)) != tuple(asked(almanac, game)[name] for name in ("kind", "seat", "due"))
    almanac.until(PLAN.end(7))

    moved, turned = bodies(almanac.store, game)[before:][:2]
    assert ("policy", "deadline_passed", "day_ended") == (moved["actor"]["by"], kinds(moved)[0], kinds(moved)[-1])
    assert ("system", {"type": "turn_day"}) == (turned["actor"]["by"], turned["played"])
    assert "day_announced" == kinds(turned)[0], "its own commit, and the wheel first"
    assert (1, 2) == (turned["events"][0]["day"], turned["events"][0]["week"])
    in_order = ["effects", "weeks", "week", "enter", "move", "turn"]
    told = [moment for moment in turned["events"][0]["agenda"] if moment != "night"]
    assert sorted(told, key=lambda moment: in_order.index(moment.partition(":")[0])) == told
    assert set(in_order) == {moment.partition(":")[0] for moment in told}
    assert moments(turned) == [moment.partition(":")[0] for moment in told][: len(moments(turned))]


def test_day_02_day_ends_at_its_time_even_if_all_have_moved(almanac):
    game = almanac.begin("ada", "bob")
    for number in range(2):
        say(almanac.store, game, asked(almanac, game)["seat"], f"c{number}", type="end_turn")
        almanac.work()

    question = asked(almanac, game)
    assert ("day", 0, PLAN.end(1)) == (question["kind"], question["seat"], question["due"])
    almanac.until(PLAN.end(1) - 1)
    assert question["id"] == asked(almanac, game)["id"]
    almanac.until(PLAN.end(1))
    assert [(PLAN.end(1), PLAN.end(1), 2, 1)] == days(almanac.store, game)[1:]


@pytest.mark.soak
def test_check_points_of_four_weeks_are_at_18_00_across_a_clock_change(almanac):
    game = almanac.begin(*PLAYERS, modules=MODULES, max_weeks=4)
    almanac.until(PLAN.end(28))

    weeks = [planned for planned, at, day, _ in days(almanac.store, game) if day == 1]
    told = ["2026-03-27 18:00+02:00", "2026-04-03 18:00+03:00", "2026-04-10 18:00+03:00", "2026-04-17 18:00+03:00"]
    assert told == [local(when, "Europe/Sofia") for when in weeks[1:]]
    assert {0} == {at - planned for planned, at, *_ in days(almanac.store, game)[1:]}
    assert "over" == almanac.store.lobbies.get(game).status
    assert ("END-04", "weeks") == tuple(bodies(almanac.store, game)[-1]["events"][-1][n] for n in ("clause", "reason"))


# -- shares -----------------------------------------------------------------------------------------------------------


def test_time_left_by_an_early_seat_goes_to_the_next(almanac):
    game = almanac.begin(*PLAYERS)
    almanac.until(PLAN.end(1))
    first = asked(almanac, game)
    assert (1, 4, PLAN.end(1) + 6 * HOUR) == (first["about"]["place"], first["about"]["of"], first["due"])
    almanac.until(PLAN.end(1) + HOUR)
    say(almanac.store, game, first["seat"], "early", type="end_turn")
    almanac.work()

    second = asked(almanac, game)
    assert (2, PLAN.end(1) + HOUR) == (second["about"]["place"], second["since"])
    assert PLAN.end(1) + 12 * HOUR == second["due"], "eleven hours instead of six"


def test_command_accepted_before_the_deadline_is_in_time(almanac):
    game = almanac.begin("ada", "bob")
    first = asked(almanac, game)
    almanac.now = first["due"] - 1
    say(almanac.store, game, first["seat"], "just", type="end_turn")
    almanac.until(first["due"])

    just, late = bodies(almanac.store, game)[1:]
    assert ("just", "turn_ended") == (just["submission"]["id"], kinds(just)[0])
    assert "already-answered" == late["refusal"]["code"]


def test_resigned_seat_is_played_by_a_bot_at_once_and_leaves_its_time_to_the_next(almanac):
    game = almanac.begin(*PLAYERS)
    almanac.until(PLAN.end(2))
    first = asked(almanac, game)
    say(almanac.store, game, first["seat"], "enough", type="resign")
    almanac.work()

    second = asked(almanac, game)
    assert (2, almanac.now) == (second["about"]["place"], second["since"])
    assert PLAN.end(2) + 12 * HOUR == second["due"]
    almanac.until(PLAN.end(5))
    assert [PLAN.end(day) for day in range(1, 6)] == [at for _, at, *_ in days(almanac.store, game)[1:]]


def test_game_of_bots_plays_one_game_day_a_day(almanac):
    game = almanac.begin("bot:greedy", "bot:random")
    assert "day" == asked(almanac, game)["kind"]
    almanac.until(PLAN.end(3))
    assert [2, 3, 4] == [day for *_, day, _ in days(almanac.store, game)[1:]]
    assert {"bot", "system"} == {body["actor"]["by"] for body in bodies(almanac.store, game)}


def test_set_14_choosing_takes_a_day_with_a_share_for_each_choice(almanac):
    game = almanac.begin("ada", "bob", quick_setup=False)
    told = []
    while asked(almanac, game)["kind"] != "turn":
        told.append((asked(almanac, game)["kind"], asked(almanac, game)["seat"], asked(almanac, game)["due"]))
        almanac.next()
    first_day = PLAN.end(1) - START

    shares = [START + first_day * place // 4 for place in (1, 2, 3)]
    assert list(zip(("faction", "faction", "start"), (1, 2, 2), shares, strict=True)) == told, (
        "one start is left (DAY-08)"
    )
    assert PLAN.end(1) + 12 * HOUR == asked(almanac, game)["due"]
    almanac.next()
    almanac.next()
    assert [(PLAN.end(2), 2, 1)] == [(at, day, week) for _, at, day, week in days(almanac.store, game)[1:]]


def test_set_14_early_choice_starts_a_longer_first_day(almanac):
    game = almanac.begin("bot:random", "ada", quick_setup=False)
    say(almanac.store, game, 2, "f", type="choose_faction", faction=_left(almanac, game))
    almanac.work()
    almanac.next()

    question = asked(almanac, game)
    assert ("turn", 2) == (question["kind"], question["about"]["day"])
    assert question["since"] < PLAN.end(1) < question["due"] <= PLAN.end(2)


def _left(almanac, game):
    return factions_left(replayed(almanac.store, game).state)[0]


# -- outages and races -------------------------------------------------------------------------------------------------


def test_days_missed_in_an_outage_are_caught_up_in_order_with_both_times(almanac):
    game = almanac.begin(*PLAYERS, modules=MODULES)
    almanac.until(PLAN.end(5) + HOUR)
    before = len(bodies(almanac.store, game))
    back = PLAN.end(9) + 7 * HOUR
    almanac.sleep(back)

    told = plan(almanac.store, game)[before:]
    planned = [when for _, when in told]
    assert sorted(planned) == planned
    assert planned[-1] == PLAN.end(9) + 6 * HOUR
    assert [PLAN.end(day) for day in (6, 7, 8, 9)] == [when for body, when in told if body["actor"]["by"] == "system"]
    assert {back} == {body["at"] for body, _ in told}
    assert {"expire"} == {body["submission"]["command"]["type"] for body, _ in told}, "nothing is put off"
    question = asked(almanac, game)
    assert (2, PLAN.end(9) + 12 * HOUR) == (question["about"]["place"], question["due"]), "and goes on as planned"
    almanac.until(PLAN.end(10))
    assert PLAN.end(10) == days(almanac.store, game)[-1][1]


@pytest.mark.soak
def test_game_after_an_outage_is_the_same_as_without(monkeypatch):
    logs = []
    for outage in (0, 11 * DAY):
        almanac = Almanac(monkeypatch, new_store(), START)
        game = almanac.begin(*PLAYERS, modules=MODULES, max_weeks=4)
        almanac.until(PLAN.end(6))
        almanac.sleep(PLAN.end(6) + outage)
        almanac.until(PLAN.end(28))
        logs.append([(body["submission"]["id"], body["events"], when) for body, when in plan(almanac.store, game)])
    assert logs[0] == logs[1]


def test_outage_postpones_only_deadlines_of_other_paces(almanac):
    fixed = almanac.begin("ada", "bob")
    loose = almanac.begin("ada", "bob", id_="h", pace={"mode": "per_question", "hours": 20})
    almanac.until(START + 15 * HOUR)
    almanac.sleep(PLAN.end(1) + 2 * OUTAGE)

    told = [
        {body["submission"]["command"]["type"] for body in bodies(almanac.store, each)[1:]} for each in (fixed, loose)
    ]
    assert [{"expire"}, {"put_off"}] == told
    assert PLAN.end(1) == days(almanac.store, fixed)[-1][0]


@pytest.mark.soak
def test_everything_happens_once_with_several_sweepers_and_workers(almanac):
    game = almanac.begin(*PLAYERS, modules=MODULES)
    others = [Advance.in_process(almanac.store) for _ in range(2)]
    sweepers = [Sweeper(almanac.store, Nobody()) for _ in range(3)]
    for step in range(80):
        almanac.now += 2 * HOUR
        almanac.store.schedule.beat("pump")
        for number in range(12):
            sweepers[(step + number) % 3].sweep()
            [almanac.advance, *others][(step + number) % 3].round(range(almanac.store.partitions))

    ids = [body["submission"]["id"] for body in bodies(almanac.store, game)]
    assert len(set(ids)) == len(ids)
    assert not [body for body in bodies(almanac.store, game) if "refusal" in body]
    told = days(almanac.store, game)[1:]
    assert [PLAN.end(day) for day in range(1, len(told) + 1)] == [planned for planned, *_ in told]
    assert len(told) >= 6


@pytest.mark.soak
def test_racing_workers_turn_each_day_once_and_on_time(store):
    """Runs in real time, with days of two seconds."""
    pace = {**SOFIA, "day": "PT2S"}
    game = begin(store, "ada", "bot:greedy", pace=pace)
    workers = [Advance.in_process(store) for _ in range(2)]
    until = time.monotonic() + 9
    while time.monotonic() < until:
        for worker in workers:
            store.schedule.beat("pump")
            store.schedule.sweep(store.schedule.partition(game))
            worker.round(range(store.partitions))
        time.sleep(0.01)

    ids = [body["submission"]["id"] for body in bodies(store, game)]
    assert len(set(ids)) == len(ids)
    assert not [body for body in bodies(store, game) if "refusal" in body]
    told = days(store, game)[1:]
    fixed = Calendar.of(pace, store.lobbies.get(game).started_at)
    assert [fixed.end(day) for day in range(1, len(told) + 1)] == [planned for planned, *_ in told]
    assert len(told) >= 3
    assert all(planned <= at < planned + 1000 for planned, at, *_ in told)
