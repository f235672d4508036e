"""The points that a seat can expect, and its chances of winning."""

from math import exp, log

import pytest

from domain.games.fronela.bots import prospects
from domain.games.fronela.bots.greedy import greedy
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import changed
from domain.kernel.dice import Aside, Dice
from domain.kernel.terms import Seat
from domain.table.bots import search
from tests.fronela.story import AZURE, BLACK, BROWN, GREY, board
from tests.fronela.whole import Table

SEATS = (BLACK, GREY, AZURE, BROWN)
UNITS = {
    "arnstor": {"black_malkioni": {"soldier": 3, "lord": 1}},
    "tarins": {"grey_malkioni": {"soldier": 4, "lord": 1}},
}


def chances(state):
    return {seat: search.value(FRONELA, state, seat) for seat in SEATS}


def test_every_round_has_an_outlook_with_a_weight_for_each_fact():
    tables = Table(3).position.state.tables
    _, told = prospects.outlook(board(UNITS))

    assert {str(number) for number in tables.rounds} == FRONELA.bots.outlooks.keys()
    for fit in FRONELA.bots.outlooks.values():
        assert told[BLACK].keys() == fit["weights"].keys()
        assert fit["spread"] > 0


def test_outlook_gives_holdings_and_threatened_points_of_each_color():
    state = board(UNITS)
    black, grey = state.tables.nations["black_malkioni"], state.tables.nations["grey_malkioni"]
    when, told = prospects.outlook(changed(state, round=7))

    assert "7" == when
    assert (1, 3) == (told[BLACK]["areas"], told[BLACK]["dice"])
    assert (1, 0, 0, 0) == tuple(told[BLACK][colour] for colour in ("black", "grey", "azure", "brown"))
    assert (1, 4) == (told[GREY]["areas"], told[GREY]["dice"])
    assert min(black.points["arnstor"], 1) == told[BLACK]["held"] > 0
    assert "tarins" in black.ways["arnstor"]
    assert told[BLACK]["held"] == told[BLACK]["threatened"], "four soldiers are beside three"
    assert min(grey.points.get("tarins", 0), 1) == told[GREY]["held"]
    assert 0 == told[GREY]["threatened"]
    assert 0 == told[AZURE]["areas"]


def test_own_color_and_foes_that_cannot_enter_threaten_nothing():
    ours = {"arnstor": {"black_malkioni": {"soldier": 1, "lord": 1}}, "tarins": {"black_barbarians": 5}}
    for beside, foe, threatened in (
        ("trolls", 5, 0),
        ("mostali", 5, 0),
        ("grey_barbarians", 1, 0),
        ("grey_barbarians", 2, 1),
    ):
        _, told = prospects.outlook(board({**ours, "tastolar": {beside: foe}}))
        assert 1 == min(told[BLACK]["held"], 1)
        assert threatened == min(told[BLACK]["threatened"], 1), beside


def test_expected_points_combine_points_scored_and_weighted_facts():
    state = changed(board(UNITS), round=7)
    state = changed(state, points={**state.points, "black_malkioni": 20})
    weights = dict.fromkeys(("black", "grey", "azure", "brown", "areas", "dice", "held", "threatened"), 0.0)
    fits = {"7": {"spread": 2.0, "weights": {**weights, "black": 4.0, "grey": 1.0, "dice": 2.0}}}

    assert {BLACK: (20 + 4 + 6) / 2, GREY: (1 + 8) / 2, AZURE: 0, BROWN: 0} == prospects.expected(state, fits)
    assert {BLACK: 20, GREY: 0, AZURE: 0, BROWN: 0} == prospects.expected(state, {}), "nothing is known of the round"


def test_odds_compare_one_seat_with_all_others_together(monkeypatch):
    monkeypatch.setattr(prospects, "expected", lambda _: {BLACK: 3.0, GREY: 1.0, AZURE: 2.0, BROWN: 0.0})
    odds = prospects.features(board(UNITS), BLACK)["odds"]

    assert 3 - log(exp(1) + exp(2) + 1) == pytest.approx(odds)


def test_odds_are_limited_to_thirty(monkeypatch):
    monkeypatch.setattr(prospects, "expected", lambda _: {BLACK: 900.0, GREY: 0.0, AZURE: 0.0, BROWN: -900.0})
    told = [prospects.features(board(UNITS), seat)["odds"] for seat in SEATS]

    assert [30, -30, -30, -30] == told


def test_late_leader_has_better_chances_and_all_chances_add_up_to_about_one():
    state = changed(Table(3).position.state, round=16)
    level = chances(state)
    ahead = chances(changed(state, points={**state.points, state.tables.seats[BLACK][0]: 10}))

    assert ahead[BLACK] > level[BLACK] + 0.2
    assert all(ahead[seat] < level[seat] for seat in SEATS[1:])
    assert 1 == pytest.approx(sum(level.values()), abs=0.15)


def test_orders_of_others_change_neither_chances_nor_choices():
    """They are the only hidden information."""
    table = Table(3)
    while table.position.asked[0].question.kind != "move":
        table.turn("greedy")
    state, seat = table.position.state, table.position.asked[0].question.seat
    other = FRONELA.knowledge.imagine(state, seat, Dice(b"other"))
    assert other.orders != state.orders

    said = [
        search.best(FRONELA, greedy, FRONELA.bots.supposed(each, seat, Dice(b"x")), seat, Aside(b"y"), 120)
        for each in (state, other)
    ]

    assert said[0] == said[1]
    assert chances(state) == chances(other)


def test_the_same_dice_give_the_same_choice():
    table = Table(4)
    while table.position.asked[0].question.kind != "move":
        table.turn("greedy")
    state, seat = table.position.state, Seat(table.position.asked[0].question.seat)

    one, other = (search.best(FRONELA, greedy, state, seat, Aside(b"y"), 150) for _ in "12")

    assert one == other
