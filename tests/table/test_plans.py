"""The questions a plan waits for, the command that ends a turn, and the events that are news, for each game."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as battalia
from domain.games.battalia.game import BATTALIA
from domain.games.fronela import events as fronela
from domain.games.fronela.game import FRONELA
from domain.games.nim.game import NIM, ObjectsTaken
from domain.kernel import lifecycle
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.record import Commit, OpenQuestion, Position, Submission
from domain.kernel.terms import Question, QuestionId, Seat, Seq
from domain.table.plans import ANY, ending, is_news, kinds_answered, kinds_waited_for
from domain.table.talk import Said
from domain.table.undo import Undone
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
def test_plan_waits_for_the_questions_that_its_first_command_answers(game, command, kinds):
    assert kinds == list(kinds_answered(game.rules, command))


def test_ending_command_of_a_turn_comes_from_the_game():
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
        (PENNIES, lifecycle.DeadlinePassed(TWO, "1:0:2"), False),
    ],
)
def test_routine_events_between_turns_are_no_news(game, event, news):
    assert news is is_news(game.knowledge, commit(event), ONE)


def test_chat_message_is_no_news_and_an_undo_is():
    assert not is_news(PENNIES.knowledge, commit(Said(TWO, "00")), ONE)
    assert is_news(PENNIES.knowledge, commit(Undone(TWO, Seq(4), Seq(8))), ONE)


def asking(*questions):
    """A position in which these questions (id, seat, kind) are pending."""
    asked = [OpenQuestion(QuestionId(id_), Question(1, 0, seat, kind, "X-01"), 0) for id_, seat, kind in questions]
    return Position(asked=tuple(asked))


def waited_for(monkeypatch, command, before, after, *, game=BATTALIA, turn=ONE):
    monkeypatch.setattr(type(game.rules), "on_turn", lambda *_: turn)
    return list(kinds_waited_for(game, ONE, command, asking(*before), asking(*after)))


END, DONE = {"type": "end_turn"}, {"type": "done"}
MINE, THEIRS = ("1:0:1", ONE, "turn"), ("2:1:2", TWO, "defend")


def test_rest_of_a_plan_waits_for_other_questions_during_the_seats_turn(monkeypatch):
    assert ["turn"] == waited_for(monkeypatch, END, [MINE], [THEIRS])
    assert ["turn"] == waited_for(monkeypatch, END, [MINE], [("2:1:1", ONE, "spoils")])


def test_rest_of_a_plan_does_not_wait_in_the_turn_of_another(monkeypatch):
    assert [] == waited_for(monkeypatch, END, [MINE], [THEIRS], turn=TWO)
    assert [] == waited_for(monkeypatch, END, [MINE], [THEIRS], turn=None)


def test_rest_of_a_plan_does_not_wait_if_its_question_is_pending(monkeypatch):
    assert [] == waited_for(monkeypatch, END, [MINE], [("3:0:1", ONE, "turn")])


def test_rest_of_a_plan_that_answers_no_pending_question_is_played_and_refused(monkeypatch):
    assert [] == waited_for(monkeypatch, {"type": "place_bet", "cards": []}, [MINE], [MINE])


def test_rest_of_a_plan_does_not_wait_for_a_command_that_needs_no_question(monkeypatch):
    assert [] == waited_for(monkeypatch, {"type": "set_stance"}, [MINE], [THEIRS], game=FRONELA)


def test_end_of_a_turn_waits_only_for_the_questions_of_the_turn(monkeypatch):
    assert {"growth", "move"} == set(waited_for(monkeypatch, DONE, [], [THEIRS], game=FRONELA))


def test_on_turn_names_the_seat_whose_turn_it_is():
    battalia, fronela = (_begun(game) for game in (BATTALIA, FRONELA))
    assert [each.seat for each in BATTALIA.rules.awaiting(battalia) if each.kind == "turn"] == [
        BATTALIA.rules.on_turn(battalia)
    ]
    assert FRONELA.rules.awaiting(fronela)[0].seat == FRONELA.rules.on_turn(fronela)
    assert NIM.rules.on_turn(_begun(NIM)) is None


def _begun(game):
    """The state in which a seat has its first question."""
    state, dice = None, Dice(b"begun".ljust(32, b"."))
    for event in game.rules.begin(game.rules.check(Setup(game.rules.seats[0], "")), dice):
        state = game.rules.evolve(state, event)
    while not (asked := game.rules.awaiting(state))[0].seat or asked[0].kind not in ("turn", "move", "growth"):
        seat = asked[0].seat
        for event in game.rules.decide(state, seat, game.rules.default(state, seat, dice), dice):
            state = game.rules.evolve(state, event)
    return state
