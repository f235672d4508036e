"""Ordinary hours after an undo of the player's own answer: the time since the answer counts as used."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.games.nim.game import NIM
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.terms import HOUR, SYSTEM
from service.audit.auditor import audit
from service.store.codec import decode_position, encode_position, plain
from tests.audit.games import SIGNER
from tests.table.undo.table import begun, code, due, names, undo
from tools.simulation.selfplay import SelfPlay

PACE = {"mode": "per_question", "hours": 24}


def clocked(**told):
    return begun(**{"pace": PACE, "settings": {"give_time": 400, "votes": "on"}, **told})


def patient(**told):
    """Each seat has moved once and the first has to move again; also returns the seq of the next commit."""
    table, mover, other = clocked(**told)
    table.take(mover)
    table.take(other)
    first = table.position.seq + 1
    return table, mover, other, first


def test_time_between_a_move_and_its_undo_counts_as_used():
    table, mover, _, first = patient()
    table.now += HOUR
    table.take(mover)
    table.now += 20 * HOUR
    commit = undo(table, mover, first)

    assert ["Undone", "TimeCounted"] == names(commit)
    assert 3 == due(table, mover)
    assert dict(commit.due) == {commit.events[1].question: table.now + 3 * HOUR}


def test_game_with_older_table_rules_counts_no_time_on_undo():
    table, mover, _, first = patient(rules="table_v2")
    table.take(mover)
    table.now += 20 * HOUR

    assert ["Undone"] == names(undo(table, mover, first))
    assert 24 == due(table, mover)


def test_vote_before_the_move_does_not_hide_the_time_before_it():
    table, mover, _, first = patient()
    table.now += HOUR
    assert code(table.say(mover, "call_vote", kind="abort")) is None
    table.now += 9 * HOUR
    table.take(mover)
    table.now += 5 * HOUR
    undo(table, mover, first)

    assert 24 - 1 - 9 - 5 == due(table, mover)


def test_undo_leaves_an_hour_at_least_but_only_once():
    table, mover, _, first = patient()
    table.take(mover)
    table.now += 30 * HOUR
    undo(table, mover, first)
    assert (1, True) == (due(table, mover), table.log[-1].events[-1].eased)

    second = table.take(mover).seq
    table.now += 30 * HOUR
    assert undo(table, mover, second).events[-1].eased
    assert 0 == due(table, mover)

    table.take(mover)
    undo(table, mover, first)
    assert 0 == due(table, mover), "nor by naming the first of these commits again"


def test_seat_with_less_than_an_hour_left_gets_no_more_by_undo():
    table, mover, _, first = patient()
    table.now += 24 * HOUR - HOUR // 2
    table.take(mover)
    for hours in (0.5, 0):
        table.now += 10 * HOUR
        undo(table, mover, first)
        assert hours == due(table, mover)
        table.take(mover)


def test_next_question_has_its_own_minimum_of_an_hour():
    table, mover, other, _ = patient()
    for _ in range(2):
        first = table.take(mover).seq
        table.now += 30 * HOUR
        undo(table, mover, first)
        assert 1 == due(table, mover)
        table.take(mover)
        table.take(other)


def test_undo_by_consent_restores_the_time_that_was_left():
    table, mover, other, first = patient()
    table.take(mover)
    table.now += 2 * HOUR
    table.take(other)
    assert code(table.say(mover, "request_undo", seq=first)) is None
    table.now += HOUR
    agreed = table.say(other, "answer_undo", request=table.position.seq, agree=True)

    assert ["UndoAgreed", "Undone"] == names(agreed)
    assert 24 == due(table, mover)


def test_time_with_stopped_clocks_is_not_counted():
    table, mover, other, first = patient()
    table.now += HOUR
    table.take(mover)
    table.now += 2 * HOUR
    table.say(mover, "call_vote", kind="pause")
    table.say(other, "cast_vote", agree=True)
    table.now += 100 * HOUR
    table.say(mover, "call_vote", kind="resume")
    table.say(other, "cast_vote", agree=True)
    table.now += 3 * HOUR
    undo(table, mover, first)

    assert 24 - 1 - 2 - 3 == due(table, mover)


def test_time_is_not_counted_while_clocks_are_still_stopped():
    table, mover, other, first = patient()
    table.take(mover)
    table.now += 2 * HOUR
    table.say(mover, "call_vote", kind="pause")
    table.say(other, "cast_vote", agree=True)
    table.now += 100 * HOUR
    undo(table, mover, first)
    (asked,) = table.position.asked

    assert 22 * HOUR == asked.held.due - asked.held.since


class Spent:
    """How long each seat has been asked in each state of the game, computed from the log alone. A state is the sequence
    of moves in force."""

    def __init__(self):
        self.moves, self.stood = (), {}
        self.hours = Counter()

    def passed(self, seat, length):
        self.hours[seat, self.moves] += length / HOUR

    def moved(self, commit):
        self.stood[commit.seq] = self.moves
        self.moves = (*self.moves, commit.seq)

    def took_back(self, commit):
        self.stood[commit.seq] = self.moves
        self.moves = self.stood[min(seq for seq in self.stood if seq >= commit.events[0].first)]


def takes_back_alone(table, seat):
    """The commits from which the seat can undo on its own so that it has to move again."""
    bars = table.position.bars
    last = max(bars.told, bars.hidden[seat], bars.acted[3 - seat])
    return [
        seq
        for seq in range(last + 1, bars.acted[seat] + 1)
        if [asked.question.seat for asked in table.stood[seq - 1].asked] == [seat]
    ]


def anything(table, luck, spent):
    """Time passes, the seat to move moves or undoes its own undo, or the other seat undoes its move."""
    (asked,), seat, what = table.position.asked, table.mover, luck.below(6)
    backs, last = takes_back_alone(table, 3 - seat), table.log[-1]
    if what < 2:
        length = min((1 + luck.below(30)) * HOUR // 2, asked.due - table.now)
        table.now += length
        spent.passed(seat, length)
        if table.now == asked.due:
            spent.moved(table.say(SYSTEM, "expire", question=asked.id))
    elif what < 4 and backs:
        spent.took_back(undo(table, 3 - seat, luck.choose(backs)))
    elif what == 4 and last.seat == seat and "Undone" in names(last):
        spent.took_back(undo(table, seat, last.seq))
    else:
        heaps = table.position.state.heaps
        spent.moved(table.take(seat, heap=luck.choose([number for number, left in enumerate(heaps, 1) if left])))


@pytest.mark.parametrize("seed", range(40))
def test_undos_give_a_seat_at_most_one_hour_more_than_its_hours(seed):
    luck, spent = Dice(b"hours" + seed.to_bytes(24, "big")), Spent()
    table, *_ = clocked()
    while table.position.seq < 100 and not table.position.over:
        anything(table, luck, spent)
        assert max(spent.hours.values(), default=0) <= 25, (seed, table.position.seq)


def test_game_with_counted_time_passes_the_audit_and_survives_a_snapshot():
    chosen = {"undo": "consent", "give_time": 0}
    game = SelfPlay(NIM, NIM.rules.check(Setup(2, "")), ["player:random"] * 2, b"x" * 32, pace=PACE, table=chosen)
    game.begin()
    for hours in (5, 40, 40):
        seat = game.position.state.mover
        first = game.say(seat, game.choice(game.position.asked[0])).seq
        game.now += hours * HOUR
        assert names(game.say(seat, {"type": "request_undo", "seq": first})) == ["Undone", "TimeCounted"]
        assert game.position == decode_position(NIM.rules, plain(encode_position(game.position)))
    game.run()

    assert audit(game.export(SIGNER), games={"nim": NIM}).divergences == ()
