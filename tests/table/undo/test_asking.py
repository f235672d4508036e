"""Undo requests that other players answer, and their deadlines."""

from __future__ import annotations

import pytest

from domain.kernel.record import Position
from domain.kernel.terms import HOUR, SYSTEM
from domain.table.undo import FURTHEST, find_undo_start
from tests.pennies import PENNIES
from tests.table.undo.table import ONE, START, THREE, TWO, Table, begun, code, names

DAY = 24 * HOUR


def test_everyone_asked_must_agree():
    table = Table(PENNIES, 3)
    for seat in (ONE, TWO, THREE):
        table.say(seat, "hide", pennies=1)
    request = table.say(ONE, "request_undo", seq=2)

    assert (TWO, THREE) == request.events[0].asked
    assert ["UndoAgreed"] == names(table.say(TWO, "answer_undo", request=5, agree=True))
    assert "already-answered" == code(table.say(TWO, "answer_undo", request=5, agree=True))
    unasked = table.say(ONE, "answer_undo", request=5, agree=True)
    assert ("already-answered", "request") == (code(unasked), unasked.refusal.field)
    assert ["UndoDeclined"] == names(table.say(THREE, "answer_undo", request=5, agree=False))
    assert 3 == len(table.position.state.hidden)
    assert "already-answered" == code(table.say(THREE, "answer_undo", request=5, agree=True))


def test_only_seats_that_have_acted_are_asked_without_secrets():
    table = Table(PENNIES, 3)
    table.say(ONE, "hide", pennies=1)
    table.say(TWO, "hide", pennies=1)

    assert (TWO,) == table.say(ONE, "request_undo", seq=2).events[0].asked


def test_question_pending_all_along_continues():
    table = Table(PENNIES, 2, pace={"mode": "per_question", "hours": 24})
    other = table.asked(TWO, "hide")
    table.now += HOUR
    table.say(ONE, "hide", pennies=1)
    table.now += HOUR
    table.say(ONE, "request_undo", seq=2)

    assert other == table.asked(TWO, "hide")
    assert "3:0:1" == table.asked(ONE, "hide").id


def test_question_asked_again_has_the_time_that_was_left():
    table, mover, _ = begun(pace={"mode": "per_question", "hours": 24})
    table.now = START + 20 * HOUR
    table.take(mover)
    table.now = START + 30 * HOUR
    table.say(mover, "request_undo", seq=2)

    assert START + 34 * HOUR == table.asked(mover, "turn").due
    assert ((f"3:0:{mover}", START + 34 * HOUR),) == table.log[-1].due


def test_question_asked_again_by_consent_has_an_hour_at_least():
    table, mover, other = begun(pace={"mode": "per_question", "hours": 24})
    table.now = START + DAY
    table.say(SYSTEM, "expire", question=table.position.asked[0].id)
    table.take(other)
    table.say(mover, "request_undo", seq=2)
    table.say(other, "answer_undo", request=4, agree=True)

    assert table.now + HOUR == table.asked(mover, "turn").due


@pytest.mark.parametrize(
    ("pace", "hours"),
    [
        ({"mode": "free"}, None),
        ({"mode": "per_question", "hours": 3}, 3),
        ({"mode": "per_question", "hours": 72}, 24),
    ],
    ids=["no clock", "three hours", "three days"],
)
def test_others_have_at_most_a_day_to_answer_a_request(pace, hours):
    table, mover, other = begun(pace=pace)
    table.take(mover)
    table.take(other)
    table.now += HOUR
    table.say(mover, "request_undo", seq=2)

    assert table.asked(other, "undo").due == (None if hours is None else table.now + hours * HOUR)


def test_request_without_an_answer_is_declined():
    table, mover, other = begun(pace={"mode": "per_question", "hours": 24})
    table.take(mover)
    table.take(other)
    table.say(mover, "request_undo", seq=2)
    table.now += DAY
    commit = table.say(SYSTEM, "expire", question=table.asked(other, "undo").id)

    assert "UndoDeclined" == names(commit)[-1]
    assert "policy" == commit.by
    assert table.asked(other, "undo") is None


def test_request_ends_when_a_player_moves():
    table, mover, other = begun()
    table.take(mover)
    table.take(other)
    table.say(mover, "request_undo", seq=2)
    table.take(mover)

    assert table.asked(other, "undo") is None
    assert "already-answered" == code(table.say(other, "answer_undo", request=4, agree=True))


def test_one_request_at_a_time_and_no_repetition_before_the_next_move():
    table, mover, other = begun()
    table.take(mover)
    table.take(other)
    table.say(mover, "request_undo", seq=2)

    assert "undo-asked" == code(table.say(other, "request_undo", seq=2))
    table.say(other, "answer_undo", request=4, agree=False)
    assert "undo-asked" == code(table.say(mover, "request_undo", seq=2))
    table.take(mover)
    assert ["UndoRequested"] == names(table.say(mover, "request_undo", seq=2))


def test_request_ends_if_a_seat_that_was_asked_resigns_and_another_may_follow():
    table = Table(PENNIES, 3)
    for seat in (ONE, TWO, THREE):
        table.say(seat, "hide", pennies=1)
    table.say(ONE, "request_undo", seq=2)
    table.say(TWO, "resign")

    assert table.asked(THREE, "undo") is None
    assert table.position.table.memories["undo"].request is None
    assert "already-answered" == code(table.say(THREE, "answer_undo", request=5, agree=True))
    assert ["UndoRequested"] == names(table.say(THREE, "request_undo", seq=2))


def test_request_ends_if_its_seat_resigns():
    table = Table(PENNIES, 3)
    for seat in (ONE, TWO):
        table.say(seat, "hide", pennies=1)
    table.say(ONE, "request_undo", seq=2)
    table.say(ONE, "resign")

    assert table.asked(TWO, "undo") is None
    assert "already-answered" == code(table.say(TWO, "answer_undo", request=4, agree=True))
    assert [] == table.offered(TWO, "answer_undo")


@pytest.mark.parametrize("too_far", [False, True])
def test_agreement_to_an_undo_too_far_back_is_refused(too_far):
    table, mover, other = begun()
    table.take(mover)
    table.take(other)
    table.say(mover, "request_undo", seq=2)
    for _ in range(FURTHEST - 3 + too_far):
        table.say(mover, "take", heap=99, objects=1)

    (answer,) = (each.open[0] for each in table.offered(other, "answer_undo"))
    assert ("agree", (False,) if too_far else (True, False)) == (answer.name, answer.choices)
    agreed = table.say(other, "answer_undo", request=4, agree=True)
    if not too_far:
        assert ["UndoAgreed", "Undone"] == names(agreed)
        return
    assert ("not-that-far", "request") == (code(agreed), agreed.refusal.field)
    assert ["UndoDeclined"] == names(table.say(other, "answer_undo", request=4, agree=False))


@pytest.mark.parametrize("too_far", [False, True])
def test_request_that_reaches_too_far_back_with_hidden_commits_is_refused(too_far):
    table, mover, other = begun()
    table.take(mover)
    for _ in range(FURTHEST - 1 + too_far):
        table.say(other, "take", heap=99, objects=1)
    asked = table.say(mover, "request_undo", seq=2)

    assert "not-that-far" == code(asked) if too_far else ["UndoRequested"] == names(asked)


def test_start_of_an_undo_is_known_before_it_is_decided():
    table, mover, other = begun()
    table.take(mover)
    table.take(other)
    agree = {"type": "answer_undo", "request": 4, "agree": True}

    assert [2, 3] == [find_undo_start(table.position, {"type": "request_undo", "seq": seq}) for seq in (2, 3)]
    for seq in (1, 4, -1, "2", True, None):
        assert find_undo_start(table.position, {"type": "request_undo", "seq": seq}) is None
    assert find_undo_start(table.position, agree) is None
    assert find_undo_start(table.position, {"type": "take"}) is None
    table.say(mover, "request_undo", seq=2)
    assert 2 == find_undo_start(table.position, agree)
    assert find_undo_start(Position(), agree) is None


def test_agreement_that_is_not_the_last_is_possible_at_any_distance():
    table = Table(PENNIES, 3)
    for seat in (ONE, TWO, THREE):
        table.say(seat, "hide", pennies=1)
    table.say(ONE, "request_undo", seq=2)
    assert [(True, False)] == [each.open[0].choices for each in table.offered(TWO, "answer_undo")]
    table.say(TWO, "answer_undo", request=5, agree=True)
    assert [(True, False)] == [each.open[0].choices for each in table.offered(THREE, "answer_undo")]

    table.say(THREE, "answer_undo", request=5, agree=True)
    assert table.position.state.hidden == {}


def test_question_asked_again_after_its_deadline_has_no_time_left():
    table, mover, _ = begun(pace={"mode": "per_question", "hours": 24})
    table.now = START + 25 * HOUR
    table.say(SYSTEM, "expire", question=table.asked(mover, "turn").id)
    table.now += HOUR
    assert ["Undone"] == names(table.say(mover, "request_undo", seq=2))

    assert table.now == table.asked(mover, "turn").due


def test_immediate_question_asked_again_by_consent_is_due_at_once():
    table = Table(PENNIES, 2, pace={"mode": "per_question", "hours": 24})
    for seat in (ONE, TWO):
        table.say(seat, "hide", pennies=1)
    table.say(SYSTEM, "expire", question=table.asked(SYSTEM, "roll").id)
    table.now += HOUR
    request = table.say(ONE, "request_undo", seq=4)
    table.say(TWO, "answer_undo", request=request.seq, agree=True)

    assert table.now == table.asked(SYSTEM, "roll").due
