"""Battle lines played by standing orders (ORD-04 to ORD-07)."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.imagine import imagine
from domain.games.battalia.rulebook.battle.ordered import most_of_attacker
from domain.games.battalia.rulebook.turn.orders import ordered
from domain.games.battalia.state import changed
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from tests.battalia.ordering import followed, ordering
from tests.battalia.random_play import steps
from tests.battalia.table import zone
from tests.battalia.test_battles import assault, before, fought


def laid(story):
    """The kinds of cards that seat 2 has revealed, from its hand and from ambush."""
    (shown,) = [event for event in story.of(ev.LineRevealed) if event.seat == 2]
    return sorted(CARDS[card].kind for card in shown.cards), sorted(CARDS[card].kind for card in shown.ambush)


def attacked(*defending, attacking=("chief",), hidden=(), level=1, **order):
    state = before(attacking, defending, level=level)
    state = zone(state, 2, "hidden", *hidden) if hidden else state
    return assault(ordering(state, 2, "set_defence", **{"place": 1, **order}))


def test_ord_04_the_order_nothing_plays_no_card():
    story = attacked("lord", "lord", hidden=["lord"], how="nothing")
    assert ([], []) == laid(story)
    assert [(2, "defend")] == followed(story)


def test_ord_04_spared_kinds_stay_in_the_hand():
    assert (["frimen", "weapon"], []) == laid(attacked("frimen", "lord", "weapon", how="all", spare=["lord"]))


@pytest.mark.parametrize(("ambush", "shown"), [("if_needed", ["lord"]), ("always", ["lord"]), ("never", [])], ids=str)
def test_ord_04_face_down_cards_are_used_unless_the_order_is_never(ambush, shown):
    assert shown == laid(attacked("frimen", hidden=["lord"], how="all", ambush=ambush))[1]


def test_ord_04_face_down_cards_are_used_always_or_only_if_needed():
    """The city is on its owner's terrain, so with level 1 it defends with 2."""
    cards = {"how": "reach", "number": 3}
    assert (["frimen"], []) == laid(attacked("frimen", hidden=["lord"], **cards))
    assert (["frimen"], ["lord"]) == laid(attacked("frimen", hidden=["lord"], **{**cards, "number": 7}))
    assert ([], ["lord"]) == laid(attacked("frimen", hidden=["lord"], ambush="always", **cards))
    asked = attacked("frimen", hidden=["lord"], ambush="never", **{**cards, "number": 7})
    assert "defend" == asked.state.asking[-1].kind
    assert ([], ["lord"]) == laid(attacked("lord", hidden=["lord"], how="all", most=0, ambush="always"))


def test_ord_05_all_fighting_cards_are_played_and_with_a_limit_the_strongest():
    hand = ("frimen", "chief", "priest", "lord", "supply", "title")
    assert (["chief", "frimen", "lord", "priest", "title"], []) == laid(attacked(*hand, how="all"))
    assert (["lord", "priest"], []) == laid(attacked(*hand, how="all", most=2))


def test_ord_06_the_cheapest_line_reaches_the_strength_including_the_city():
    hand = ("frimen", "chief", "priest", "lord")
    story = attacked(*hand, level=2, how="reach", number=4)
    assert 4 <= fought(story).against
    assert ["frimen"] == laid(story)[0], (
        "the city brings two, its land one, and the cheapest card that is enough the rest"
    )
    assert ([], []) == laid(attacked(*hand, level=4, how="reach", number=4))


def test_ord_06_no_unneeded_card_is_played():
    story = attacked("frimen", "lord", "lord", "weapon", level=1, how="reach", number=9)
    line = laid(story)[0]
    assert 9 <= fought(story).against
    assert 2 == len(line), line


def test_ord_06_an_unreachable_strength_leaves_the_question_and_amulets_count_zero():
    asked = attacked("frimen", "amulet", level=1, how="reach", number=5)
    assert "defend" == asked.state.asking[-1].kind
    assert [] == followed(asked)
    few = attacked("frimen", "chief", "priest", level=1, how="reach", number=8, most=1)
    assert "defend" == few.state.asking[-1].kind


def test_ord_07_the_order_to_win_wins_against_every_possible_attack():
    """The attacker has one card in hand: lords and a city of level 4 surely win, a frimen and a city of level 0 do not."""
    state = before(["frimen"], ["lord", "lord"], level=4)
    state = ordering(state, 2, "set_defence", place=1, how="win", number=0)
    story = assault(state)
    assert [(2, "defend")] == followed(story)
    assert 2 == fought(story).winner

    weak = before(["frimen"], ["frimen"], level=0)
    asked = assault(ordering(weak, 2, "set_defence", place=1, how="win", number=0))
    bound = most_of_attacker(asked.state, asked.state.battle)
    assert "defend" == asked.state.asking[-1].kind
    assert bound > 1, "the attacker could have laid more"


def test_ord_07_the_order_to_win_adds_the_margin():
    state = before(["frimen"], ["lord", "lord", "lord"], level=4)
    asked = assault(before(["frimen"], ["lord", "lord", "lord"], level=4))
    most = most_of_attacker(asked.state, asked.state.battle)
    for number in (0, 3):
        story = assault(ordering(state, 2, "set_defence", place=1, how="win", number=number))
        assert most + number <= fought(story).against
    never = assault(ordering(state, 2, "set_defence", place=1, how="win", number=90))
    assert "defend" == never.state.asking[-1].kind


@pytest.mark.soak
def test_ord_07_attacks_in_whole_games_never_exceed_the_computed_maximum():
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


def test_ord_07_an_order_uses_only_information_of_its_owner():
    """The line does not depend on the attacker's hand or hidden line."""
    orders = [{"how": "win", "number": 1}, {"how": "reach", "number": 6}, {"how": "all", "most": 2}]
    for order in orders:
        asked = assault(before(["lord", "lord", "priest"], ["frimen", "chief", "priest", "lord", "weapon"], level=3))
        state = ordering(asked.state, 2, "set_defence", place=1, **order)
        answers = {ordered(imagine(state, Seat(2), Dice(bytes([n]))), Seat(2)) for n in range(30)}
        lines = {imagine(state, Seat(2), Dice(bytes([n]))).battle.line for n in range(30)}
        assert len(lines) > 3
        assert {ordered(state, Seat(2))} == answers


def test_ord_07_an_order_does_not_depend_on_the_attackers_line():
    asked = assault(before(["lord", "lord", "frimen"], ["priest", "lord"], level=4), units=None)
    state = ordering(asked.state, 2, "set_defence", place=1, how="win", number=0)
    weaker = changed(state, battle=type(state.battle)(**{**_fields(state.battle), "line": state.battle.line[:1]}))
    assert ordered(state, Seat(2)) == ordered(weaker, Seat(2))
    assert most_of_attacker(state, state.battle) == most_of_attacker(weaker, weaker.battle)
    assert BATTALIA.knowledge.private(state, Seat(2)) == BATTALIA.knowledge.private(weaker, Seat(2))


def _fields(battle):
    return {name: getattr(battle, name) for name in battle.__dataclass_fields__}
