"""A hero meets the free Buff: bribe, hire or fight (BUF-09 to BUF-12), and what bots say."""

from __future__ import annotations

import pytest

from domain.dice import Dice
from domain.games.battalia.commands import EndTurn, SpreadWings, Step
from domain.games.battalia.events import (
    BattleBegan,
    CardsDrawn,
    FigureFought,
    HeroDisbanded,
    HeroEntered,
    LinePaid,
    LineRevealed,
    StepPaid,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.commands import (
    BribeBuff,
    FightBuff,
    HireBuff,
    MoveBuff,
    RollForBuff,
)
from domain.games.battalia.modules.unbound_buff.events import (
    BribeEnded,
    BuffAttacked,
    BuffBribed,
    BuffGone,
)
from domain.options import commands
from domain.terms import SYSTEM, Seat
from tests.battalia.laid import at, city, hand, morning, night, road, table, turn_of
from tests.battalia.raiding import ALONE, KEY, free, great, hired, memory, met, question, street, walking
from tests.story import LoadedDice, Story


def rolled(state, face, seat=1):
    """The seat ends its turn and rolls."""
    story = Story(BATTALIA, turn_of(state, seat)).when(seat, EndTurn())
    return story.when(seat, RollForBuff(), LoadedDice(face))


# -- a hero walks into him --------------------------------------------------------------------------------------------


def test_buf_09_a_hero_who_enters_his_square_ends_his_move_and_is_attacked():
    story = met("lord")

    assert [StepPaid, BuffAttacked] == [type(event) for event in story.events[:2]]
    story.with_(BuffAttacked(1, "hero-1-1", "B1", 6))
    assert ("attacked", (1,)) == question(story)
    assert {"hero": "hero-1-1", "square": "B1", "entering": True} == story.state.asking[-1].about
    assert [] == story.of(BattleBegan)


def come_through(ruleset):
    """Seat 1's hero enters Buff's square with a horse, beats the horde, and has a supply left."""
    state = free(street(ruleset=ruleset), "B1")
    state = hand(turn_of(at(state, hero_1_1="A1"), 1), 1, "horse", "lord", "lord", "supply")
    horse, *lords, supply = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (horse,))).when(1, FightBuff(tuple(lords)))

    hero = story.state.heroes["hero-1-1"]
    assert ("B1", 0) == (hero.square, hero.steps)
    return story, supply


def test_buf_09_who_has_met_him_walks_no_further_in_this_turn():
    story, supply = come_through("creation_v2")
    assert not [option for option in story.offered(1, "step") if option.fixed["hero"] == "hero-1-1"]
    story.when(1, Step("hero-1-1", "C1", (supply,))).refused("move-ended")
    wings = great(story.state, 1, "great-wings")
    Story(BATTALIA, wings).when(1, SpreadWings("hero-1-1", ("great-wings",))).refused("move-ended", "ART-09")

    story.when(1, EndTurn()).default(SYSTEM)
    assert not story.state.heroes["hero-1-1"].fought, "on another day he walks on"


def test_buf_09_under_the_first_ruleset_steps_are_lost_but_he_may_walk_on():
    story, supply = come_through("creation_v1")
    Story(BATTALIA, story.state).when(1, Step("hero-1-1", "C1")).refused("does-not-pay")
    assert "C1" == story.when(1, Step("hero-1-1", "C1", (supply,))).state.heroes["hero-1-1"].square


@pytest.mark.parametrize("answer", ["bribe", "hire"])
def test_buf_09_neither_who_bribes_nor_who_hires_him_walks_further(answer):
    state = free(street(), "B1")
    state = hand(turn_of(at(state, hero_1_1="A1"), 1), 1, *["supply"] * 6)
    first, *supplies = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (first,)))
    story.when(1, BribeBuff(tuple(supplies[:3])) if answer == "bribe" else HireBuff(tuple(supplies[:4])))
    assert "B1" == story.state.heroes["hero-1-1"].square
    story.when(1, Step("hero-1-1", "C1", (supplies[4],))).refused("move-ended")
    assert story.refusal is not None and "fought" not in story.refusal.message, "they paid for not fighting"
    if answer == "hire":
        assert "C1" == story.when(1, Step("buff", "C1", (supplies[4],))).state.heroes["buff"].square


def test_buf_09_no_line_is_laid_with_the_step():
    state = hand(turn_of(at(free(street(), "B1"), hero_1_1="A1"), 1), 1, "supply", "lord")
    supply, lord = state.players[1].hand
    Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), (lord,))).refused("bad-line")


def guarded(kind):
    """Buff's square holds something else besides, and seat 1's hero walks into it with strong cards."""
    if kind == "ruins":
        state = free(road(table(2, ALONE), "D2", "NS", "emberians"), "D3")
        return at(state, hero_1_1="D2"), "D2", "D3"
    state = street()
    if kind == "hero":
        state = at(state, hero_2_1="D1")
    else:
        owner = {"city": 2, "neutral": 0}[kind]
        state = city(state, "E1", owner, 2, "ESW", "emberians")
        return at(free(state, "E1"), hero_1_1="D1"), "D1", "E1"
    return at(free(state, "D1"), hero_1_1="C1"), "C1", "D1"


@pytest.mark.parametrize("kind", ["hero", "city", "neutral", "ruins"])
@pytest.mark.parametrize("answer", ["bribe", "hire", "fight"])
def test_buf_09_with_others_there_only_buff_is_met_and_the_hero_stands_back(kind, answer):
    state, origin, square = guarded(kind)
    story = walking(state, *["supply"] * 4, "lord", "lord", to=square)
    assert ("attacked", (1,)) == question(story)
    supplies, lords = story.state.players[1].hand[:4], story.state.players[1].hand[4:]
    story.when(1, {"bribe": BribeBuff(supplies[:3]), "hire": HireBuff(supplies), "fight": FightBuff(lords)}[answer])

    assert origin == story.state.heroes["hero-1-1"].square
    assert [] == story.of(HeroEntered) + story.of(BattleBegan)
    assert ("buff" in story.state.heroes) == (answer == "hire")
    assert ("turn", (1,)) == question(story)


@pytest.mark.parametrize("answer", ["bribe", "hire", "fight"])
def test_buf_09_alone_or_with_own_figures_he_comes_through_onto_the_square(answer):
    state = at(free(street(), "B1"), hero_1_1="A1", hero_1_2="B1")
    story = walking(state, *["supply"] * 4, "lord", "lord")
    supplies, lords = story.state.players[1].hand[:4], story.state.players[1].hand[4:]
    story.when(1, {"bribe": BribeBuff(supplies[:3]), "hire": HireBuff(supplies), "fight": FightBuff(lords)}[answer])

    story.with_(HeroEntered(1, "hero-1-1", "B1"))


def test_buf_09_a_partners_city_and_hero_bar_nobody():
    state = table(4, ALONE, teams=True)
    state = road(city(state, "C1", 3, 2, "EW", "emberians"), "B1", "EW", "emberians")
    state = at(free(state, "C1"), hero_1_1="B1", hero_3_1="C1")
    story = walking(state, "lord", "lord", to="C1")
    story.when(1, FightBuff(story.state.players[1].hand))

    story.with_(HeroEntered(1, "hero-1-1", "C1"))


def test_buf_09_who_loses_is_disbanded():
    story = met().default(1)

    story.with_(HeroDisbanded(1, "hero-1-1", "B1"))
    assert "B1" == memory(story)["square"]
    assert ("turn", (1,)) == question(story)


# -- bribe ------------------------------------------------------------------------------------------------------------


def test_buf_10_a_bribe_of_three_supplies_leaves_both_on_the_square_for_seven_days():
    story = met(*["supply"] * 3)
    cards = story.state.players[1].hand
    story.when(1, BribeBuff(cards))

    story.with_(LinePaid(1, cards), BuffBribed(1, "B1", 14, 1, 3, story.events[1].answers))
    assert ("B1", "B1") == (memory(story)["square"], story.state.heroes["hero-1-1"].square)
    assert {"1": {"day": 1, "week": 3}} == BATTALIA.view(story.state)["npcs"][KEY]["bribes"]


def test_buf_10_exactly_three_supplies():
    story = met(*["supply"] * 4)
    cards = story.state.players[1].hand
    for line in (cards, cards[:2], ()):
        Story(BATTALIA, story.state).when(1, BribeBuff(line)).refused("does-not-pay", "PAY-10", "cards")
    assert 4 == len([c for o in story.offered(1, "bribe_buff") for c in commands(o)])


def test_buf_10_while_it_lasts_they_may_not_fight_him_and_pass_freely():
    state = at(free(street(), "B1", bribes={"1": 9}), hero_1_1="A1")
    story = walking(state)
    assert "B1" == story.state.heroes["hero-1-1"].square
    assert [] == story.of(BuffAttacked)

    barred = at(free(street(), "B1", bribes={"1": 9}), hero_1_1="A1", hero_2_1="B1")
    story = Story(BATTALIA, hand(turn_of(barred, 1), 1, "supply", "lord"))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("hero-1-1", "B1", (supply,), (lord,), against=2))
    assert story.of(BattleBegan), "the enemy there is fought, not Buff"


def test_buf_10_it_ends_when_the_wheel_stands_as_it_stood():
    state = free(street(), "B1", bribes={"1": 9, "2": 10})
    assert [] == morning(night(state, 7)).of(BribeEnded)
    story = morning(night(state, 8))
    assert [BribeEnded(1)] == story.of(BribeEnded)
    assert {"2": 10} == memory(story)["bribes"]


def test_buf_10_a_buff_hired_by_another_is_bound_by_no_bribe():
    state = hired(street(), 1, "B1")
    state = free(state, "", horde=0, bribes={"2": 12})
    state = hand(hand(turn_of(at(state, hero_2_1="C1"), 1), 1, "supply", "lord"), 2)
    supply, lord = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("buff", "C1", (supply,), (lord,), against=2))
    assert story.of(BattleBegan)
    assert {"2": 12} == memory(story)["bribes"], "and binds him again when he is free"


# -- fight ------------------------------------------------------------------------------------------------------------


def test_buf_12_a_line_at_least_equal_repels_him_until_the_next_week():
    story = met("lord-islanders", "chief-barfolk")
    line = story.state.players[1].hand
    story.when(1, FightBuff(line))

    story.with_(
        LineRevealed(1, line, (), (), story.events[0].answers),
        FigureFought(1, "hero-1-1", "B1", KEY, {"cards": 6}, 6, 6, True),
        BuffGone("B1", "repelled"),
        HeroEntered(1, "hero-1-1", "B1"),
    )
    assert ("", 0) == (memory(story)["square"], memory(story)["horde"])


def test_buf_12_less_and_the_hero_is_disbanded_while_buff_stays():
    story = met("lord-islanders", "chief-barfolk", horde=7)
    story.when(1, FightBuff(story.state.players[1].hand))

    story.with_(HeroDisbanded(1, "hero-1-1", "B1"))
    assert "B1" == memory(story)["square"]


def test_buf_12_the_usual_bonuses_count():
    state = free(road(table(2, ALONE), "B1", "EW", "barfolk"), "B1")
    state = hand(turn_of(at(state, hero_1_1="A1"), 1), 1, "priest-barfolk", "frimen-barfolk")
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1")).when(1, FightBuff(state.players[1].hand))

    assert {"cards": 4, "terrain": 1, "moral": 1} == story.of(FigureFought)[0].parts
    assert story.of(BuffGone)


def test_buf_12_at_the_deadline_an_empty_line_fights():
    story = met("lord", "lord")
    assert FightBuff() == BATTALIA.default(story.state, Seat(1), Dice(b""))
    story.default(1)
    assert 2 == len(story.state.players[1].hand)


def test_buf_12_turn_06_who_is_attacked_in_anothers_turn_fills_up_at_its_end():
    state = at(free(street(), "B1"), hero_2_1="C1")
    story = rolled(hand(state, 2, "lord", "lord", "supply", "supply", "supply", "supply"), 1).when(1, MoveBuff("C1"))
    story.when(2, FightBuff(story.state.players[2].hand[:2]))

    assert story.of(BuffGone)
    assert 6 == len(story.state.players[2].hand)
    assert 2 == len([card for event in story.of(CardsDrawn) if event.seat == 2 for card in event.cards])


# -- bots -------------------------------------------------------------------------------------------------------------


def choice(story, seat=1):
    return BATTALIA.bots["greedy"](story.state, Seat(seat), Dice(b"bot"))


@pytest.mark.parametrize(
    ("cards", "type_"),
    [
        (("supply", "supply", "supply", "supply", "lord", "lord"), "fight_buff"),
        (("supply", "supply", "supply", "supply", "frimen"), "hire_buff"),
        (("supply", "supply", "supply", "frimen"), "bribe_buff"),
        (("supply", "supply", "lord"), "fight_buff"),
    ],
)
def test_buf_the_bot_fights_where_it_wins_and_else_hires_or_bribes(cards, type_):
    story = met(*cards)
    chosen = choice(story)

    assert type_ == chosen["type"]
    if type_ == "fight_buff":
        assert (2 if len(cards) == 6 else 0) == len(chosen["units"])


def test_buf_the_bot_sends_him_to_others_and_spares_its_own():
    state = at(free(street(), "C1"), hero_1_1="B1", hero_2_1="D1")
    story = Story(BATTALIA, turn_of(state, 1)).when(1, EndTurn())
    assert "roll_for_buff" == choice(story)["type"]
    story.when(1, RollForBuff(), LoadedDice(1))
    assert ("move_buff", "D1") == (choice(story)["type"], choice(story)["to"])

    story = rolled(at(free(street(), "C1"), hero_1_1="B1", hero_1_2="D1", hero_2_1="", hero_2_2=""), 1)
    assert "leave_buff" == choice(story)["type"]
