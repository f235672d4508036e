"""Deadlines are commands of SYSTEM: submitted once, not early, and postponed by outages."""

from __future__ import annotations

import time

import orjson
import pytest

from domain.kernel.lifecycle import Table
from domain.kernel.record import OpenQuestion, Position
from domain.kernel.terms import SYSTEM, Question, Seat
from service.core.pace.calendar import HOUR
from service.core.pace.clock import clock_of
from service.core.positions.deadlines import due_of
from service.store.ports.waiting import Due
from tests.clock import StoreClock
from tests.store.pump import claim_games
from tests.workers.test_advance import bodies, settle
from workers.sweeper import OUTAGE, Sweeper

HOURLY = {"mode": "per_question", "hours": 1}


class Woken:
    """Records which partitions were woken."""

    def __init__(self):
        self.partitions = []

    def wake(self, partition):
        self.partitions.append(partition)


@pytest.fixture
def woken():
    return Woken()


@pytest.fixture
def sweeper(store, woken):
    return Sweeper(store, woken)


def question(seat):
    return Question(1, 0, Seat(seat), "hide", "PEN-01")


def test_free_pace_sets_no_deadline_for_players():
    clock = clock_of({"mode": "free"}, 0)
    assert clock(question(1), 1000) is None
    assert 1000 == clock(question(SYSTEM), 1000)


def test_per_question_gives_each_question_its_hours():
    clock = clock_of({"mode": "per_question", "hours": 24}, 0)
    assert 1000 + 24 * HOUR == clock(question(1), 1000)
    assert 1000 == clock(question(SYSTEM), 1000)


def test_unknown_pace_raises_value_error():
    with pytest.raises(ValueError, match="lunar"):
        clock_of({"mode": "lunar"}, 0)


def test_due_submissions_depend_on_the_kind_of_seat():
    table = Table("g", "pennies", ("player", "bot:greedy", "player"))
    asked = (
        OpenQuestion("1:0:0", question(SYSTEM), 5, 5),
        OpenQuestion("1:0:1", question(1), 5, 900),
        OpenQuestion("1:0:2", question(2), 5, 900),
        OpenQuestion("1:0:3", question(3), 5, None),
    )
    position = Position(None, table, 1, at=7, asked=asked)

    due = (Due(7, "1:0:2", "act"), Due(5, "1:0:0", "expire"), Due(900, "1:0:1", "expire"))
    assert due == due_of(position)
    assert (due[0], due[2]) == due_of(position, {"1:0:0"})


def test_question_of_an_abandoned_seat_expires_at_once():
    table = Table("g", "pennies", ("left", "player"), {"mode": "free", "bot_seconds": 2})
    position = Position(None, table, 1, at=7, asked=(OpenQuestion("1:0:1", question(1), 5, 900),))

    assert (Due(7, "1:0:1", "expire"),) == due_of(position)


def test_bot_acts_after_its_delay():
    table = Table("g", "pennies", ("bot:greedy",), {"mode": "free", "bot_seconds": 2})
    position = Position(None, table, 1, at=7, asked=(OpenQuestion("1:0:1", question(1), 5),))

    assert (Due(2007, "1:0:1", "act"),) == due_of(position)


def test_question_still_pending_after_its_seat_acted_is_due_again():
    table = Table("g", "battalia", ("bot:greedy", "player"))
    asked = (OpenQuestion("1:0:1", question(1), 5, acted=6), OpenQuestion("1:0:2", question(2), 5, 900, 4))
    position = Position(None, table, 7, at=7, asked=asked)

    assert (Due(7, "1:0:1@6", "act"), Due(900, "1:0:2@4", "expire")) == due_of(position)


def test_passed_deadline_is_answered_by_the_default_move(store, tables, advance):
    game = tables.start("ada", "bob", pace={"mode": "per_question", "hours": 0})
    advance.round(range(store.partitions))

    told = bodies(store, game)[1]
    assert {"type": "expire", "question": "1:0:1"} == told["submission"]["command"]
    assert ("policy", 1) == (told["actor"]["by"], told["actor"]["seat"])
    assert {"type": "hide", "pennies": 0} == told["played"]
    assert "deadline_passed" == told["events"][0]["type"]


def test_pending_questions_contain_their_due_time(store, tables, advance):
    game = tables.start(pace=HOURLY)
    settle(store, advance)

    asked = orjson.loads(store.views.rows(game).asked)
    begun = bodies(store, game)[0]
    assert [{1, 2}, {HOUR}] == [{one["seat"] for one in asked}, {one["due"] - one["since"] for one in asked}]
    assert [[one["id"], one["due"]] for one in asked] == begun["due"]


@pytest.fixture
def pass_time(monkeypatch):
    """Advances the store's clock by some milliseconds."""
    return StoreClock(monkeypatch, time.time_ns() // 1_000_000).forward


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_nothing_is_submitted_before_it_is_due(store, pass_time, tables, advance, sweeper):
    game = tables.start(pace=HOURLY)
    settle(store, advance)
    sweeper.sweep()
    pass_time(HOUR - 1000)
    keep_beating(store, sweeper)
    settle(store, advance)
    assert 1 == store.log.head(game)[0]
    pass_time(1001)
    keep_beating(store, sweeper)
    settle(store, advance)
    assert "expire" == bodies(store, game)[1]["submission"]["command"]["type"]


def keep_beating(store, sweeper):
    """Sweep as if a pump had run all the time."""
    store.schedule.beat("pump")
    sweeper.sweep()


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_deadline_that_passed_without_a_running_pump_is_postponed(store, pass_time, tables, advance, sweeper):
    game = tables.start(pace=HOURLY)
    settle(store, advance)
    pass_time(HOUR - 60_000)
    keep_beating(store, sweeper)
    due = orjson.loads(store.views.rows(game).asked)[0]["due"]
    outage = 3 * HOUR
    pass_time(outage)
    sweeper.sweep()
    settle(store, advance)

    told = bodies(store, game)[1:]
    assert {"put_off"} == {body["submission"]["command"]["type"] for body in told}
    assert ["deadline_put_off"] * 2 == [body["events"][0]["type"] for body in told]
    assert {due + outage} == {one["due"] for one in orjson.loads(store.views.rows(game).asked)}
    pass_time(60_001)
    keep_beating(store, sweeper)
    settle(store, advance)
    assert "expire" == bodies(store, game)[3]["submission"]["command"]["type"]


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_answer_pending_with_a_postponement_is_settled_and_nothing_expires(store, pass_time, tables, advance, sweeper):
    game = tables.start(pace=HOURLY)
    settle(store, advance)
    pass_time(HOUR - 1000)
    keep_beating(store, sweeper)
    tables.hide(game, 1, 0)
    pass_time(HOUR)
    sweeper.sweep()
    settle(store, advance)

    kinds = [body["submission"]["command"]["type"] for body in bodies(store, game)[1:]]
    assert "expire" not in kinds
    assert ["hide", "put_off"] == kinds[:2]


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_a_short_gap_is_no_outage(store, pass_time, tables, advance, sweeper):
    game = tables.start(pace=HOURLY)
    settle(store, advance)
    pass_time(HOUR - 1000)
    keep_beating(store, sweeper)
    pass_time(OUTAGE - 1)
    sweeper.sweep()
    settle(store, advance)

    assert "expire" == bodies(store, game)[1]["submission"]["command"]["type"]


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_sweeper_finds_a_game_whose_wake_was_lost(store, pass_time, tables, advance, sweeper, woken):
    game = tables.start()
    pass_time(2000)
    assert 1 == sweeper.sweep()
    assert [store.schedule.partition(game)] == woken.partitions


@pytest.mark.parametrize("store", ["redis"], indirect=True)
def test_game_whose_worker_died_is_claimed_by_another(store, pass_time, tables, advance, sweeper, woken):
    game = tables.start()
    assert [game] == list(claim_games(store, range(store.partitions), 32, 3000))
    assert [] == list(claim_games(store, range(store.partitions), 32, 3000))
    pass_time(3001)
    assert 1 == sweeper.sweep()
    assert [store.schedule.partition(game)] == woken.partitions
    settle(store, advance)
    assert 1 == store.log.head(game)[0]


def test_only_one_process_sweeps(store, woken):
    assert store.schedule.lock("sweeper", 3000)
    assert 0 == Sweeper(store, woken).sweep()


@pytest.mark.parametrize("store", ["redis"], indirect=True)
@pytest.mark.parametrize("read", ["now", "last_beat"])
@pytest.mark.parametrize("held_up", [5000, OUTAGE + 5000])
def test_delayed_sweeper_sees_no_clock_set_back_and_no_outage(
    store, pass_time, sweeper, woken, monkeypatch, read, held_up
):
    store.schedule.beat("pump")
    found, reading = [], getattr(store.schedule, read)

    def held(*told):
        """The sweeper is delayed after this read, while another one sweeps."""
        known = reading(*told)
        monkeypatch.setattr(store.schedule, read, reading)
        for _ in range(held_up // 1000):
            pass_time(1000)
            store.schedule.beat("pump")
        return known

    monkeypatch.setattr(store.schedule, "lock", lambda *_: True)
    monkeypatch.setattr(store.schedule, read, held)
    monkeypatch.setattr(store.schedule, "clock_back", lambda *told: found.append(told))
    monkeypatch.setattr(store.schedule, "overdue", lambda *told: found.append(told) or ())
    sweeper.sweep()

    assert [] == found


def test_last_heartbeat_can_be_read_without_sending_one(store):
    assert store.schedule.last_beat("pump") is None
    assert store.schedule.beat("pump") is None
    first = store.schedule.last_beat("pump")
    assert first == store.schedule.last_beat("pump")
    assert first == store.schedule.beat("pump")


def test_claimed_games_are_released_together(store, tables):
    waiting = tables.start()
    claim_games(store, range(store.partitions), 32, 3000)
    assert [True] == list(store.claims.release_all([waiting]))
    assert [waiting] == list(claim_games(store, range(store.partitions), 32, 3000))
    assert [] == list(store.claims.release_all([]))
