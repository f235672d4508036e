"""A search bot submits its choice. If the choice is missing or illegal, the fallback bot plays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel import lifecycle
from domain.kernel.errors import AlreadyAnswered
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import StandInAnswered
from domain.kernel.record import Submission
from domain.kernel.shape import snake
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from domain.table import bots, features
from domain.table.redecide import redecide
from domain.table.seats import SeatVacated
from domain.table.settle import settle
from service.core.positions.deadlines import due_of
from tools.simulation.selfplay import SelfPlay

BATTALIA = GAMES["battalia"]
THINKER = "search:2"


@pytest.fixture
def play():
    """A game of Battalia in which it is a search bot's turn, after answers of a player and of SYSTEM."""
    play = SelfPlay(
        BATTALIA, Setup(2, "", {}), ["player:greedy", f"bot:{THINKER}"], bytes(32), table=features.complete_settings({})
    )
    while not any(asked.question.seat == 2 for asked in play.position.asked):
        play.step()
    return play


def asked_of(play):
    return next(asked for asked in play.position.asked if asked.question.seat == 2)


def act(play, position=None, **said):
    """The commit of SYSTEM's `act`; given a choice, in the form in which a search worker submits it."""
    asked = asked_of(play)
    if "choice" in said:
        said = {"bot": THINKER, "release": "9.9", "worth": 7, "moved": asked.moved, **said}
    command = {"type": "act", "question": asked.id, **said}
    submission = Submission("bot:1", SYSTEM, command, play.now)
    return settle(play.game, position or play.position, submission, play.now, play.chance)[0]


def legal(play):
    """Two different legal commands of the seat."""
    dice = play.chance.aside("test", 1)
    chosen = [bots.choose(play.game, "random", play.position.state, Seat(2), dice) for _ in range(50)]
    one = chosen[0]
    return one, next(each for each in chosen if each != one)


def test_submitted_choice_of_a_search_bot_is_played(play):
    for choice in legal(play):
        commit = act(play, choice=choice)
        assert (None, "bot", 2) == (commit.refusal, commit.by, commit.seat)
        assert choice == commit.played
        assert not [event for event in commit.events if isinstance(event, StandInAnswered)]
        assert (THINKER, "9.9", 7) == tuple(commit.submission.command[name] for name in ("bot", "release", "worth"))


def test_without_a_choice_the_fallback_bot_plays_and_an_event_reports_it(play):
    commit = act(play)
    assert StandInAnswered(Seat(2), "greedy", THINKER) == commit.events[0]
    dice = play.chance.aside("bot", commit.seq)
    assert bots.choose(play.game, "greedy", play.position.state, Seat(2), dice) == commit.played


@pytest.mark.parametrize(
    "said",
    [
        {"choice": {"type": "no_such_thing"}},
        {"choice": {"type": "draw_cards", "unknown": 1}},
        {"choice": {"type": "hire_unit", "unit": "no_such_unit", "cards": []}},
        {"choice": {"type": "choose_faction", "faction": "islanders"}},
        {"choice": [1, 2]},
        {"choice": {}},
    ],
    ids=str,
)
def test_illegal_choice_of_a_search_bot_is_replaced_by_the_fallback_bot(play, said):
    commit = act(play, **said)
    assert commit.refusal is None
    assert StandInAnswered(Seat(2), "greedy", THINKER) == commit.events[0]


def test_choice_of_a_different_bot_is_not_played(play):
    choice, _ = legal(play)
    commit = act(play, choice=choice, bot="search:1")
    assert isinstance(commit.events[0], StandInAnswered)


def test_choice_computed_before_the_seat_acted_is_refused(play):
    choice, _ = legal(play)
    stale = act(play, choice=choice, moved=asked_of(play).moved - 1)
    assert AlreadyAnswered.code == stale.refusal.code
    assert () == stale.events


def test_choice_for_a_seat_taken_by_a_player_is_refused(play):
    choice, _ = legal(play)
    seated = replace(play.position.table, controllers=(lifecycle.PLAYER, lifecycle.PLAYER))
    commit = act(play, replace(play.position, table=seated), choice=choice)
    assert AlreadyAnswered.code == commit.refusal.code


def test_submitted_choice_is_ignored_for_a_bot_that_does_not_search(play):
    seated = replace(play.position.table, controllers=(lifecycle.PLAYER, "bot:greedy"))
    one, other = (
        act(play, replace(play.position, table=seated), choice=choice, bot="greedy") for choice in legal(play)
    )
    assert one.played == other.played
    assert one.events == other.events


def test_redeciding_gives_the_same_commit_and_detects_forged_ones(play):
    choice, other = legal(play)
    for commit in (act(play, choice=choice), act(play)):
        again, _ = redecide(play.game, play.position, commit, play.chance)
        assert (commit.events, commit.played) == (again.events, again.played)
    forged = replace(act(play, choice=choice), played=other)
    again, _ = redecide(play.game, play.position, forged, play.chance)
    assert choice == again.played, "what the bot has said stands in the submission"
    alone = act(play)
    hidden = replace(alone, events=alone.events[1:])
    assert redecide(play.game, play.position, hidden, play.chance)[0].events != hidden.events


def test_selfplay_records_the_choices_of_search_bots_without_a_fallback():
    play = SelfPlay(GAMES["nim"], Setup(2, "", {}), ["bot:search:1", "bot:random"], bytes(32))
    play.run()
    assert play.over
    assert b"stand_in_answered" not in play.export()
    assert b'"bot":"search:1"' in play.export()


NIM = GAMES["nim"]


def at_nim(*controllers, **options):
    """A game of Nim whose first question is pending."""
    play = SelfPlay(
        NIM, Setup(2, "", {}), controllers, bytes(32), table=features.complete_settings(options), pace=HOURLY
    )
    play.begin()
    return play


def answered_in_place(play):
    """The commit in which the fallback bot answers the first question, and the position before it."""
    (asked,) = play.position.asked
    before = play.position
    return play.say(SYSTEM, {"type": "act", "question": asked.id}), before


def test_fallback_bot_is_the_best_bot_of_the_game_that_does_not_search():
    play = at_nim("bot:search:1", "bot:search:1")
    commit, before = answered_in_place(play)
    seat = commit.seat
    assert StandInAnswered(seat, "expert", "search:1") == commit.events[0]
    assert NIM.bots.by_name["expert"](before.state, seat, None) == commit.played


def test_redeciding_uses_the_fallback_bot_named_in_the_log():
    """The first release with search bots had another fallback bot for Nim, so the log decides which bot played."""
    play = at_nim("bot:search:1", "bot:search:1")
    commit, before = answered_in_place(play)
    told = commit.events[0]
    for bot, holds in (("random", True), ("expert", True), ("greedy", False), ("search:1", False), ("", False)):
        recorded = replace(commit, events=(replace(told, bot=bot), *commit.events[1:]))
        again, _ = redecide(NIM, before, recorded, play.chance)
        assert holds == (again.events == recorded.events), bot
    hidden = replace(commit, events=commit.events[1:])
    assert redecide(NIM, before, hidden, play.chance)[0].events != hidden.events


def test_on_timeout_bot_plays_the_best_bot_that_does_not_search():
    play = at_nim("player:random", "player:random", on_timeout="bot")
    (asked,) = play.position.asked
    play.now, state = asked.due, play.position.state
    commit = play.say(SYSTEM, {"type": "expire", "question": asked.id})
    assert NIM.bots.by_name["expert"](state, commit.seat, None) == commit.played


HOURLY = {"mode": "per_question", "hours": 1}


def timed(**settings):
    """A game of Battalia for two players with these table settings, in which an answer is due within an hour."""
    table_ = features.complete_settings(settings)
    play = SelfPlay(
        BATTALIA, Setup(2, "", {}), ["player:greedy", "player:greedy"], bytes(32), pace=HOURLY, table=table_
    )
    while not any(asked.question.kind == "turn" for asked in play.position.asked if asked.question.seat == 1):
        play.step()
    return play


def expired(play):
    """The first player's question, and the commit in which it runs out of time."""
    asked = next(asked for asked in play.position.asked if asked.question.seat == 1)
    play.now = max(play.now, asked.due)
    return asked, play.say(SYSTEM, {"type": "expire", "question": asked.id})


def test_search_bot_is_called_on_timeout_and_answers_the_pending_question():
    play = timed(on_timeout="search:1")
    asked, commit = expired(play)
    told = [snake(type(event).__name__) for event in commit.events]
    assert ["deadline_passed", "bot_called", "turn_missed"] == told
    assert asked.id in [each.id for each in play.position.asked], "it stands still"
    assert play.position.table.is_played(Seat(1))

    assert [("think", play.position.at + 7)] == [(due.what, due.when) for due in due_of(play.position, patience=7)]
    assert [("act", play.position.at)] == [(due.what, due.when) for due in due_of(play.position)]

    acted = play.say(SYSTEM, {"type": "act", "question": asked.id})
    assert StandInAnswered(Seat(1), "greedy", "search:1") == acted.events[0]
    assert "turn_missed" not in [snake(type(event).__name__) for event in acted.events], "once for a turn"
    choice = bots.choose(play.game, "random", play.position.state, Seat(1), play.chance.aside("test", 1))
    again = next(each for each in play.position.asked if each.id == asked.id)
    thought = {"choice": choice, "bot": "search:1", "release": "9", "worth": 1, "moved": again.moved}
    acted = play.say(SYSTEM, {"type": "act", "question": asked.id, **thought})
    assert (choice, "bot", 1) == (acted.played, acted.by, acted.seat)


def test_second_expiry_of_a_question_does_not_call_the_bot_again():
    play = timed(on_timeout="search:1")
    asked, _ = expired(play)
    again = play.say(SYSTEM, {"type": "expire", "question": asked.id})
    assert again.refusal is None
    assert "bot_called" not in [snake(type(event).__name__) for event in again.events]
    assert again.played is not None


def test_player_may_still_answer_while_the_called_bot_searches():
    play = timed(on_timeout="search:1")
    asked, _ = expired(play)
    assert play.say(Seat(1), {"type": "end_turn"}).refusal is None
    late = play.say(SYSTEM, {"type": "act", "question": asked.id})
    assert AlreadyAnswered.code == late.refusal.code


def test_bot_may_not_act_for_a_player_before_the_deadline():
    play = timed(on_timeout="search:1")
    asked = next(asked for asked in play.position.asked if asked.question.seat == 1)
    assert play.say(SYSTEM, {"type": "act", "question": asked.id}).refusal is not None


@pytest.mark.parametrize("on_timeout", ["default", "random", "bot"])
def test_timeout_without_a_search_bot_plays_an_answer_at_once(on_timeout):
    play = timed(on_timeout=on_timeout)
    _, commit = expired(play)
    told = [snake(type(event).__name__) for event in commit.events]
    assert "deadline_passed" == told[0]
    assert "bot_called" not in told
    assert commit.played is not None


@pytest.mark.parametrize(("stand_in", "bot"), [(None, "greedy"), ("usual", "greedy"), ("search:3", "search:3")])
def test_bot_for_a_vacated_or_resigned_seat_is_the_tables_setting(stand_in, bot):
    chosen = {} if stand_in is None else {"stand_in": stand_in}
    play = timed(missed_limit=1, **chosen)
    assert ("stand_in" in play.table) == (bot != "greedy"), (
        "at its default it is not named: releases before go on with it"
    )
    _, commit = expired(play)
    assert [bot] == [event.bot for event in commit.events if isinstance(event, SeatVacated)]
    assert f"bot:{bot}" == play.position.table.controller(Seat(1))
    play = timed(**chosen)
    (resigned,) = play.say(Seat(1), {"type": "resign"}).events
    assert (bot, f"bot:{bot}") == (resigned.bot, play.position.table.controller(Seat(1)))
