"""What a plan waits for, what ends a turn, and what counts as news, as each game says it."""

from __future__ import annotations

import pytest

from domain.battalia import events as battalia
from domain.battalia.game import BATTALIA
from domain.fronela import events as fronela
from domain.fronela.game import FRONELA
from domain.nim.game import NIM, ObjectsTaken
from domain.play import table
from domain.play.parts.talk import Said
from domain.play.parts.undo.memory import Undone
from domain.play.plans import ANY, ending, is_news, kinds_answered
from domain.play.record import Commit, Submission
from domain.terms import Seat, Seq
from tests.pennies import PENNIES, HandClosed, PenniesHidden

ONE, TWO = Seat(1), Seat(2)


def commit(*events):
    return Commit(Seq(9), 1, Submission("s", TWO, {}, 1), "player", 0, 0, events)


@pytest.mark.parametrize(
    ("game", "command", "kinds"),
    [
        (NIM, "take", ["turn"]),
        (BATTALIA, "build_road", ["turn"]),
        (BATTALIA, "defend", ["defend"]),
        (BATTALIA, "place_bet", ["bet"]),
        (BATTALIA, "hire_buff", ["attacked", "turn"]),
        (BATTALIA, "challenge_keeper", ["turn"]),
        (BATTALIA, "resign", []),
        (FRONELA, "go", ["move"]),
        (FRONELA, "ride", ["harrek_ride"]),
        (FRONELA, "set_stance", []),
        (PENNIES, "hide", [ANY]),
        (PENNIES, "seek", []),
    ],
)
def test_a_plan_waits_for_the_questions_that_its_first_command_answers(game, command, kinds):
    assert kinds == list(kinds_answered(game, command))


def test_a_turn_is_ended_by_what_the_game_says_of_the_question():
    assert {"type": "end_turn"} == ending(BATTALIA, ["attacked", "turn"])
    assert {"type": "done"} == ending(FRONELA, ["growth"])
    assert None is ending(BATTALIA, ["defend"]) is ending(FRONELA, ["battle"]) is ending(NIM, ["turn"])


@pytest.mark.parametrize(
    ("game", "event", "news"),
    [
        (BATTALIA, battalia.TurnEnded(TWO, 1, ()), False),
        (BATTALIA, battalia.DayEnded(1, 1), False),
        (BATTALIA, battalia.CardsDrawn(TWO, ("supply-1",)), False),
        (BATTALIA, battalia.CardsDrawn(ONE, ("supply-1",)), True),
        (BATTALIA, battalia.CardTaken(TWO, "supply", "supply-1", ()), True),
        (FRONELA, fronela.TurnBegun("loskalm", 1), False),
        (FRONELA, fronela.GrowthRolled("loskalm", "a", 1, 0, 1, grows=False), False),
        (FRONELA, fronela.GrowthRolled("loskalm", "a", 6, 0, 6, grows=True), True),
        (NIM, ObjectsTaken(TWO, 1, 1, 0), True),
        (PENNIES, PenniesHidden(TWO, 1), False),
        (PENNIES, HandClosed(TWO), True),
        (PENNIES, table.DeadlinePassed(TWO, "1:0:2"), False),
    ],
)
def test_what_only_leads_from_one_turn_to_the_next_is_no_news(game, event, news):
    assert news is is_news(game, commit(event), ONE)


def test_what_is_said_at_the_table_is_no_news_and_what_is_taken_back_is():
    assert not is_news(PENNIES, commit(Said(TWO, "00")), ONE)
    assert is_news(PENNIES, commit(Undone(TWO, Seq(4), Seq(8))), ONE)
