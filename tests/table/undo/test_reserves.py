"""Reserve time after undos: nothing is gained, and used time stays used."""

from __future__ import annotations

import pytest

from domain.kernel.dice import Dice
from domain.kernel.terms import HOUR, SYSTEM
from domain.table.clocks.events import ReserveBegun, ReserveSetBack
from domain.table.undo import Undone
from service.store.codec import decode_position, encode_position, plain
from tests.table.undo.table import begun, code, due, names, undo

BANK, EACH = 20, 4
PACE = {"mode": "per_question", "hours": 24, "bank_hours": BANK, "increment_hours": EACH}
CLOCKS = {"give_time": 40}


def banked(**told):
    return begun(**{"undo": "free", "pace": PACE, "settings": CLOCKS, **told})


def reserves_of(position):
    """Milliseconds, seat 1 first."""
    return (0, 0) if position.table is None else position.table.memories["clocks"].reserves


def reserve(table, seat):
    """Hours."""
    return reserves_of(table.position)[seat - 1] / HOUR


def pass_hours(table, hours):
    """Let time pass, and settle what becomes due."""
    until = table.now + round(hours * HOUR)
    while late := [asked for asked in table.position.asked if asked.due is not None and asked.due <= until]:
        asked = min(late, key=lambda each: each.due)
        table.now = asked.due
        assert table.say(SYSTEM, "expire", question=asked.id).refusal is None
    table.now = until


def twelve_left(**told):
    """The seat to move has twelve hours in reserve and is not using them."""
    table, mover, other = banked(**told)
    pass_hours(table, 24 + 12)
    table.take(mover, objects=1)
    assert 8 + EACH == reserve(table, mover)
    table.take(other)
    return table, mover, other


def test_repeated_answers_and_undos_add_nothing_to_a_reserve():
    table, mover, _ = twelve_left()
    for _ in range(3):
        first = table.position.seq + 1
        table.take(mover)
        assert 16 == reserve(table, mover)
        commit = undo(table, mover, first)

        assert ["Undone", "ReserveSetBack"] == names(commit)
        assert ReserveSetBack(mover, first, 12 * HOUR) == commit.events[1]
        assert (12, 24) == (reserve(table, mover), due(table, mover))


def test_game_with_older_table_rules_does_not_set_back_reserves():
    table, mover, _ = twelve_left(rules="table_v2")
    for _ in range(3):
        first = table.position.seq + 1
        table.take(mover)
        assert ["Undone"] == names(undo(table, mover, first))

    assert 20 == reserve(table, mover)


def test_undo_removes_what_other_seats_had_added():
    table, mover, other = banked()
    pass_hours(table, 30)
    table.take(mover)
    pass_hours(table, 32)
    first = table.take(other).seq
    table.take(mover)
    assert (BANK, 16) == (reserve(table, mover), reserve(table, other)), "6 and 8 were used, and 4 added each time"

    undo(table, mover, first)

    assert (18, 12) == (reserve(table, mover), reserve(table, other))
    assert (first, 12) == (table.log[-1].events[0].first, due(table, other)), "who is asked uses the reserve again"


def test_time_used_since_the_answer_stays_used():
    table, mover, other = twelve_left()
    first = table.take(mover).seq
    table.take(other)
    pass_hours(table, 24 + 5)
    commit = undo(table, mover, first)

    assert ["Undone", "ReserveChanged", "ReserveSetBack", "TimeCounted"] == names(commit)
    assert 16 - 5 - EACH == reserve(table, mover)


def test_undo_of_an_undo_restores_what_the_answers_had_added():
    table, mover, _ = twelve_left()
    first = table.take(mover).seq
    back = undo(table, mover, first).seq
    assert 12 == reserve(table, mover)
    commit = undo(table, mover, back)

    assert ReserveSetBack(mover, back, 16 * HOUR) == commit.events[-1]
    assert 16 == reserve(table, mover)


def test_undo_of_an_answer_that_filled_the_reserve_removes_what_it_added():
    table, mover, other = banked()
    pass_hours(table, 24 + 2)
    first = table.take(mover).seq
    assert BANK == reserve(table, mover)
    table.take(other)
    pass_hours(table, 24 + 7)
    undo(table, mover, first)

    assert BANK - 2 - 7 == reserve(table, mover)


def test_question_that_used_the_reserve_uses_it_again_but_not_twice():
    table, mover, _ = banked()
    pass_hours(table, 24 + 15)
    first = table.take(mover).seq
    assert 5 + EACH == reserve(table, mover)
    commit = undo(table, mover, first)
    (asked,) = table.position.asked

    assert ReserveSetBack(mover, first, 5 * HOUR, asked.id, table.now + 5 * HOUR) == commit.events[1]
    assert 5 == due(table, mover)
    pass_hours(table, 3)
    table.take(mover)
    assert 2 + EACH == reserve(table, mover)


def test_question_asked_again_on_reserve_time_ends_with_the_reserve():
    table, mover, _ = banked()
    pass_hours(table, 24 + 15)
    for _ in range(4):
        first = table.take(mover).seq
        undo(table, mover, first)
    pass_hours(table, 5)

    assert ["DeadlinePassed"] == [name for name in names(table.log[-1]) if name in ("DeadlinePassed", "ReserveBegun")]
    assert 0 == reserve(table, mover)


def test_question_continues_on_reserve_time_after_an_undo_of_an_undo():
    table, mover, other = banked()
    table.take(mover)
    pass_hours(table, 24 + 3)
    first = table.take(other).seq
    back = undo(table, other, first).seq
    table.now += HOUR
    again = undo(table, other, back).seq
    undo(table, other, again)

    assert BANK - 3 - 1 == reserve(table, other)
    assert table.position.asked[0].id == table.position.table.memories["clocks"].spending[other - 1]


def test_question_asked_again_on_reserve_time_does_not_get_used_time_back():
    table, mover, other = banked()
    pass_hours(table, 24 + 5)
    first = table.take(mover).seq
    table.take(other)
    pass_hours(table, 24 + 12)
    commit = undo(table, mover, first)

    assert ReserveSetBack(mover, first, 3 * HOUR, table.position.asked[0].id, table.now + 3 * HOUR) == commit.events[-1]
    assert dict(commit.due)[table.position.asked[0].id] == table.now + 3 * HOUR


def test_question_asked_again_by_another_player_has_an_hour_at_least():
    table, mover, other = banked()
    pass_hours(table, 24 + 12)
    first = table.take(mover).seq
    table.take(other)
    pass_hours(table, 24 + 11)
    table.take(mover)
    undo(table, other, first)

    assert (0, 1) == (reserve(table, mover), due(table, mover)), "8 were left, 4 added, and 11 used"


def test_question_that_did_not_use_the_reserve_has_its_own_hours_or_one():
    table, mover, _ = banked()
    first = table.take(mover).seq
    pass_hours(table, 24 + 3)
    undo(table, mover, first)

    assert ("", "") == table.position.table.memories["clocks"].spending
    assert (1, BANK) == (due(table, mover), reserve(table, mover))


def test_reserve_spared_by_extra_time_is_used_again():
    table, mover, other = banked()
    pass_hours(table, 24)
    assert code(table.settled(other, {"type": "give_time", "seat": mover, "hours": 10})) is None
    first = table.take(mover).seq
    undo(table, mover, first)

    assert table.position.asked[0].id == table.position.table.memories["clocks"].spending[mover - 1]
    assert 30 == due(table, mover)
    pass_hours(table, 18)
    table.take(mover)
    assert 12 + EACH == reserve(table, mover)


def test_stored_reserve_changes_are_limited_to_what_can_be_undone():
    table, mover, _ = twelve_left()
    for _ in range(100):
        first = table.take(mover).seq
        undo(table, mover, first)
    remembered = table.position.table.memories["clocks"].changes

    assert table.position.seq - 160 < min(change.seq for change in remembered)
    again = decode_position(table.game.rules, plain(encode_position(table.position)))
    assert table.position == again


class Ledger:
    """Reserve time given by the answers in force and used so far, computed from the log without the table's own code."""

    def __init__(self):
        self.answers, self.used = {}, {}
        """By commit: who answered in it, and the hours of reserve time used before it, by seat."""
        self.stands = [frozenset()]
        """The commits in force after each commit."""
        self.began = {}
        """When each question began to use the reserve, by question id."""

    def take(self, commit, asked, reserves):
        """Record a commit. The minimum hour of a question asked again uses no reserve; `reserves` are those before the
        commit."""
        standing = {each.id for each in asked}
        gone = [each for each in self.began if each not in standing]
        self.used[commit.seq] = [
            (int(each[-1]), min(reserves[int(each[-1]) - 1], commit.at - self.began.pop(each)) / HOUR) for each in gone
        ]
        for event in commit.events:
            if isinstance(event, ReserveBegun) or (isinstance(event, ReserveSetBack) and event.question):
                self.began[event.question] = commit.at
        undone = next((event for event in commit.events if isinstance(event, Undone)), None)
        if undone is None and commit.by == "player":
            self.answers[commit.seq] = commit.seat
        before = self.stands[-1] | {commit.seq}
        self.stands.append(before if undone is None else self.stands[undone.first - 1])

    def most(self, seat):
        """Hours."""
        left = float(BANK)
        for seq in range(1, len(self.stands)):
            left = max(0, left - sum(used for whose, used in self.used[seq] if whose == seat))
            if seq in self.stands[-1] and self.answers.get(seq) == seat:
                left = min(BANK, left + EACH)
        return left


def anything(table, luck):
    """Time passes, or the seat to move answers or undoes."""
    seat = table.mover
    undos = [seqs for option in table.offered(seat, "request_undo") for seqs in option.open]
    what = luck.below(6)
    if what < 2:
        pass_hours(table, 1 + luck.below(40))
    elif what < 4 and undos:
        undo(table, seat, undos[0].min + luck.below(undos[0].max - undos[0].min + 1))
    else:
        heaps = table.position.state.heaps
        table.take(seat, heap=luck.choose([number for number, left in enumerate(heaps, 1) if left]))


@pytest.mark.parametrize("seed", range(30))
def test_reserve_never_exceeds_what_the_answers_in_force_give(seed):
    luck, ledger = Dice(b"reserves" + seed.to_bytes(24, "big")), Ledger()
    table, *_ = banked()
    as_much = 0
    while table.position.seq < 80:
        anything(table, luck)
        if table.position.over:
            break  # reserves are no longer counted
        for commit in table.log[len(ledger.stands) - 1 :]:
            ledger.take(commit, table.stood[commit.seq].asked, reserves_of(table.stood[commit.seq - 1]))
        for seat in (1, 2):
            assert reserve(table, seat) <= ledger.most(seat), (seed, seat, table.position.seq)
            as_much += 0 < reserve(table, seat) == ledger.most(seat) < BANK

    assert as_much or table.position.seq < 20
