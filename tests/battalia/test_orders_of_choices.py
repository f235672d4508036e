"""Standing orders for choices: flight, return, spoils, wishes, and questions of modules (ORD-08 to ORD-17)."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.games.battalia.commands import EndTurn
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.rammoth.kinds import RammothAttacked
from domain.games.battalia.modules.unbound_buff.commands import MoveBuff, RollForBuff
from domain.games.battalia.modules.unbound_buff.events import (
    BetPlaced,
    BetsRevealed,
    BuffAttacked,
    BuffBribed,
    BuffEntered,
    BuffGone,
    BuffHired,
    BuffLeftAlone,
)
from domain.games.battalia.state import NOBODY, changed
from tests.battalia import laid
from tests.battalia.ordering import followed, ordering
from tests.battalia.raiding import betting, free, question, street, walking
from tests.battalia.table import command, day, hand, table, tell
from tests.battalia.test_battles import END, assault, at_ruins
from tests.battalia.test_orders import returning
from tests.battalia.test_rammoth import S, flee, fleeing, hit
from tests.story import LoadedDice, Story


@pytest.mark.parametrize(
    ("first", "to"),
    [(["D2"], "D2"), (["A1", "C1"], "C1"), (["own", "E1"], "E1"), (["any"], "E1"), (["A1"], None)],
    ids=str,
)
def test_ord_08_heroes_flee_to_the_first_legal_square_of_the_order(first, to):
    state, faces = fleeing()
    story = flee(ordering(state, 1, "set_flight", first=first), faces)

    assert ([] if to is None else [to]) == [event.to for event in story.of(ev.HeroFled)]
    assert ([] if to is None else [(1, "flee")]) == followed(story)
    assert (to is None) == (story.state.asking[-1].kind == "flee")


def test_ord_08_own_means_a_square_with_an_own_city():
    state, faces = fleeing()
    state = laid.city(laid.bare(state, "D2"), "D2", 1, 2, "NS")
    assert ["D2"] == [e.to for e in flee(ordering(state, 1, "set_flight", first=["own"]), faces).of(ev.HeroFled)]


@pytest.mark.parametrize(
    ("first", "to"), [(["home"], "G5"), (["G1"], "G1"), (["any"], "G1"), (["C3", "any"], "G1")], ids=str
)
def test_ord_09_disbanded_heroes_return_to_the_ordered_square(first, to):
    story = tell(ordering(returning(), 2, "set_return", first=first)).when(1, END)
    assert [to, to] == [event.square for event in story.of(ev.HeroReturned)]


def test_ord_10_the_first_available_great_artefact_of_the_order_is_taken():
    state = at_ruins(("lord", "lord", "priest"))
    lost, second, third = state.gone[0], state.great[1], state.great[2]
    state = ordering(state, 1, "set_spoils", first=[lost, third, second])
    story = assault(state, to="D3", against=NOBODY)
    assert [third] == [event.card for event in story.of(ev.SpoilsTaken)]
    assert [(1, "spoils")] == followed(story)

    any_ = assault(ordering(state, 1, "set_spoils", first=[lost, "any"]), to="D3", against=NOBODY)
    assert [state.great[0]] == [event.card for event in any_.of(ev.SpoilsTaken)]


def test_ord_11_an_order_answers_every_wish():
    state = ordering(day(hand(table(), 1, "amulet-emberians"), 3), 1, "set_wish", first=["weapon-islanders"])
    story = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(6, 6))
    assert ("weapon-islanders~1", "weapon-islanders~2") == story.state.players[1].tokens
    assert [(1, "wish"), (1, "wish")] == followed(story)


@pytest.mark.parametrize(
    ("first", "given"),
    [
        (["supply"], ["supply", "supply", "supply"]),
        (["priest"], ["priest", "supply", "supply"]),
        (["priest", "frimen", "chief"], ["chief", "frimen", "priest"]),
        (["book"], ["supply", "supply", "supply"]),
    ],
    ids=str,
)
def test_ord_12_the_roar_discards_the_ordered_kinds_and_then_the_least_valuable(first, given):
    """Seat 1's hand is a frimen, a chief, a priest, and three supplies."""
    scene = hit(faction="islanders", faces=(6, 5))
    assert "discard" == scene.state.asking[-1].kind
    state = laid.city(laid.table(2, ("rammoth",)), "D1", 1, 3, "ESW", "islanders")
    state = laid.hand(state, 1, "frimen", "supply", "chief", "supply", "priest", "supply")
    state = ordering(state, 1, "set_discard", first=first)
    story = laid.morning(laid.night(laid.rammoth(state, "D5"), 8), S, 1, 6, 5)

    assert story.of(RammothAttacked)
    assert [(1, "discard")] == followed(story)
    lost = next(event for event in story.of(ev.CardsDiscarded) if event.seat == 1)
    assert given == sorted(CARDS[card].kind for card in lost.cards)


HAND = ("frimen", "chief", "lord", "weapon", "supply")
"""Their strengths are 1, 2, 4, 2, and 0."""


def bets(*orders, sorts=HAND):
    """Seat 1 has these orders; seat 2's order is to bet nothing."""
    state = laid.table(2, ("unbound_buff",))
    for place, order in enumerate(orders, 1):
        state = ordering(state, 1, "set_bet", place=place, **order)
    return betting(list(sorts), ["frimen"], state=ordering(state, 2, "set_bet", place=1, how="nothing"))


@pytest.mark.parametrize(
    ("order", "total"),
    [
        ({"how": "all"}, 9),
        ({"how": "all", "spare": ["lord", "weapon"]}, 3),
        ({"how": "nothing"}, 0),
        ({"how": "exactly", "number": 7}, 7),
        ({"how": "exactly", "number": 0}, 0),
        ({"how": "at_most", "number": 8}, 8),
        ({"how": "at_most", "number": 40}, 9),
        ({"how": "at_most", "number": 3, "spare": ["frimen"]}, 2),
    ],
    ids=str,
)
def test_ord_13_an_order_bets_all_nothing_an_exact_total_or_at_most_a_total(order, total):
    story = bets(order)
    (revealed,) = story.of(BetsRevealed)
    assert {1: total, 2: 0} == revealed.totals
    assert [(1, "bet"), (2, "bet")] == followed(story)


def test_ord_13_an_impossible_exact_bet_passes_to_the_next_order_or_to_the_player():
    story = bets({"how": "exactly", "number": 50}, {"how": "at_most", "number": 4})
    assert {1: 4, 2: 0} == story.of(BetsRevealed)[0].totals
    assert 1 == len(next(e for e in story.of(BetPlaced) if e.seat == 1).cards), "the fewest cards"

    asked = bets({"how": "exactly", "number": 50})
    assert ("bet", (1,)) == question(asked)
    assert [(2, "bet")] == followed(asked), "whose orders can be followed has answered, and the reveal waits"


@pytest.mark.parametrize(("first", "square"), [(["G5"], "G5"), (["D3", "A1"], "A1"), (["any"], "A1")], ids=str)
def test_ord_14_the_buff_enters_on_the_ordered_square(first, square):
    state = laid.table(2, ("unbound_buff",))
    away = {"hero_1_1": "", "hero_1_2": "", "hero_2_1": "", "hero_2_2": ""}
    state = ordering(laid.at(state, **away), 1, "set_entrance", first=first)
    for seat, how in ((1, "all"), (2, "nothing")):
        state = ordering(state, seat, "set_bet", place=1, how=how)
    story = betting(["lord"], ["frimen"], state=state)
    assert [square] == [event.square for event in story.of(BuffEntered)]
    assert (1, "entrance") in followed(story)


def test_ord_14_the_buff_is_ordered_only_to_start_squares_and_the_ruins():
    state = laid.table(2, ("unbound_buff",))
    for square in ("C3", "B1", "A7"):
        story = Story(BATTALIA, state).when(1, command("set_entrance", first=[square]))
        story.refused("no-such-order", "ORD-01", "first")
    for square in ("A1", "G5", "D3"):
        story = Story(BATTALIA, state).when(1, command("set_entrance", first=[square]))
        assert [square] == story.of(ev.OrderGiven)[0].order["first"]


@pytest.mark.parametrize(("first", "victim"), [([3, 1], "hero-3-1"), ([4, 2], "hero-2-1"), ([4], None)], ids=str)
def test_ord_15_the_buff_attacks_heroes_of_the_seats_named_first(first, victim):
    state = laid.at(free(street(4), "B1"), hero_2_1="C1", hero_3_1="C1", hero_1_2="C1", hero_4_1="", hero_4_2="")
    state = ordering(state, 1, "set_victim", first=first)
    story = Story(BATTALIA, laid.turn_of(state, 1)).when(1, EndTurn())
    story.when(1, RollForBuff(), LoadedDice(5)).when(1, MoveBuff("C1"))
    assert ([] if victim is None else [victim]) == [event.hero for event in story.of(BuffAttacked)]
    assert (victim is None) == (question(story)[0] == "victim")


def test_ord_16_the_order_to_leave_the_buff_alone_answers_at_the_end_of_a_turn():
    state = ordering(free(street(), "C1"), 1, "set_stir", how="leave")
    story = Story(BATTALIA, laid.turn_of(state, 1)).when(1, EndTurn())
    assert [1] == [event.seat for event in story.of(BuffLeftAlone)]
    assert [(1, "stir")] == followed(story)

    asked = Story(BATTALIA, laid.turn_of(state, 2)).when(2, EndTurn())
    assert ("stir", (2,)) == question(asked)


def raided(*cards, **order):
    """Seat 1's hero enters the square of the free Buff with a horde of 6. The seat has these orders and cards."""
    state = laid.at(free(street(), "B1"), hero_1_1="A1")
    orders = order.pop("orders", [order])
    for place, each in enumerate(orders, 1):
        state = ordering(state, 1, "set_raid", place=place, **each)
    return walking(state, *cards)


def test_ord_17_the_buff_is_bribed_or_hired_with_the_cheapest_line():
    assert raided("supply", "supply", "supply", "lord", how="bribe").of(BuffBribed)
    story = raided("supply", "supply", "supply", "supply", "lord", how="hire")
    assert story.of(BuffHired)
    assert ["supply"] * 4 == [CARDS[card].kind for card in story.of(ev.LinePaid)[0].cards]
    assert [(1, "attacked")] == followed(story)


def test_ord_17_spared_cards_do_not_pay_and_no_line_is_longer_than_ordered():
    spared = raided("supply", "supply", "tool", how="bribe", spare=["tool"])
    assert ("attacked", (1,)) == question(spared)
    long = raided("supply", "supply", "supply", how="bribe", most=2)
    assert ("attacked", (1,)) == question(long)


def test_ord_17_a_seat_that_cannot_bribe_fights_only_with_a_winning_line():
    orders = [{"how": "bribe"}, {"how": "win", "number": 1}, {"how": "nothing"}]
    story = raided("lord", "priest", "chief", orders=orders)
    (fight,) = story.of(ev.FigureFought)
    assert (True, 6) == (fight.won, fight.against)
    assert 7 <= fight.strength
    assert story.of(BuffGone)

    lost = raided("frimen", orders=orders)
    assert [False] == [event.won for event in lost.of(ev.FigureFought)]
    assert [()] == [event.cards for event in lost.of(ev.LineRevealed)], "and else lays nothing"


def test_ord_17_an_order_answers_an_attack_outside_of_turns():
    """The Buff enters at seat 2's heroes, before the first turn of the day."""
    state = laid.table(2, ("unbound_buff",))
    state = ordering(state, 2, "set_raid", place=1, how="nothing")
    state = ordering(ordering(state, 1, "set_bet", place=1, how="all"), 2, "set_bet", place=1, how="nothing")
    state = ordering(ordering(state, 1, "set_entrance", first=["G5"]), 1, "set_victim", first=[2])
    story = betting(["lord"], ["frimen"], state=state)
    assert [(1, "bet"), (2, "bet"), (1, "entrance"), (1, "victim"), (2, "attacked")] == followed(story)[:5]
    assert changed(story.state).turn.seat == 1
