"""Undos that are granted at once, and those that are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.nim.game import NIM, NimKnowledge, NimRules
from domain.kernel.game.rules import Setup
from domain.kernel.record import Past, PastNotKept, Stood
from domain.kernel.terms import SYSTEM, Seq
from domain.table import features
from domain.table.feature import Moment
from domain.table.folding import replay
from domain.table.undo import REACH, find_undoing_commit
from service.store.codec import decode_position, encode_position, plain
from tests.pennies import PENNIES
from tests.table.undo.table import ONE, TWO, Table, begun, code, names
from tests.table.undo.whole import Wavering


class Rolling(NimRules):
    """Every move rolls a die without effect."""

    def decide(self, state, seat, command, dice):
        dice.roll(6)
        return super().decide(state, seat, command, dice)


class Telling(NimKnowledge):
    """Every move reveals a secret."""

    def gives_away(self, event):
        return True


def test_last_player_to_act_undoes_at_once():
    table, mover, _ = begun()
    before = table.position
    table.take(mover)
    commit = table.say(mover, "request_undo", seq=2)

    assert ["Undone"] == names(commit)
    assert (mover, 2, 2, ()) == (
        commit.events[0].seat,
        commit.events[0].first,
        commit.events[0].last,
        commit.events[0].agreed,
    )
    assert before.state == table.position.state
    assert [(f"3:0:{mover}", before.asked[0].question)] == [(a.id, a.question) for a in table.position.asked]
    assert ["ObjectsTaken"] == names(table.log[1]), "nothing leaves the log"


def test_later_moves_of_another_player_are_undone_if_they_agree():
    table, mover, other = begun()
    before = table.position.state
    table.take(mover)
    table.take(other)
    asked = table.say(mover, "request_undo", seq=2)
    standing = table.asked(other, "undo")

    assert ["UndoRequested"] == names(asked)
    assert (other,) == asked.events[0].asked
    assert {"wishes": mover, "first": 2, "request": 4} == standing.question.about
    assert before != table.position.state
    assert ["UndoAgreed", "Undone"] == names(table.say(other, "answer_undo", request=4, agree=True))
    assert before == table.position.state
    assert table.asked(other, "undo") is None
    assert table.asked(mover, "turn").id == f"5:0:{mover}"


def test_free_mode_undoes_moves_of_others_unless_a_secret_was_revealed():
    table, mover, other = begun(undo="free")
    table.take(mover)
    table.take(other)
    told, first, second = begun(undo="free", game=replace(NIM, knowledge=Telling()))
    told.take(first)
    told.take(second)

    assert ["Undone"] == names(table.say(mover, "request_undo", seq=2))
    assert ["UndoRequested"] == names(told.say(first, "request_undo", seq=2))


@pytest.mark.parametrize(
    "game", [replace(NIM, rules=Rolling()), replace(NIM, knowledge=Telling())], ids=["a roll", "a secret"]
)
def test_move_that_revealed_something_is_not_undone_alone(game):
    table, mover, other = begun(game=game)
    table.take(mover)
    commit = table.say(mover, "request_undo", seq=2)

    assert ["UndoRequested"] == names(commit)
    assert (other,) == commit.events[0].asked


def test_commit_not_shown_to_a_seat_prevents_an_immediate_undo():
    """Otherwise the seat could tell a refused command of another player from a secret order."""
    table, mover, other = begun()
    table.take(mover)
    table.say(other, "take", heap=99, objects=1)

    assert code(table.log[-1]) is not None
    assert ["UndoRequested"] == names(table.say(mover, "request_undo", seq=2))


def test_own_refused_command_does_not_prevent_an_immediate_undo():
    table, mover, _ = begun()
    table.take(mover)
    table.say(mover, "take", heap=99, objects=1)

    assert ["Undone"] == names(table.say(mover, "request_undo", seq=2))


def test_seat_that_has_not_acted_since_must_ask():
    table, mover, other = begun(undo="free")
    table.take(mover)

    assert ["UndoRequested"] == names(table.say(other, "request_undo", seq=2))


def test_undo_never_rewinds_the_dice():
    table, mover, other = begun(game=replace(NIM, rules=Rolling()))
    table.take(mover)
    drawn = table.position.drawn
    table.say(mover, "request_undo", seq=2)
    table.say(other, "answer_undo", request=3, agree=True)

    assert drawn == table.position.drawn == table.log[-1].drawn > table.log[0].drawn
    assert table.take(mover).drawn > drawn


def test_moves_of_bots_need_no_consent_and_a_roll_among_bots_cannot_be_undone():
    table = Table(PENNIES, 2, bots=(2,))
    table.say(ONE, "hide", pennies=1)
    table.say(SYSTEM, "act", question=table.asked(TWO, "hide").id)

    assert ["Undone"] == names(table.say(ONE, "request_undo", seq=2))
    assert {} == table.position.state.hidden
    table.say(ONE, "hide", pennies=1)
    table.say(SYSTEM, "act", question=table.asked(TWO, "hide").id)
    table.say(SYSTEM, "expire", question=table.asked(SYSTEM, "roll").id)
    assert [] == table.offered(ONE, "request_undo")
    assert "nobody-to-ask" == code(table.say(ONE, "request_undo", seq=5))


def test_undo_does_not_change_who_controls_a_seat():
    table = Table(PENNIES, 3)
    table.say(ONE, "hide", pennies=1)
    table.say(TWO, "resign")
    table.say(ONE, "request_undo", seq=2)

    assert {} == table.position.state.hidden
    assert table.position.table.controller(TWO).startswith("bot:")


def test_undo_can_be_undone():
    table, mover, _ = begun()
    table.take(mover)
    after = table.position.state
    table.say(mover, "request_undo", seq=2)
    memory = table.position.table.memories["undo"]

    assert [None, 3, None] == [find_undoing_commit(memory, seq) for seq in (1, 2, 3)]
    assert ["Undone"] == names(table.say(mover, "request_undo", seq=3))
    assert after == table.position.state
    memory = table.position.table.memories["undo"]
    assert [None, None, 4] == [find_undoing_commit(memory, seq) for seq in (1, 2, 3)]


def test_undo_reaches_back_a_limited_number_of_commits():
    table, mover, other = begun()
    for _ in range(REACH):
        table.say(SYSTEM, "put_off", question=table.position.asked[0].id, by=1)
    newest = table.position.seq
    offered = table.offered(mover, "request_undo")[0].open[0]

    assert (newest - REACH + 1, newest) == (offered.min, offered.max)
    refusal = table.say(mover, "request_undo", seq=newest + 1).refusal
    assert ("seq", offered.min, newest) == (refusal.field, refusal.facts["first"], refusal.facts["last"])
    for beyond in (offered.min - 1, newest + 1, 1, 0, -5):
        assert "not-that-far" == code(table.say(mover, "request_undo", seq=beyond))
    assert ["UndoRequested"] == names(table.say(mover, "request_undo", seq=offered.min))
    assert table.offered(other, "answer_undo")


def test_undo_is_refused_if_the_table_has_it_off():
    table, mover, _ = begun(undo="off")
    table.take(mover)

    assert "no-undo" == code(table.say(mover, "request_undo", seq=2))
    assert [] == table.offered(mover, "request_undo")
    assert table.position.bars is None
    assert () == table.position.past.stood


def test_undo_is_refused_in_games_begun_before_it_existed():
    table, mover, _ = begun(undo=None)
    table.take(mover)

    assert "not-here" == code(table.say(mover, "request_undo", seq=2))
    assert [] == table.offered(mover, "request_undo")
    assert "bars" not in encode_position(table.position)


def test_end_of_a_game_is_not_undone():
    table, _, _ = begun()
    while not table.position.over:
        heap = next(place for place, size in enumerate(table.position.state.heaps, 1) if size)
        table.take(table.mover, heap, table.position.state.heaps[heap - 1])

    assert "game-over" == code(table.say(ONE, "request_undo", seq=2))


def test_log_with_an_undo_is_folded_to_the_current_position():
    table, mover, other = begun()
    table.take(mover)
    table.take(other)
    table.say(mover, "request_undo", seq=2)
    table.say(other, "answer_undo", request=4, agree=True)
    table.take(mover)

    assert table.position == replay(table.game, table.log)
    assert table.position == replay(table.game, table.log[3:], replay(table.game, table.log[:3]))


def test_undo_without_the_earlier_positions_raises_out_of_reach():
    table, mover, _ = begun()
    table.take(mover)
    table.position = decode_position(table.game.rules, plain(encode_position(table.position)))

    with pytest.raises(PastNotKept) as far:
        table.say(mover, "request_undo", seq=2)
    assert far.value.seq == 1


def test_view_shows_undone_commits_and_the_pending_request():
    table, mover, other = begun()
    table.take(mover)
    table.say(mover, "request_undo", seq=2)
    table.take(mover)
    table.take(other)
    table.say(mover, "request_undo", seq=4)

    assert {
        "mode": "consent",
        "undone": [{"first": 2, "last": 2, "by": 3}],
        "request": {"seat": mover, "request": 6, "first": 4, "waiting": [other], "due": None},
    } == features.view(table.position.table)["undo"]


def test_undo_does_not_reach_into_a_calendar_day_that_is_over():
    """There, SYSTEM acts only to turn the day."""
    calendar = {"mode": "calendar", "day": "PT24H", "at": "20:00", "zone": "UTC"}
    table = Wavering(BATTALIA, BATTALIA.rules.check(Setup(2, "")), 1, pace=calendar, until=0)
    while SYSTEM not in [commit.seat for commit in table.commits[1:]]:
        table.look(table.step())
    turned = table.position.seq
    table.look(table.step())
    seat = table.commits[-1].seat
    moment = Moment(BATTALIA, table.position, Seq(table.position.seq + 1), table.play.now)
    (option,) = [each for each in features.legal(moment, seat) if each.type == "request_undo"]

    assert turned + 1 == option.open[0].min
    assert "not-that-far" == code(table.play.say(seat, {"type": "request_undo", "seq": turned}))


def test_start_of_a_snapshot_is_no_change_once_the_earlier_past_is_known():
    known = Past(5, (Stood(5, 50, "b", ()), Stood(9, 90, "c", ())), 8)
    whole = known.behind(Past(0, (Stood(1, 10, "a", ()), Stood(4, 40, "b", ()))))

    assert "b" == whole.before(5).state == whole.before(9).state
    assert "a" == whole.before(4).state
    assert 90 == whole.changed_at(5), "nothing changed in commit 5"
