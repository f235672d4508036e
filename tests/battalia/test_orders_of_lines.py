"""The battle lines that standing orders lay (ORD-04 to ORD-07)."""

from __future__ import annotations

import pytest

from domain.dice import Dice
from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.imagine import imagine
from domain.games.battalia.rulebook.battle.ordered import most_of_attacker
from domain.games.battalia.rulebook.turn.orders import ordered
from domain.games.battalia.state import changed
from domain.terms import Seat
from tests.battalia.ordering import followed, ordering
from tests.battalia.random_play import steps
from tests.battalia.table import zone
from tests.battalia.test_battles import assault, before, fought


def laid(story):
    """The kinds of cards that seat 2 has shown, those of the hand and those from ambush."""
    (shown,) = [event for event in story.of(ev.LineRevealed) if event.seat == 2]
    return sorted(CARDS[card].kind for card in shown.cards), sorted(CARDS[card].kind for card in shown.ambush)


def attacked(*defending, attacking=("chief",), hidden=(), level=1, **order):
    state = before(attacking, defending, level=level)
    state = zone(state, 2, "hidden", *hidden) if hidden else state
    return assault(ordering(state, 2, "set_defence", **{"place": 1, **order}))


def test_ord_04_nothing_lays_no_card():
    story = attacked("lord", "lord", hidden=["lord"], how="nothing")
    assert ([], []) == laid(story)
    assert [(2, "defend")] == followed(story)


def test_ord_04_the_kinds_that_are_spared_stay_in_the_hand():
    assert (["frimen", "weapon"], []) == laid(attacked("frimen", "lord", "weapon", how="all", spare=["lord"]))


@pytest.mark.parametrize(("ambush", "shown"), [("if_needed", ["lord"]), ("always", ["lord"]), ("never", [])], ids=str)
def test_ord_04_what_lies_face_down_joins_as_it_was_ordered(ambush, shown):
    assert shown == laid(attacked("frimen", hidden=["lord"], how="all", ambush=ambush))[1]


def test_ord_04_what_lies_face_down_is_always_shown_or_only_if_needed():
    """The land is the defender's: the city of level 1 defends with 2."""
    cards = {"how": "reach", "number": 3}
    assert (["frimen"], []) == laid(attacked("frimen", hidden=["lord"], **cards))
    assert (["frimen"], ["lord"]) == laid(attacked("frimen", hidden=["lord"], **{**cards, "number": 7}))
    assert ([], ["lord"]) == laid(attacked("frimen", hidden=["lord"], ambush="always", **cards))
    asked = attacked("frimen", hidden=["lord"], ambush="never", **{**cards, "number": 7})
    assert "defend" == asked.state.asking[-1].kind
    assert ([], ["lord"]) == laid(attacked("lord", hidden=["lord"], how="all", most=0, ambush="always"))


def test_ord_05_all_that_fights_and_of_too_many_the_strongest():
    hand = ("frimen", "chief", "priest", "lord", "supply", "title")
    assert (["chief", "frimen", "lord", "priest", "title"], []) == laid(attacked(*hand, how="all"))
    assert (["lord", "priest"], []) == laid(attacked(*hand, how="all", most=2))


def test_ord_06_as_little_as_reaches_the_strength_and_the_city_counts():
    hand = ("frimen", "chief", "priest", "lord")
    story = attacked(*hand, level=2, how="reach", number=4)
    assert 4 <= fought(story).against
    assert ["frimen"] == laid(story)[0], (
        "the city brings two, its land one, and the cheapest card that is enough the rest"
    )
    assert ([], []) == laid(attacked(*hand, level=4, how="reach", number=4))


def test_ord_06_no_card_is_laid_that_is_not_needed():
    story = attacked("frimen", "lord", "lord", "weapon", level=1, how="reach", number=9)
    line = laid(story)[0]
    assert 9 <= fought(story).against
    assert 2 == len(line), line


def test_ord_06_what_cannot_be_reached_is_not_tried_and_amulets_count_for_nothing():
    asked = attacked("frimen", "amulet", level=1, how="reach", number=5)
    assert "defend" == asked.state.asking[-1].kind
    assert [] == followed(asked)
    few = attacked("frimen", "chief", "priest", level=1, how="reach", number=8, most=1)
    assert "defend" == few.state.asking[-1].kind


def test_ord_07_to_win_is_to_win_whatever_the_attacker_holds():
    """One card at hand, of a deck of low ranks: a lord and a city of level 4 hold, and a frimen does not."""
    state = before(["frimen"], ["lord", "lord"], level=4)
    state = ordering(state, 2, "set_defence", place=1, how="win", number=0)
    bound = None
    story = assault(state)
    assert [(2, "defend")] == followed(story)
    assert 2 == fought(story).winner

    weak = before(["frimen"], ["frimen"], level=0)
    asked = assault(ordering(weak, 2, "set_defence", place=1, how="win", number=0))
    bound = most_of_attacker(asked.state, asked.state.battle)
    assert "defend" == asked.state.asking[-1].kind
    assert bound > 1, "the attacker could have laid more"


def test_ord_07_a_margin_is_won_besides():
    state = before(["frimen"], ["lord", "lord", "lord"], level=4)
    asked = assault(before(["frimen"], ["lord", "lord", "lord"], level=4))
    most = most_of_attacker(asked.state, asked.state.battle)
    for number in (0, 3):
        story = assault(ordering(state, 2, "set_defence", place=1, how="win", number=number))
        assert most + number <= fought(story).against
    never = assault(ordering(state, 2, "set_defence", place=1, how="win", number=90))
    assert "defend" == never.state.asking[-1].kind


@pytest.mark.soak
def test_ord_07_no_line_of_a_whole_game_was_worth_more_than_the_most_it_could_be():
    battles = 0
    for seed, modules in ((11, ("unbound_buff", "keeper")), (12, ("unbound_buff",)), (13, ())):
        last = None
        for position, commit in steps(3, seed, cap=700, modules=modules, bot="greedy"):
            for event in commit.events:
                if type(event) is ev.BattleFought and event.defender and last is not None:
                    assert event.strength <= most_of_attacker(last.state, last.state.battle)
                    battles += 1
            last = position if position.state.battle is not None and position.state.asking else None
    assert battles > 5


def test_ord_07_an_order_knows_no_more_than_its_owner():
    """Whatever the attacker holds and has laid unseen, the same line answers."""
    orders = [{"how": "win", "number": 1}, {"how": "reach", "number": 6}, {"how": "all", "most": 2}]
    for order in orders:
        asked = assault(before(["lord", "lord", "priest"], ["frimen", "chief", "priest", "lord", "weapon"], level=3))
        state = ordering(asked.state, 2, "set_defence", place=1, **order)
        answers = {ordered(imagine(state, Seat(2), Dice(bytes([n]))), Seat(2)) for n in range(30)}
        lines = {imagine(state, Seat(2), Dice(bytes([n]))).battle.line for n in range(30)}
        assert len(lines) > 3
        assert {ordered(state, Seat(2))} == answers


def test_ord_07_what_the_attacker_laid_changes_nothing():
    asked = assault(before(["lord", "lord", "frimen"], ["priest", "lord"], level=4), units=None)
    state = ordering(asked.state, 2, "set_defence", place=1, how="win", number=0)
    weaker = changed(state, battle=type(state.battle)(**{**_fields(state.battle), "line": state.battle.line[:1]}))
    assert ordered(state, Seat(2)) == ordered(weaker, Seat(2))
    assert most_of_attacker(state, state.battle) == most_of_attacker(weaker, weaker.battle)
    assert BATTALIA.private(state, Seat(2)) == BATTALIA.private(weaker, Seat(2))


def _fields(battle):
    return {name: getattr(battle, name) for name in battle.__dataclass_fields__}
