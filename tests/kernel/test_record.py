"""Positions, tables, and chance: the records of a log."""

from __future__ import annotations

from dataclasses import replace

from domain.kernel.record import Chance, Position
from domain.kernel.terms import SYSTEM, Seat
from tests.table.test_play import ONE, TWO, Table


def test_table_records_its_game_seats_and_pace():
    table = Table(("player", "bot:random")).position.table

    assert ("g", "pennies", {}, False) == (table.game, table.kind, table.pace, table.sandbox)
    assert ["player", "bot:random", "system"] == [table.controller(seat) for seat in (ONE, TWO, SYSTEM)]
    assert table.outcome is None
    three = replace(table, controllers=("player", "bot:random", "player"))
    assert [False, True, False, True, False] == [three.is_played(Seat(seat)) for seat in range(5)]


def test_table_records_the_outcome_of_its_game():
    table = Table(points=1, script=(2,))
    table.say(ONE, type="hide", pennies=2)
    table.say(TWO, type="hide", pennies=0)
    table.say(SYSTEM, type="expire", question=table.ask(SYSTEM).id)
    outcome = table.position.table.outcome

    assert ("points", "PEN-04", (ONE,), {ONE: 1, TWO: 0}) == (
        *(outcome.reason, outcome.clause),
        *(outcome.winners, outcome.scores),
    )


def test_position_before_the_first_commit_has_no_news_and_no_questions():
    assert [0, 0, 0] == [Position().etag(seat) for seat in (None, ONE, TWO)]
    assert not Position().over
    assert Position().question("1:0:1") is None


def test_dice_continue_after_the_draws_of_the_log():
    chance = Chance(b"k" * 32)
    dice = chance.dice(0, 0)
    faces = [dice.roll() for _ in range(20)]

    assert faces[5:] == [chance.dice(drawn, 0).roll() for drawn in range(5, 20)]
    assert 20 == dice.drawn
    scripted = Chance(b"k" * 32, (6, 5, 4, 3))
    assert [6, 5, 4, 3] == [scripted.dice(0, rolled).roll() for rolled in range(4)]
    assert 3 == scripted.dice(7, 2).rolled + 1
    assert chance.dice(7, 0).below(999) == scripted.dice(7, 2).below(999), "what is no roll is drawn"


def test_aside_dice_depend_on_their_purpose_the_commit_and_the_games_key():
    def first(key, what, seq):
        return Chance(key).aside(what, seq).below(10**12)

    told = {first(key, what, seq) for key in (b"k" * 32, b"l" * 32) for what in ("bot", "default") for seq in (1, 2)}
    assert 8 == len(told)
    assert first(b"k" * 32, "bot", 1) == first(b"k" * 32, "bot", 1)
    assert 0 == Chance(b"k" * 32).aside("bot", 1).drawn
