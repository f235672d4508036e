"""Clocks that are stopped and started, and extra time, in complete games with an adjustable clock."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from domain.kernel.shape import catalogue
from domain.registry import GAMES
from domain.table import features
from domain.table.clocks import clocks
from domain.table.feature import Moment, TableFeature
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.core.history.lines import decode_commit
from service.core.history.planned_times import PlannedTimes
from service.core.pace.calendar import DAY, HOUR, Calendar
from service.core.pace.clock import PerQuestion, clock_of
from service.core.positions.cache import Positions
from service.core.positions.game_config import load_game_config
from service.core.positions.rows import as_bytes, build_public
from service.store.codec import pack_position, unpack_position
from service.store.seal import Signer
from tests.stores import new_store
from tests.workers.almanac import SOFIA, Almanac, bodies, instant, say, standing

START = instant("2026-06-01 03:00")
"""A Monday, 06:00 in Sofia."""
DAILY = {"mode": "per_question", "hours": 24}
TABLE = features.complete_settings({})


@dataclass(frozen=True, slots=True)
class Ring:
    """A player requests a change of the clocks."""

    what: str
    seat: int | None = None
    why: str = "bell"
    hours: int = 0


@dataclass(frozen=True, slots=True)
class NoMemory:
    """No state."""


def grant(_memory, moment, _seat, command):
    match command.what:
        case "stop":
            return clocks.stop(moment.table, command.seat, command.why)
        case "start":
            return clocks.start(moment, command.seat, command.why)
    return clocks.give_time(moment, command.seat, command.hours)


BELL = TableFeature(
    key="bell",
    memory=NoMemory,
    is_on=lambda chosen: True,
    begin=lambda chosen, seats: NoMemory(),
    decide=grant,
    evolve=lambda memory, event, seq, at: memory,
    view=lambda memory: {},
    commands=catalogue(Ring),
)
"""Grants at once what a seat requests, without the usual vote."""


@pytest.fixture(autouse=True)
def bell(monkeypatch):
    """A feature that requests the changes of clocks that votes and vacations request."""
    monkeypatch.setitem(features.FEATURES, "bell", BELL)
    monkeypatch.setitem(features.PLAYERS, "ring", Ring)
    monkeypatch.setitem(features._OF_COMMAND, Ring, BELL)


@pytest.fixture
def almanac(monkeypatch):
    return Almanac(monkeypatch, new_store(), START)


def ring(almanac, game, what, seat=None, why="bell", hours=0, by=2):
    id_ = f"ring {almanac.store.log.head(game)[0]}"
    say(almanac.store, game, by, id_, type="ring", what=what, seat=seat, why=why, hours=hours)
    almanac.work()
    return bodies(almanac.store, game)[-1]


def dues(almanac, game):
    return {asked["seat"]: asked["due"] for asked in standing(almanac.store, game)}


def kinds(almanac, game, since=0):
    return [event["type"] for body in bodies(almanac.store, game)[since:] for event in body.get("events", ())]


def audited(almanac, game):
    signer = Signer(bytes(32))
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), signer))
    report = audit(data, games=GAMES, keys=[signer.public.hex()])
    assert () == report.divergences
    assert {"AUD-10": "ok", "AUD-12": "ok"} == {name: report.statuses[name] for name in ("AUD-10", "AUD-12")}


def to_the_end(almanac, game):
    for _ in range(400):
        if almanac.store.lobbies.get(game).status == "over":
            return audited(almanac, game)
        almanac.next()
    raise AssertionError("it does not end")


def test_stopped_clock_has_no_due_time_and_resumes_with_the_time_left(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    assert {2: START + DAY} == dues(almanac, game)
    almanac.until(START + 20 * HOUR)
    ring(almanac, game, "stop")
    assert {2: None} == dues(almanac, game)
    before = len(bodies(almanac.store, game))
    almanac.until(START + 30 * DAY)
    assert before == len(bodies(almanac.store, game)), "nothing happens for a month"
    told = ring(almanac, game, "start")

    (started,) = told["events"]
    (asked,) = standing(almanac.store, game)
    assert {2: START + 30 * DAY + 4 * HOUR} == dues(almanac, game)
    assert {asked["id"]: asked["due"]} == started["due"] == dict(told["due"])
    almanac.until(START + 30 * DAY + 4 * HOUR)
    assert "deadline_passed" == kinds(almanac, game, before + 1)[0]
    to_the_end(almanac, game)


def test_question_first_asked_while_clocks_are_stopped_gets_its_full_time(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    almanac.until(START + 20 * HOUR)
    ring(almanac, game, "stop")
    almanac.until(START + 40 * HOUR)
    say(almanac.store, game, 2, "done", type="end_turn")
    almanac.work()
    assert {1: None} == dues(almanac, game)
    almanac.until(START + 60 * HOUR)
    ring(almanac, game, "start")

    assert {1: START + 84 * HOUR} == dues(almanac, game)
    to_the_end(almanac, game)


def test_clock_of_one_seat_is_stopped_while_the_others_run(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    ring(almanac, game, "stop", seat=1)
    assert {2: START + DAY} == dues(almanac, game)
    say(almanac.store, game, 2, "done", type="end_turn")
    almanac.work()
    assert {1: None} == dues(almanac, game)
    almanac.until(START + 9 * DAY)
    say(almanac.store, game, 1, "done too", type="end_turn")
    almanac.work()
    assert {2: START + 10 * DAY} == dues(almanac, game)
    ring(almanac, game, "start", seat=1)
    to_the_end(almanac, game)


def test_question_held_by_two_stops_resumes_after_both(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    almanac.until(START + 10 * HOUR)
    ring(almanac, game, "stop", seat=2, why="vacation")
    ring(almanac, game, "stop", why="vote", by=1)
    almanac.until(START + 2 * DAY)
    assert {} == ring(almanac, game, "start", seat=2, why="vacation")["events"][0]["due"]
    assert {2: None} == dues(almanac, game)
    almanac.until(START + 3 * DAY)
    ring(almanac, game, "start", why="vote")
    assert {2: START + 3 * DAY + 14 * HOUR} == dues(almanac, game)
    to_the_end(almanac, game)


def test_repeated_stop_and_start_without_a_stop_are_refused(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE)
    assert "refusal" in ring(almanac, game, "start")
    ring(almanac, game, "stop")
    assert "refusal" in ring(almanac, game, "stop")
    assert ["clocks_stopped"] == kinds(almanac, game)[-1:]


def test_auditor_finds_a_wrong_amount_of_time_left_after_a_stop(almanac, monkeypatch):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    almanac.until(START + 20 * HOUR)
    ring(almanac, game, "stop")
    with monkeypatch.context() as forging:
        forging.setattr(PerQuestion, "later", lambda clock, asked, at, by: at + by + HOUR)
        started = ring(almanac, game, "start")
    while almanac.store.lobbies.get(game).status != "over":
        almanac.next()
    signer = Signer(bytes(32))
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), signer))
    (found,) = audit(data, games=GAMES).divergences

    assert "AUD-12" == found.check
    assert started["events"] == bodies(almanac.store, game)[found.seq - 1]["events"]


def test_snapshot_keeps_the_stopped_clocks_of_a_position(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE)
    ring(almanac, game, "stop")
    ring(almanac, game, "stop", seat=1, why="vacation")
    ring(almanac, game, "start")
    facts = load_game_config(almanac.store, game)
    position = Positions(almanac.store).read_newest(facts)

    assert position.asked == unpack_position(facts.game, pack_position(position)).asked
    assert (
        position.table.memories["clocks"]
        == unpack_position(facts.game, pack_position(position)).table.memories["clocks"]
    )
    ring(almanac, game, "stop")
    position = Positions(almanac.store).read_newest(facts)
    assert position.asked[0].held is not None
    assert position.asked == unpack_position(facts.game, pack_position(position)).asked


def test_hours_left_on_friday_are_left_on_monday(almanac):
    pace = {**DAILY, "zone": "Europe/Sofia", "weekends": ["saturday", "sunday"]}
    friday = instant("2026-06-05 12:00", "Europe/Sofia")
    almanac.now = friday
    game = almanac.begin("ada", "bob", pace=pace, table=TABLE, max_weeks=1)
    almanac.until(friday + HOUR)
    ring(almanac, game, "stop")
    almanac.until(instant("2026-06-09 09:00", "Europe/Sofia"))
    ring(almanac, game, "start")
    assert {2: instant("2026-06-10 08:00", "Europe/Sofia")} == dues(almanac, game)
    to_the_end(almanac, game)


def test_expire_pending_behind_a_stop_passes_no_deadline(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    almanac.now = START + DAY - 1
    say(almanac.store, game, 2, "just in time", type="ring", what="stop")
    almanac.now = START + DAY
    almanac.store.schedule.beat("pump")
    # The sweeper finds the deadline due before the worker settles the stop, and the worker's clock is still before it.
    almanac.sweeper.sweep()
    (work,) = almanac.store.claims.work([game])
    documents = [document["command"]["type"] for _, document in work.pending]
    assert ["ring", "expire"] == documents
    almanac.now = START + DAY - 1
    almanac.work()
    almanac.now = START + DAY
    almanac.work()

    assert {2: None} == dues(almanac, game)
    assert "already-answered" == bodies(almanac.store, game)[-1]["refusal"]["code"]
    assert not almanac.store.lobbies.get(game).stalled
    almanac.until(START + 5 * DAY)
    ring(almanac, game, "start")
    assert {2: START + 5 * DAY + 1} == dues(almanac, game)
    almanac.until(START + 5 * DAY + 1)
    assert "deadline_passed" in kinds(almanac, game), "though an expire of that question had been submitted before"
    to_the_end(almanac, game)


# -- by the calendar ------------------------------------------------------------------------------------------------------


def test_days_of_a_calendar_stop_with_its_clocks(almanac):
    plan = Calendar.of(SOFIA, START)
    game = almanac.begin("ada", "bob", table=TABLE, max_weeks=1)
    almanac.until(plan.end(1) + 18 * HOUR)
    before = kinds(almanac, game).count("day_announced")
    ring(almanac, game, "stop")
    say(almanac.store, game, 1, "done", type="end_turn")
    almanac.work()
    almanac.until(plan.end(1) + 70 * HOUR)
    assert before == kinds(almanac, game).count("day_announced"), "the day does not turn though all have moved"
    ring(almanac, game, "start")

    assert {0: plan.end(5)} == dues(almanac, game), "six hours were left, and days go on ending at six"
    almanac.until(plan.end(5))
    assert before + 1 == kinds(almanac, game).count("day_announced")
    almanac.until(plan.end(6))
    assert before + 2 == kinds(almanac, game).count("day_announced")
    to_the_end(almanac, game)


def test_question_moved_by_a_stop_is_planned_for_the_new_time(almanac):
    game = almanac.begin("ada", "bob", table=TABLE, max_weeks=1)
    ring(almanac, game, "stop")
    almanac.until(START + 3 * DAY)
    ring(almanac, game, "start")
    (due,) = dues(almanac, game).values()
    almanac.until(due)
    facts = load_game_config(almanac.store, game)
    commits = [decode_commit(facts.game, stored) for stored in almanac.store.log.commits(game)]
    expired = next(each for each in commits if each.by == "policy")

    assert due == PlannedTimes(almanac.store.log, facts).find_planned_time(expired), (
        "though nothing before it has been read"
    )


def test_stopped_turn_of_a_calendar_keeps_the_time_left(almanac):
    plan = Calendar.of(SOFIA, START)
    game = almanac.begin("ada", "bob", table=TABLE, max_weeks=1)
    almanac.until(plan.end(1) + 2 * HOUR)
    ring(almanac, game, "stop")
    almanac.until(plan.end(1) + 9 * DAY)
    ring(almanac, game, "start")
    assert {2: plan.end(1) + 9 * DAY + 10 * HOUR} == dues(almanac, game)
    to_the_end(almanac, game)


def test_clock_of_a_single_seat_cannot_be_stopped_with_calendar_pace(almanac):
    game = almanac.begin("ada", "bob", table=TABLE)
    stood = dues(almanac, game)
    assert "refusal" in ring(almanac, game, "stop", seat=2)
    assert stood == dues(almanac, game)


# -- extra time
# ---------------------------------------------------------------------------------------------------------


def test_other_players_give_extra_time_up_to_a_limit(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table={**TABLE, "give_time": 30}, max_weeks=1)
    almanac.until(START + 20 * HOUR)
    for id_, seat, to, hours in (("a", 1, 2, 20), ("own", 2, 2, 1), ("b", 1, 2, 11), ("c", 1, 2, 10), ("d", 2, 1, 1)):
        say(almanac.store, game, seat, id_, type="give_time", seat=to, hours=hours)
        almanac.work()
    told = bodies(almanac.store, game)[1:]

    assert [None, "not-now", "not-now", None, "not-now"] == [each.get("refusal", {}).get("code") for each in told]
    assert [None, "seat", "hours", None, "seat"] == [each.get("refusal", {}).get("field") for each in told]
    assert {"most": 10} == told[2]["refusal"]["facts"]
    assert {2: START + 54 * HOUR} == dues(almanac, game)
    almanac.until(START + 54 * HOUR - 1)
    assert "deadline_passed" not in kinds(almanac, game)
    almanac.until(START + 54 * HOUR)
    assert "deadline_passed" in kinds(almanac, game)
    to_the_end(almanac, game)


def test_expire_pending_behind_extra_time_passes_no_deadline(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE, max_weeks=1)
    almanac.now = START + DAY - 1
    say(almanac.store, game, 1, "just in time", type="give_time", seat=2, hours=6)
    almanac.now = START + DAY
    almanac.store.schedule.beat("pump")
    almanac.sweeper.sweep()
    almanac.work()

    assert ["time_given"] == kinds(almanac, game)[-1:]
    assert "already-answered" == bodies(almanac.store, game)[-1]["refusal"]["code"]
    assert {2: START + 30 * HOUR} == dues(almanac, game)
    almanac.until(START + 30 * HOUR)
    assert "deadline_passed" in kinds(almanac, game)
    to_the_end(almanac, game)


def given_options(almanac, game, seat):
    """The options to give extra time that the seat is offered."""
    facts = load_game_config(almanac.store, game)
    position = Positions(almanac.store).read_newest(facts)
    clock = clock_of(facts.pace, facts.started)
    moment = Moment(facts.game, position, position.seq + 1, almanac.now, clock)
    return [option for option in features.legal(moment, seat) if option.type == "give_time"]


def test_extra_time_ends_with_the_day_with_calendar_pace(almanac):
    plan = Calendar.of(SOFIA, START)
    game = almanac.begin("ada", "bob", table=TABLE, max_weeks=1)
    assert [{"seat": 2}] == [option.fixed for option in given_options(almanac, game, 1)]
    say(almanac.store, game, 1, "a", type="give_time", seat=2, hours=100)
    almanac.work()
    assert [] == given_options(almanac, game, 1)
    say(almanac.store, game, 1, "b", type="give_time", seat=2, hours=1)
    almanac.work()
    assert {2: plan.end(1)} == dues(almanac, game)
    assert "not-now" == bodies(almanac.store, game)[-1]["refusal"]["code"]
    to_the_end(almanac, game)


def test_more_time_is_granted_only_to_a_seat_with_a_running_clock(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY, table=TABLE)
    ring(almanac, game, "more", seat=2, hours=5)
    assert {2: START + 29 * HOUR} == dues(almanac, game)
    assert "refusal" in ring(almanac, game, "more", seat=1, hours=5)


def test_game_begun_without_table_rules_has_no_extra_time(almanac):
    game = almanac.begin("ada", "bob", pace=DAILY)
    say(almanac.store, game, 1, "a", type="give_time", seat=2, hours=1)
    almanac.work()
    assert "not-here" == bodies(almanac.store, game)[-1]["refusal"]["code"]


# -- reserve time
# -------------------------------------------------------------------------------------------------------

BANKED = {**DAILY, "bank_hours": 10, "increment_hours": 2}


def reserves(almanac, game):
    view = json.loads(
        as_bytes(
            build_public(
                GAMES["battalia"].knowledge, Positions(almanac.store).read_newest(load_game_config(almanac.store, game))
            )
        )
    )
    return [left / HOUR for left in view["table"]["clocks"]["reserves"]]


def answer(almanac, game, seat):
    say(almanac.store, game, seat, f"answer {almanac.store.log.head(game)[0]}", type="end_turn")
    almanac.work()


def test_reserve_is_used_after_the_hours_and_an_answer_adds_to_it(almanac):
    game = almanac.begin("ada", "bob", pace=BANKED, table=TABLE, max_weeks=1)
    almanac.until(START + DAY - 1)
    assert ([10, 10], {2: START + DAY}) == (reserves(almanac, game), dues(almanac, game))
    almanac.until(START + DAY)
    assert ({2: START + 34 * HOUR}, "reserve_begun") == (dues(almanac, game), kinds(almanac, game)[-1])
    almanac.until(START + 30 * HOUR)
    answer(almanac, game, 2)
    (changed,) = [
        event for body in bodies(almanac.store, game) for event in body["events"] if event["type"] == "reserve_changed"
    ]
    assert (2, 4 * HOUR, 6 * HOUR) == (changed["seat"], changed["kept"], changed["left"])
    assert [10, 6] == reserves(almanac, game)

    answer(almanac, game, 1)
    assert [10, 6] == reserves(almanac, game), "it is never more than the bank"
    answer(almanac, game, 2)
    assert [10, 8] == reserves(almanac, game)
    to_the_end(almanac, game)


def test_used_up_reserve_is_empty_and_the_deadline_passes(almanac):
    game = almanac.begin("ada", "bob", pace=BANKED, table=TABLE, max_weeks=1)
    almanac.until(START + 34 * HOUR)
    assert ["reserve_begun", "deadline_passed"] == [
        each for each in kinds(almanac, game) if each in ("reserve_begun", "deadline_passed")
    ]
    assert [10, 0] == reserves(almanac, game)
    almanac.until(START + (34 + 34 + 24) * HOUR)
    assert 2 == kinds(almanac, game).count("reserve_begun"), "who has none has no second one"
    assert 3 == kinds(almanac, game).count("deadline_passed")
    to_the_end(almanac, game)


def test_reserve_is_not_used_on_days_off_or_while_clocks_are_stopped(almanac):
    pace = {**BANKED, "zone": "Europe/Sofia", "weekends": ["saturday", "sunday"]}
    almanac.now = thursday = instant("2026-06-04 20:00", "Europe/Sofia")
    game = almanac.begin("ada", "bob", pace=pace, table=TABLE, max_weeks=1)
    almanac.until(thursday + DAY)
    assert {2: instant("2026-06-08 06:00", "Europe/Sofia")} == dues(almanac, game)
    almanac.until(instant("2026-06-08 01:00", "Europe/Sofia"))
    ring(almanac, game, "stop")
    almanac.until(instant("2026-06-12 23:00", "Europe/Sofia"))
    ring(almanac, game, "start")
    almanac.until(instant("2026-06-15 03:00", "Europe/Sofia"))
    answer(almanac, game, 2)

    assert [10, 3] == reserves(almanac, game), "an hour was left of the five, and two are added"
    to_the_end(almanac, game)


def given_time_while_the_reserve_is_used(almanac):
    game = almanac.begin("ada", "bob", pace=BANKED, table=TABLE, max_weeks=1)
    almanac.until(START + 25 * HOUR)
    say(almanac.store, game, 1, "gift", type="give_time", seat=2, hours=4)
    almanac.work()
    assert ["reserve_begun", "time_given"] == kinds(almanac, game)[-2:]
    return game


def test_reserve_is_unchanged_if_extra_time_covers_its_use(almanac):
    game = given_time_while_the_reserve_is_used(almanac)
    answer(almanac, game, 2)

    assert [10, 10] == reserves(almanac, game)
    assert "reserve_changed" not in kinds(almanac, game)
    to_the_end(almanac, game)


def test_auditor_finds_a_used_reserve_that_the_log_omits(almanac, monkeypatch):
    game = given_time_while_the_reserve_is_used(almanac)
    almanac.until(START + 34 * HOUR)
    with monkeypatch.context() as forging:
        forging.setattr(PerQuestion, "between", lambda clock, asked, first, last: DAY)
        answer(almanac, game, 2)
    assert "reserve_changed" not in kinds(almanac, game)
    while almanac.store.lobbies.get(game).status != "over":
        almanac.next()
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), Signer(bytes(32))))

    assert ["AUD-12"] == [each.check for each in audit(data, games=GAMES).divergences]


def test_auditor_finds_a_wrong_amount_of_used_reserve(almanac, monkeypatch):
    game = almanac.begin("ada", "bob", pace=BANKED, table=TABLE, max_weeks=1)
    almanac.until(START + 30 * HOUR)
    with monkeypatch.context() as forging:
        forging.setattr(PerQuestion, "between", lambda clock, asked, first, last: last - first + HOUR)
        answer(almanac, game, 2)
    while almanac.store.lobbies.get(game).status != "over":
        almanac.next()
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), Signer(bytes(32))))

    assert ["AUD-12"] == [each.check for each in audit(data, games=GAMES).divergences]


# -- seats that leave
# ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["gift", "stop of all", "stop of one"])
def test_no_clock_waits_for_a_seat_that_left(almanac, what):
    table = {**TABLE, "on_resign": "leave"}
    game = almanac.begin("ada", "bob", "cy", pace=DAILY, table=table, max_weeks=1)
    (asked,) = (each["seat"] for each in standing(almanac.store, game))
    other = asked % 3 + 1
    if what == "gift":
        say(almanac.store, game, other, "gift", type="give_time", seat=asked, hours=40)
        almanac.work()
    else:
        ring(almanac, game, "stop", None if what == "stop of all" else asked, by=other)
    say(almanac.store, game, asked, "gone", type="resign")
    almanac.until(almanac.now + 1)

    assert ["seat_left", "seat_out"] == [each for each in kinds(almanac, game) if each.startswith("seat_")]
    assert "deadline_passed" in kinds(almanac, game)
    assert asked not in dues(almanac, game), "the others play on"
    lobby = almanac.store.lobbies.get(game)
    assert ("running", False) == (lobby.status, lobby.stalled)
    if what != "gift":
        ring(almanac, game, "start", None if what == "stop of all" else asked, by=other)
    to_the_end(almanac, game)
