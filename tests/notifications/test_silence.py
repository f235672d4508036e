"""The announced result of a timeout is what then happens."""

from __future__ import annotations

import pytest

from domain.games.battalia.events import LineRevealed
from domain.games.battalia.game import BATTALIA
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM, Seat
from domain.table import features
from domain.table.vacations import BEGINS
from service.core.positions.timeout_preview import (
    BOT_MOVE,
    DECLINED,
    DEFAULT_MOVE,
    RANDOM_MOVE,
    RESERVE_TIME,
    STANDING_ORDERS,
    VACATED,
    preview_timeouts,
)
from tests.clock import StoreClock
from tests.hostile.table import HIDE
from tests.notifications.mail import MailServer
from tests.notifications.test_email import CLOCK, Office, table
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

DAY = 24 * 3_600_000
DAILY = {"mode": "per_question", "hours": 24}
CALENDAR = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}


def begun(game=PENNIES, pace=DAILY, seats=3, controller="player", **told):
    options = {"points": 30} if game is PENNIES else {}
    setup = game.rules.check(Setup(seats, "", options))
    play = SelfPlay(game, setup, [controller] * seats, b"x" * 32, pace=pace, table=features.complete_settings(told))
    play.begin()
    return play


def asked_of(play, seat, kind=None):
    return next(
        each
        for each in play.position.asked
        if each.question.seat == seat and (kind is None or each.question.kind == kind)
    )


def said(play, seat, kind=None):
    return preview_timeouts(play.game, play.position, Seat(seat)).get(asked_of(play, seat, kind).id)


def expire(play, seat, kind=None):
    """Let the time run out; return the events."""
    asked = asked_of(play, seat, kind)
    play.now = max(play.now, asked.due)
    return play.say(SYSTEM, {"type": "expire", "question": asked.id}).events


def expired(play, seat, kind=None):
    """Let the time run out; return the type names of the events."""
    return [type(event).__name__ for event in expire(play, seat, kind)]


@pytest.mark.parametrize(
    ("on_timeout", "sentence"),
    [("default", DEFAULT_MOVE), ("random", RANDOM_MOVE), ("bot", BOT_MOVE)],
    ids=lambda each: each[:12],
)
def test_announced_timeout_result_names_who_chooses(on_timeout, sentence):
    play = begun(on_timeout=on_timeout)

    assert sentence == said(play, 1)
    assert "TurnMissed" in expired(play, 1)


@pytest.mark.parametrize("has_order", [False, True])
def test_standing_orders_are_announced_to_answer_first(has_order):
    play = begun(BATTALIA, controller="player:greedy")
    while not any(each.question.kind == "defend" for each in play.position.asked):
        play.step()
    seat = next(each.question.seat for each in play.position.asked if each.question.kind == "defend")
    if has_order:
        play.say(seat, {"type": "set_defence", "place": 1, "how": "all"})

    assert STANDING_ORDERS == said(play, seat, "defend")
    (line,) = (each for each in expire(play, seat, "defend") if isinstance(each, LineRevealed) and each.seat == seat)
    assert has_order == bool(line.cards), "the default move of the rules is to play no card"


def test_last_allowed_miss_is_announced_to_vacate_the_seat():
    play = begun(missed_limit=2)
    assert DEFAULT_MOVE == said(play, 1)
    assert "SeatVacated" not in expired(play, 1)
    for seat in (2, 3):
        play.say(Seat(seat), HIDE)
    while play.position.asked[0].question.seat == SYSTEM or asked_of(play, 1) is None:
        play.step()

    assert f"{DEFAULT_MOVE} {VACATED}" == said(play, 1)
    assert "SeatVacated" in expired(play, 1)
    assert {} == preview_timeouts(play.game, play.position, Seat(1)), "a bot is not told"


def test_timeout_without_a_missed_limit_vacates_no_seat():
    assert DEFAULT_MOVE == said(begun(missed_limit=0), 1)


def test_player_on_vacation_with_a_calendar_pace_misses_no_turn():
    play = begun(BATTALIA, CALENDAR, missed_limit=1, vacation_days=14)
    seat = next(each.question.seat for each in play.position.asked if each.question.seat)
    assert f"{STANDING_ORDERS} {VACATED}" == said(play, seat)
    told = {"seat": seat, "vacation": "v1", "begins": play.now, "ends": play.now + 9 * DAY, "plays": "default"}
    play.say(SYSTEM, {"type": "announce_vacation", **told})
    begins = next(each for each in play.position.asked if each.question.kind == BEGINS)
    play.say(SYSTEM, {"type": "expire", "question": begins.id})

    assert DEFAULT_MOVE == said(play, seat)
    assert "TurnMissed" not in expired(play, seat)


def test_reserve_time_runs_before_the_default_move():
    play = begun(pace={**DAILY, "bank_hours": 5, "increment_hours": 0}, missed_limit=1)
    assert RESERVE_TIME == said(play, 1)
    assert ["ReserveBegun"] == expired(play, 1)

    assert f"{DEFAULT_MOVE} {VACATED}" == said(play, 1)


def test_timeout_of_a_vote_means_no():
    play = begun()
    play.say(Seat(1), {"type": "call_vote", "kind": "abort"})

    assert DECLINED == said(play, 2, "vote")
    assert "VoteFailed" in expired(play, 2, "vote")


def test_game_without_a_clock_announces_no_timeout_result():
    assert {} == preview_timeouts(PENNIES, begun(pace={"mode": "free"}).position, Seat(1))


def test_email_and_reminder_contain_the_announced_timeout_result(monkeypatch):
    clock = StoreClock(monkeypatch)
    with MailServer() as server:
        office = Office(server)
        game, ash, birk = table(office, pace=CLOCK, table={"on_timeout": "bot"})
        office.subscribed(ash)
        for player in (ash, birk):
            player.send(game, HIDE, want=200)
        office.carry()
        clock.forward(11 * 60_000)  # a player who has just moved gets no email yet
        (letter,) = office.carry()
        clock.forward(CLOCK["hours"] * 3_600_000 // 2 + 60_000)
        (reminder,) = office.carry()
    for each in (letter, reminder):
        for form in ("plain", "html"):
            assert BOT_MOVE in " ".join(each.get_body((form,)).get_content().split())
