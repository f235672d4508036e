"""Forged times in a log are found by its clock, by the pace, and by earlier commits."""

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM
from domain.registry import GAMES as REAL
from service.audit import timing
from service.audit.auditor import audit
from service.core.pace import calendar
from service.core.pace.calendar import HOUR, MINUTE
from tests.audit.forger import Forger, event
from tests.audit.games import GAMES, table
from tools.simulation.selfplay import EPOCH, SECOND, SelfPlay

HOURLY = {"mode": "per_question", "hours": 1}
WATCHED = {"mode": "free", "bot_seconds": 1}
ALL = {**REAL, **GAMES}


def report(forger):
    return audit(forger.file() if isinstance(forger, Forger) else forger, games=ALL)


def found(forger):
    return [(d.check, d.seq) for d in report(forger).divergences]


def hourly():
    """A game whose first deadline passes, with commit bodies that a test can change."""
    game = table(points=2, pace=HOURLY)
    game.begin()
    game.now += HOUR
    game.say(SYSTEM, {"type": "expire", "question": "1:0:1"})
    game.run()
    return Forger(game.export())


def by_days(zone="Europe/Sofia", form=2):
    """A short game of Battalia by the calendar, in which seats run out of time."""
    pace = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": zone}
    setup = Setup(2, "", {"max_weeks": 1})
    game = SelfPlay(REAL["battalia"], setup, ["player:random"] * 2, b"d" * 32, pace=pace, form=form)
    game.begin()
    while not game.over:
        asked = game.position.asked[0]
        if asked.question.seat == 1 and asked.question.about["day"] == 2:
            game.now = max(game.now, asked.due)
            game.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            game.step()
    return Forger(game.export())


def due_of_seat(forger):
    """Return the commit that set the first deadline of a seat after commit 1, and the deadline entry."""
    for seq in range(2, len(forger.commits)):
        for pair in forger.body(seq).get("due", ()):
            if not pair[0].endswith(":0"):
                return seq, pair
    raise AssertionError("no question to a seat")


def test_unchanged_games_with_deadlines_pass():
    assert [] == found(hourly())
    assert [] == found(by_days())
    assert "ok" == report(by_days()).statuses["AUD-12"]


def test_commit_settled_before_its_command_was_received_is_found():
    """So moving only the time of the request cannot hide a deadline that passed too early."""
    forger = hourly()
    seq = forger.find(lambda body: event(body, "deadline_passed"))
    forger.body(seq)["submission"]["asked_at"] += HOUR

    assert [("AUD-12", seq)] == found(forger)


def test_refusal_settled_before_its_command_was_received_is_found():
    game = table(points=1)
    game.begin()
    game.say(1, {"type": "dance"})
    game.run()
    forger = Forger(game.export())
    forger.body(2)["submission"]["asked_at"] += 1

    assert [("AUD-12", 2)] == found(forger)


def test_deadline_that_passed_too_early_is_found():
    forger = hourly()
    seq = forger.find(lambda body: event(body, "deadline_passed"))
    forger.body(seq)["submission"]["asked_at"] = forger.body(1)["due"][0][1] - 1

    assert [("AUD-12", seq)] == found(forger)


def test_deadline_moved_with_all_later_times_is_found_by_the_pace():
    """An hour is taken from a seat, and everything later is moved to fit."""
    forger = hourly()
    seq = forger.find(lambda body: event(body, "deadline_passed"))
    forger.body(1)["due"][0][1] -= HOUR
    for later in range(seq, len(forger.commits) + 1):
        body = forger.body(later)
        body["submission"]["asked_at"] -= HOUR
        forger.commits[later - 1]["header"]["at"] -= HOUR
        for pair in body.get("due", ()):
            pair[1] -= HOUR

    assert [("AUD-12", 1)] == found(forger)


@pytest.mark.parametrize("by", [-1, 1, 5 * MINUTE, -4 * HOUR, 24 * HOUR])
@pytest.mark.parametrize("game", [hourly, by_days])
def test_deadline_that_differs_from_the_pace_is_found(game, by):
    forger = game()
    seq, pair = due_of_seat(forger)
    pair[1] += by

    assert ("AUD-12", seq) == found(forger)[0]


def test_omitted_deadline_is_found():
    forger = hourly()
    seq, pair = due_of_seat(forger)
    forger.body(seq)["due"].remove(pair)

    assert ("AUD-12", seq) == found(forger)[0]


def test_postponed_calendar_deadline_is_found():
    pace = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "UTC"}
    game = SelfPlay(REAL["battalia"], Setup(2, "", {"max_weeks": 1}), ["player:random"] * 2, b"d" * 32, pace=pace)
    game.begin()
    asked = game.position.asked[0]
    game.say(SYSTEM, {"type": "put_off", "question": asked.id, "by": HOUR})
    game.run()

    assert [("AUD-12", 2)] == found(game.export())


def test_deadline_postponed_by_an_outage_is_valid():
    game = table(points=1, pace=HOURLY)
    game.begin()
    game.say(SYSTEM, {"type": "put_off", "question": "1:0:1", "by": HOUR})
    game.run()

    assert [] == found(game.export())


def test_bot_that_did_not_wait_is_found():
    game = table(points=1, controllers=("bot:greedy", "bot:random"), pace=WATCHED)
    game.run()
    forger = Forger(game.export())
    assert [] == found(forger)
    forger.body(3)["submission"]["asked_at"] = forger.commits[0]["header"]["at"] + SECOND - 1

    assert [("AUD-12", 3)] == found(forger)


def test_bot_wait_is_not_checked_while_the_log_clock_does_not_advance():
    """As if the store's clock was set back: the bots waited by that clock."""
    game = table(points=1, controllers=("bot:greedy", "bot:random"), pace=WATCHED)
    game.run()
    forger = Forger(game.export())
    for seq in (2, 3):
        forger.commits[seq - 1]["header"]["at"] = forger.commits[0]["header"]["at"]
        forger.body(seq)["submission"]["asked_at"] = EPOCH
    forger.body(3)["due"][0][1] = forger.commits[0]["header"]["at"]  # it asks SYSTEM, at once

    assert [] == found(forger)


def test_begin_command_before_the_start_of_the_game_is_found():
    forger = hourly()
    forger.body(1)["submission"]["asked_at"] = forger.setup["started"] - 1

    assert [("AUD-12", 1)] == found(forger)


def test_changed_start_of_the_calendar_is_found():
    forger = by_days()
    forger.setup["started"] -= 7 * MINUTE

    assert ("AUD-12", 1) == found(forger)[0]


def test_form_1_game_may_start_shortly_before_its_begin_command():
    assert [] == found(by_days(form=1))


@pytest.mark.parametrize(("form", "by", "told"), [(1, 1, []), (2, -1, [("AUD-12", 1)])])
def test_only_form_1_tolerates_a_start_shortly_before_the_begin_command(form, by, told):
    forger = by_days("UTC", form)
    pair = next(pair for pair in forger.body(1)["due"] if not pair[0].endswith(":0"))
    pair[1] += by

    assert told == found(forger)


def test_unknown_pace_is_found():
    forger = hourly()
    forger.setup["pace"] = {"mode": "lunar"}
    forger.body(1)["submission"]["command"]["pace"] = {"mode": "lunar"}
    event(forger.body(1), "game_begun")["pace"] = {"mode": "lunar"}

    assert [("AUD-12", 1)] == found(forger)


def another_database(monkeypatch, offset):
    """Replace the time zone database: every zone behaves like this one."""
    there = calendar.zone_of(offset)
    monkeypatch.setattr(calendar, "zone_of", lambda _: there)


def test_different_time_zone_database_skips_the_check_instead_of_accusing(monkeypatch):
    with monkeypatch.context() as patch:
        another_database(patch, "Europe/Berlin")
        data = by_days().file()
    told = report(data)

    assert () == told.divergences
    assert "skipped" == told.statuses["AUD-12"]
    assert "Europe/Sofia" in told.notes["AUD-12"]
    assert "seq 1" in told.notes["AUD-12"]


def test_fixed_offset_zone_is_checked_with_any_time_zone_database(monkeypatch):
    with monkeypatch.context() as patch:
        another_database(patch, "Europe/Berlin")
        data = by_days("Etc/UTC").file()

    assert ("AUD-12", 1) == found(data)[0]


def test_unknown_time_zone_skips_the_check_instead_of_accusing(monkeypatch):
    data = by_days().file()

    def unknown(name):
        raise ValueError(name)

    monkeypatch.setattr(timing, "zone_of", unknown)
    told = report(data)

    assert () == told.divergences
    assert "skipped" == told.statuses["AUD-12"]
    assert "has no zone 'Europe/Sofia'" in told.notes["AUD-12"]


@pytest.mark.parametrize("zone", ["UTC", "GMT", "Zulu", "UCT", "Universal", "Greenwich", "Etc/UTC", "Etc/GMT+5"])
def test_fixed_offset_zones_are_known_by_name(zone):
    assert timing._is_fixed(zone)
    assert not timing._is_fixed("Europe/Sofia")


def test_clock_that_stood_still_earlier_does_not_excuse_a_bot():
    game = table(points=2, controllers=("bot:greedy", "bot:random"), pace=WATCHED)
    game.run()
    forger = Forger(game.export())
    for seq in (2, 3):
        forger.commits[seq - 1]["header"]["at"] = forger.commits[0]["header"]["at"]
        forger.body(seq)["submission"]["asked_at"] = EPOCH
    forger.body(3)["due"][0][1] = forger.commits[0]["header"]["at"]
    assert [] == found(forger)
    rolled = next(seq for seq in range(4, len(forger.commits)) if event(forger.body(seq), "die_rolled"))
    asked = forger.commits[rolled - 1]["header"]["at"]
    forger.body(rolled + 1)["submission"]["asked_at"] = asked + SECOND - 1

    assert [("AUD-12", rolled + 1)] == found(forger)
