"""Missed turns, vacated seats, and substitutes in the kernel, with a tiny game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel.dice import dice_key
from domain.kernel.lifecycle import DeadlinePassed, SeatLeft, SeatResigned
from domain.kernel.record import Chance, Position, Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.table import features, seats
from domain.table.folding import replay
from domain.table.redecide import redecide
from domain.table.seats import SeatTaken, SeatVacated, TurnMissed, TurnsResumed
from domain.table.settle import settle
from service.store.codec import decode_commit, decode_position, encode_body, encode_position
from service.store.reading.bodies import read_commit
from service.store.seal import canonical
from tests.pennies import PENNIES, HandClosed, PenniesHidden, PenniesRules

ONE, TWO = Seat(1), Seat(2)
HOUR = 3_600_000


class Table:
    """A table of Pennies at which an answer is due within an hour."""

    def __init__(self, game=PENNIES, table=None, controllers=("player", "player"), due=HOUR):
        entropy = [(n, "") for n in range(1, len(controllers) + 1)]
        self.chance = Chance(dice_key(b"s" * 32, "g", entropy))
        self.game, self.position, self.log, self.now, self.due = game, Position(), [], 1000, due
        settings = features.complete_settings(table or {}) if table is not None else {}
        self.say(
            SYSTEM,
            type="begin",
            game="g",
            kind="pennies",
            ruleset="pennies_v1",
            controllers=list(controllers),
            options={"points": 99},
            modules=[],
            pace={"mode": "per_question", "hours": 1},
            commitment="0" * 64,
            entropy=[""] * len(controllers),
            table_rules="table_v2",
            table=settings,
        )

    def say(self, sender, *, by="player", tenure=0, **command):
        self.now += 10
        submission = Submission(f"s{len(self.log)}", sender, command, self.now, None, by=by, tenure=tenure)
        commit, self.position = settle(
            self.game, self.position, submission, self.now, self.chance, lambda _q, at: at + self.due
        )
        self.log.append(commit)
        return commit

    def ask(self, seat):
        return next(a for a in self.position.asked if a.question.seat == seat)

    def miss(self, seat):
        return self.say(SYSTEM, type="expire", question=self.ask(seat).id)

    def bot(self, seat):
        return self.say(SYSTEM, type="act", question=self.ask(seat).id)

    def of(self, cls):
        return [event for commit in self.log for event in commit.events if isinstance(event, cls)]

    @property
    def chairs(self):
        return seats.SEATS.memory_at(self.position.table)


def round_of(table, *silent):
    """Both seats answer once, the silent ones by timeout."""
    for seat in (ONE, TWO):
        if seat in silent:
            table.miss(seat)
        else:
            table.say(seat, type="hide", pennies=0)
    roll(table)


def roll(table):
    """SYSTEM rolls the die that ends the round."""
    table.miss(SYSTEM)


def test_seat_that_reaches_the_missed_limit_is_vacant_and_played_by_a_bot():
    table = Table(table={"missed_limit": 2})
    round_of(table, TWO)
    assert table.position.table.is_played(TWO)
    round_of(table, TWO)

    assert [TurnMissed(TWO, 1), TurnMissed(TWO, 2)] == table.of(TurnMissed)
    assert [SeatVacated(TWO, "greedy")] == table.of(SeatVacated)
    assert ("player", "bot:greedy") == table.position.table.controllers
    assert {TWO: table.position.seq - 1} == table.chairs.vacant
    assert {"vacant": [2], "missed": {}} == features.view(table.position.table)["chairs"]
    assert "played-by-bot" == table.say(TWO, type="hide", pennies=0).refusal.code
    assert "bot" == table.bot(TWO).by


def test_playing_in_time_resets_the_count_of_missed_turns():
    table = Table(table={"missed_limit": 2})
    round_of(table, TWO)
    round_of(table)
    assert [TurnsResumed(TWO)] == table.of(TurnsResumed)
    round_of(table, TWO)

    assert not table.of(SeatVacated)
    assert {TWO: 1} == table.chairs.missed


def test_missed_limit_of_zero_never_vacates_a_seat():
    table = Table(table={"missed_limit": 0})
    for _ in range(6):
        round_of(table, TWO)

    assert not table.of(SeatVacated)
    assert 6 == table.chairs.missed[TWO]


def test_question_that_is_due_at_once_is_not_a_missed_turn():
    table = Table(table={"missed_limit": 1}, due=0)
    table.miss(ONE)

    assert table.of(DeadlinePassed)
    assert not table.of(TurnMissed)


def test_game_without_the_part_counts_no_missed_turns():
    table = Table()
    for _ in range(5):
        round_of(table, TWO)

    assert not table.of(TurnMissed)
    assert {} == table.position.table.memories


@pytest.mark.parametrize("how", ["default", "random", "bot"])
def test_move_on_timeout_follows_the_table_setting(how):
    table = Table(table={"on_timeout": how, "missed_limit": 0})
    hidden = set()
    for _ in range(20):
        hidden |= {table.miss(seat).played["pennies"] for seat in (ONE, TWO)}
        roll(table)

    assert {"policy", "system"} == {commit.by for commit in table.log[1:]}
    if how == "random":
        assert {0, 1, 2, 3} <= hidden
    else:
        assert {"default": {0}, "bot": {1}}[how] == hidden


def test_redeciding_a_log_with_missed_turns_gives_the_same_events():
    table = Table(table={"on_timeout": "random", "missed_limit": 2})
    for _ in range(12):
        round_of_any(table)
    assert 2 == len(table.of(SeatVacated))
    again = Position()
    for commit in table.log:
        same, again = redecide(table.game, again, commit, table.chance)
        assert (commit.events, commit.refusal, commit.by) == (same.events, same.refusal, same.by)
    assert replay(table.game, table.log) == table.position


def round_of_any(table):
    for asked in list(table.position.asked):
        kind = "act" if table.position.table.controller(asked.question.seat).startswith("bot:") else "expire"
        table.say(SYSTEM, type=kind, question=asked.id)


def vacated(table):
    """Seat 2 missed its turn and is vacant."""
    round_of(table, TWO)
    assert TWO in table.chairs.vacant


def test_vacant_seat_can_be_taken_once_and_its_new_player_may_act():
    table = Table(table={"missed_limit": 1})
    vacated(table)
    taken = table.say(SYSTEM, type="take_seat", seat=2)

    assert ((SeatTaken(TWO),), "system", TWO) == (taken.events, taken.by, taken.seat)
    assert ("player", "player") == table.position.table.controllers
    assert "seat-not-vacant" == table.say(SYSTEM, type="take_seat", seat=2).refusal.code
    assert table.say(TWO, tenure=taken.seq, type="hide", pennies=0).refusal is None


def test_command_of_the_seats_former_player_is_refused():
    table = Table(table={"missed_limit": 1})
    vacated(table)
    table.say(SYSTEM, type="take_seat", seat=2)

    assert "seat-changed-hands" == table.say(TWO, type="hide", pennies=0).refusal.code
    assert "seat-changed-hands" == table.say(TWO, type="resign").refusal.code


def test_bot_may_not_answer_for_a_seat_that_was_taken():
    table = Table(table={"missed_limit": 1})
    vacated(table)
    table.say(SYSTEM, type="take_seat", seat=2)

    assert "already-answered" == table.bot(TWO).refusal.code


def test_resigned_seat_can_be_taken():
    table = Table(table={})
    table.say(TWO, type="resign")

    assert [SeatResigned(TWO, "greedy")] == table.of(SeatResigned)
    assert table.say(SYSTEM, type="take_seat", seat=2).refusal is None


def test_sitter_may_play_but_not_resign():
    table = Table(table={})
    assert "sitter" == table.say(TWO, by="sitter", type="hide", pennies=0).by
    refused = table.say(ONE, by="sitter", type="resign")

    assert ("not-for-sitters", "sitter") == (refused.refusal.code, refused.by)


def test_on_resign_leave_needs_a_game_that_supports_departure():
    assert "on_resign" in features.faults(PENNIES, {"on_resign": "leave"})
    assert {} == features.faults(PENNIES, {"on_resign": "bot"})
    assert {} == features.faults(replace(PENNIES, rules=Leaving()), {"on_resign": "leave"})


class Leaving(PenniesRules):
    """Pennies with a rule for a seat that leaves: its hand closes empty."""

    departs = True

    def depart(self, state, seat, dice):
        return [HandClosed(seat)]


def test_seat_that_left_can_neither_act_nor_be_taken():
    table = Table(game=replace(PENNIES, rules=Leaving()), table={"on_resign": "leave"})
    left = table.say(TWO, type="resign")

    assert SeatLeft(TWO) == left.events[0]
    assert ("player", "left") == table.position.table.controllers
    assert "seat-not-vacant" == table.say(SYSTEM, type="take_seat", seat=2).refusal.code
    assert "played-by-bot" == table.say(TWO, type="hide", pennies=0).refusal.code


def test_commit_bodies_and_snapshots_keep_the_sender_and_the_tenure():
    table = Table(table={"missed_limit": 1})
    vacated(table)
    table.say(SYSTEM, type="take_seat", seat=2)
    table.say(TWO, by="sitter", tenure=table.position.seq, type="hide", pennies=0)
    for commit in table.log[1:]:
        body = encode_body(commit)
        assert commit == decode_commit(PENNIES, commit.seq, commit.at, commit.release, body)
        assert commit == read_commit(PENNIES, commit.seq, commit.at, commit.release, canonical(body))
    assert ("sitter", 5) == (table.log[-1].by, encode_body(table.log[-1])["submission"]["tenure"])
    assert "tenure" not in encode_body(table.log[2])["submission"]
    assert table.position == decode_position(PENNIES.rules, encode_position(table.position))


def test_redeciding_a_players_command_ignores_a_forged_bot_sender():
    table = Table(table={})
    commit = replace(table.say(ONE, type="hide", pennies=0), by="bot")
    again, _ = redecide(
        table.game,
        replay(table.game, table.log[:1]),
        decode_commit(PENNIES, commit.seq, commit.at, commit.release, encode_body(commit)),
        table.chance,
    )

    assert "player" == again.by
    assert any(isinstance(event, PenniesHidden) for event in again.events)
