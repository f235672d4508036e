"""The hired Unbound Buff (BUF-11, BUF-14 to BUF-17). BUF-19 is the first test."""

from __future__ import annotations

import pytest

from domain.games.battalia.cards import CARDS
from domain.games.battalia.commands import Defend, EndTurn, SpreadWings, Step
from domain.games.battalia.events import (
    BattleFought,
    CityTaken,
    HeroDisbanded,
    HeroJoined,
    HeroLeft,
    HeroReturned,
    HeroStepped,
    LinePaid,
    RuinsBeaten,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.commands import HireBuff
from domain.games.battalia.modules.unbound_buff.events import BuffGone, BuffHired
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from tests.battalia.laid import at, city, hand, morning, night, road, table, turn_of
from tests.battalia.raiding import ALONE, KEY, attacked, free, great, hired, memory, question, street, walking
from tests.story import Story

NUMBERS = RULESETS["creation_v1"].modules


# -- BUF-19 -----------------------------------------------------------------------------------------------------------


def example(stranger="frimen-cloudborn"):
    """The Islanders' Buff attacks the Emberians' city of level 3 on lake terrain, with 10 strength and two Unbound units."""
    state = table(4, ALONE)
    state = city(road(state, "B1", "EW"), "C1", 3, 3, "EW", "islanders")
    state = hired(turn_of(state, 2), 2, "B1")
    state = hand(hand(state, 2, "supply", "unbound-lord", "unbound-priest", "chief-islanders", stranger), 3)
    supply, *line = state.players[2].hand
    return Story(BATTALIA, state).when(2, Step("buff", "C1", (supply,), tuple(line), against=3)).when(3, Defend())


@pytest.mark.parametrize("stranger", ["frimen-cloudborn", "frimen-islanders"])
def test_buf_19_strength_ten_with_two_unbound_on_own_terrain_is_thirteen(stranger):
    story = example(stranger)

    (fought,) = story.of(BattleFought)
    assert {"cards": 10, "terrain": 1, "unbound": 2} == fought.attack
    assert (13, 3, 2) == (fought.strength, fought.against, fought.winner)
    story.with_(CityTaken(2, "C1", 3, 3))
    assert "C1" == story.state.heroes["buff"].square


# -- hiring -----------------------------------------------------------------------------------------------------------


def test_buf_11_a_buff_hired_when_he_attacks_serves_seven_days_without_the_horde():
    state = at(free(street(), "B1", horde=8), hero_1_1="A1")
    story = walking(state, *["supply"] * 4)
    cards = story.state.players[1].hand
    story.when(1, HireBuff(cards))

    story.with_(
        LinePaid(1, cards),
        BuffHired(1, "B1", 14, 1, 3, story.events[1].answers),
        HeroJoined(1, "buff", "B1", False, False),
    )
    now = memory(story)
    assert ("", 0, 1, 14) == (now["square"], now["horde"], now["owner"], now["until"])
    assert "B1" == story.state.heroes["hero-1-1"].square
    shown = BATTALIA.knowledge.view(story.state)["npcs"][KEY]
    assert ("B1", None, 1, {"day": 1, "week": 3}) == (shown["square"], shown["horde"], shown["owner"], shown["until"])


def test_buf_11_hiring_the_buff_costs_four_supplies():
    assert (Price(supplies=4), Price(supplies=3)) == (NUMBERS["buff_hire"], NUMBERS["buff_bribe"])
    story = walking(at(free(street(), "B1"), hero_1_1="A1"), *["supply"] * 3)
    assert [] == story.offered(1, "hire_buff")
    story.when(1, HireBuff(story.state.players[1].hand)).refused("does-not-pay", "PAY-10", "cards")


def test_buf_10_a_hero_on_the_buffs_square_may_hire_him_which_ends_the_bribe():
    state = at(free(street(), "B1", bribes={"1": 9, "2": 10}), hero_1_1="B1")
    story = Story(BATTALIA, hand(turn_of(state, 1), 1, *["supply"] * 4))
    assert story.offered(1, "hire_buff")
    cards = story.state.players[1].hand
    story.when(1, HireBuff(cards))

    story.then(LinePaid(1, cards), BuffHired(1, "B1", 14, 1, 3), HeroJoined(1, "buff", "B1", False, False))
    assert {"2": 10} == memory(story)["bribes"]
    assert ("turn", (1,)) == question(story)


def test_buf_10_hiring_needs_a_hero_on_the_free_buffs_square():
    state = at(free(street(), "B1", bribes={"1": 9}), hero_2_1="B1")
    for there in (state, at(hired(state, 2, "B1"), hero_1_1="B1")):
        story = Story(BATTALIA, hand(turn_of(there, 1), 1, *["supply"] * 4))
        assert [] == story.offered(1, "hire_buff")
        story.when(1, HireBuff(story.state.players[1].hand)).refused("not-your-hero", "BUF-10")


# -- a third hero -----------------------------------------------------------------------------------------------------


def test_buf_14_the_owner_alone_moves_a_hired_buff_like_a_hero():
    state = hired(street(), 1, "B1")
    story = Story(BATTALIA, hand(turn_of(state, 1), 1, "supply"))
    (supply,) = story.state.players[1].hand
    story.when(1, Step("buff", "C1", (supply,)))
    story.then(HeroStepped(1, "buff", "B1", "C1", (supply,), 0))

    other = Story(BATTALIA, hand(turn_of(state, 2), 2, "supply"))
    other.when(2, Step("buff", "C1", other.state.players[2].hand)).refused("not-your-hero")


def test_buf_14_a_hired_buff_has_no_question_at_the_end_of_a_turn():
    story = Story(BATTALIA, turn_of(hired(street(), 1, "B1"), 2)).when(2, EndTurn())
    assert "day" == question(story)[0]


def test_buf_14_a_hired_buff_may_attack_heroes_and_the_ruins():
    state = at(hired(street(), 1, "B1"), hero_2_1="C1")
    story = Story(BATTALIA, hand(hand(turn_of(state, 1), 1, "supply", "lord"), 2))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("buff", "C1", (supply,), (lord,), against=2)).when(2, Defend())
    story.with_(HeroDisbanded(2, "hero-2-1", "C1"))
    assert "C1" == story.state.heroes["buff"].square

    state = hired(road(table(2, ALONE), "D2", "NS"), 1, "D2")
    story = Story(BATTALIA, hand(turn_of(state, 1), 1, "supply", "unbound-lord", "unbound-priest"))
    supply, *line = story.state.players[1].hand
    story.when(1, Step("buff", "D3", (supply,), tuple(line)))
    assert {"cards": 7, "unbound": 2} == story.of(BattleFought)[0].attack
    assert story.of(RuinsBeaten)


def test_buf_14_the_owner_defends_an_attacked_hired_buff():
    story = attacked(hired(street(), 1, "C1"), "frimen", defence=("unbound-priest", "chief-barfolk"))

    (fought,) = story.of(BattleFought)
    assert {"cards": 5, "unbound": 1} == fought.defence
    assert 1 == fought.winner
    assert "C1" == story.state.heroes["buff"].square


def test_buf_15_every_step_of_a_hired_buff_costs_a_price_in_advanced_movement_too():
    state = road(table(2, ALONE), "B1", "EW", "barfolk")
    state = Story(BATTALIA, hand(turn_of(hired(state, 1, "A1"), 1), 1, "supply")).state
    Story(BATTALIA, state).when(1, Step("buff", "B1")).refused("does-not-pay", "PAY-11")
    assert Story(BATTALIA, state).when(1, Step("buff", "B1", state.players[1].hand)).refusal is None
    assert Story(BATTALIA, state).when(1, Step("hero-1-1", "B1")).refusal is None, "his own heroes walk free there"


def test_buf_15_the_wings_move_a_hired_buff_for_free():
    state = great(hand(turn_of(hired(street(), 1, "B1"), 1), 1), 1, "great-wings")
    story = Story(BATTALIA, state).when(1, SpreadWings("buff", ("great-wings",)))
    assert story.when(1, Step("buff", "C1")).of(HeroStepped)


def test_buf_16_lines_led_by_the_buff_have_no_moral_bonus():
    state = at(hired(street(), 1, "B1"), hero_2_1="C1")
    story = Story(BATTALIA, hand(hand(turn_of(state, 1), 1, "supply", "lord-barfolk"), 2))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("buff", "C1", (supply,), (lord,), against=2)).when(2, Defend())
    assert {"cards": 4} == story.of(BattleFought)[0].attack

    story = attacked(hired(street(), 1, "C1"), "lord", defence=("chief-barfolk",))
    assert {"cards": 2} == story.of(BattleFought)[0].defence


def test_buf_16_unbound_units_give_a_bonus_only_under_the_buff():
    state = at(hired(street(), 1, "D1"), hero_1_1="B1", hero_2_1="C1")
    story = Story(BATTALIA, hand(hand(turn_of(state, 1), 1, "supply", "unbound-lord"), 2))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("hero-1-1", "C1", (supply,), (lord,), against=2)).when(2, Defend())
    assert {"cards": 4} == story.of(BattleFought)[0].attack


def under_buff(*line, ruleset="", lit_day=7, square="B1", foe="C1"):
    """The parts of the strength when seat 1's Buff attacks with this line on foreign terrain."""
    state = at(hired(street(ruleset=ruleset), 1, square), hero_2_1=foe)
    state = hand(hand(turn_of(state, 1, lit_day), 1, "supply", *line), 2)
    supply, *cards = state.players[1].hand
    units = tuple(card for card in cards if CARDS[card].group == "unit")
    support = tuple(card for card in cards if card not in units)
    story = Story(BATTALIA, state).when(1, Step("buff", foe, (supply,), units, support, against=2)).when(2, Defend())
    return dict(story.of(BattleFought)[0].attack)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (("unbound-lord", "scroll"), {"cards": 8, "unbound": 2}),
        (("unbound-lord",), {"cards": 4, "unbound": 1}),
        (("lord-islanders", "unbound-chief", "scroll"), {"cards": 10, "unbound": 1}),
        (("lord-islanders", "unbound-priest", "unbound-frimen", "scroll"), {"cards": 12, "unbound": 2}),
        (("unbound-frimen", "title", "scroll"), {"cards": 3, "unbound": 2}),
        (("lord-islanders", "scroll"), {"cards": 8}),
    ],
)
def test_buf_16_art_05_a_scroll_that_copies_an_unbound_unit_counts_as_unbound(line, parts):
    assert parts == under_buff(*line)


def test_buf_16_art_05_creation_v1_does_not_count_a_copied_unbound_unit():
    line = ("unbound-lord", "scroll")
    assert 10 == sum(under_buff(*line).values())
    assert {"cards": 8, "unbound": 1} == under_buff(*line, ruleset="creation_v1")


def test_buf_16_art_10_a_lit_scroll_makes_two_copies():
    assert {"cards": 12, "unbound": 3} == under_buff("unbound-lord", "scroll", lit_day=6)


def test_buf_17_a_lost_attack_removes_the_buff_until_the_end_of_the_week():
    state = at(hired(street(), 1, "B1"), hero_2_1="C1")
    story = Story(BATTALIA, hand(hand(turn_of(state, 1), 1, "supply", "frimen"), 2, "lord"))
    supply, frimen = story.state.players[1].hand
    story.when(1, Step("buff", "C1", (supply,), (frimen,), against=2)).when(2, Defend(story.state.players[2].hand))

    story.with_(HeroDisbanded(1, "buff", "C1"), HeroLeft(1, "buff"), BuffGone("C1", "beaten"))
    assert "buff" not in story.state.heroes
    assert ("", 0, 0) == (memory(story)["square"], memory(story)["owner"], memory(story)["until"])
    assert ("bet", (1, 2)) == question(morning(night(story.state, 13)))


def test_buf_17_a_lost_defense_removes_the_buff_too():
    story = attacked(hired(street(), 1, "C1"), "lord")

    story.with_(HeroDisbanded(1, "buff", "C1"), BuffGone("C1", "beaten"))
    assert [] == [e for e in morning(night(story.state, 8)).events if isinstance(e, HeroReturned) and e.hero == "buff"]
