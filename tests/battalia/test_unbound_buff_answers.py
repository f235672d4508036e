"""A hero meets the free Buff: bribe, hire, or fight (BUF-09 to BUF-12), and answers of bots."""

from __future__ import annotations

import pytest

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
from domain.kernel.dice import Dice
from domain.kernel.options import commands
from domain.kernel.terms import SYSTEM, Seat
from tests.battalia.laid import at, city, hand, morning, night, road, table, turn_of
from tests.battalia.raiding import ALONE, KEY, free, great, hired, memory, met, question, street, walking
from tests.story import LoadedDice, Story


def rolled(state, face, seat=1):
    """The seat ends its turn and rolls for the Buff."""
    story = Story(BATTALIA, turn_of(state, seat)).when(seat, EndTurn())
    return story.when(seat, RollForBuff(), LoadedDice(face))


# -- a hero enters his square -----------------------------------------------------------------------------------------


def test_buf_09_a_hero_who_enters_the_buffs_square_is_attacked():
    story = met("lord")

    assert [StepPaid, BuffAttacked] == [type(event) for event in story.events[:2]]
    story.with_(BuffAttacked(1, "hero-1-1", "B1", 6))
    assert ("attacked", (1,)) == question(story)
    assert {"hero": "hero-1-1", "square": "B1", "entering": True} == story.state.asking[-1].about
    assert [] == story.of(BattleBegan)


def come_through(ruleset):
    """Seat 1's hero enters the Buff's square with a horse and beats the horde. The seat has a supply left."""
    state = free(street(ruleset=ruleset), "B1")
    state = hand(turn_of(at(state, hero_1_1="A1"), 1), 1, "horse", "lord", "lord", "supply")
    horse, *lords, supply = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (horse,))).when(1, FightBuff(tuple(lords)))

    hero = story.state.heroes["hero-1-1"]
    assert ("B1", 0) == (hero.square, hero.steps)
    return story, supply


def test_buf_09_a_hero_who_met_the_buff_moves_no_further_this_turn():
    story, supply = come_through("creation_v2")
    assert not [option for option in story.offered(1, "step") if option.fixed["hero"] == "hero-1-1"]
    story.when(1, Step("hero-1-1", "C1", (supply,))).refused("move-ended")
    wings = great(story.state, 1, "great-wings")
    Story(BATTALIA, wings).when(1, SpreadWings("hero-1-1", ("great-wings",))).refused("move-ended", "ART-09")

    story.when(1, EndTurn()).default(SYSTEM)
    assert not story.state.heroes["hero-1-1"].fought, "on another day he walks on"


def test_buf_09_in_creation_v1_a_hero_loses_paid_steps_but_may_move_on():
    story, supply = come_through("creation_v1")
    Story(BATTALIA, story.state).when(1, Step("hero-1-1", "C1")).refused("does-not-pay")
    assert "C1" == story.when(1, Step("hero-1-1", "C1", (supply,))).state.heroes["hero-1-1"].square


@pytest.mark.parametrize("answer", ["bribe", "hire"])
def test_buf_09_a_hero_moves_no_further_after_a_bribe_or_a_hire(answer):
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


def test_buf_09_a_step_to_the_buff_takes_no_line():
    state = hand(turn_of(at(free(street(), "B1"), hero_1_1="A1"), 1), 1, "supply", "lord")
    supply, lord = state.players[1].hand
    Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), (lord,))).refused("bad-line")


def guarded(kind):
    """A position in which the Buff's square also has ``kind``, with the squares of seat 1's hero and of the Buff."""
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
def test_buf_09_on_a_guarded_square_only_the_buff_is_met_and_the_hero_stays_back(kind, answer):
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
def test_buf_09_a_hero_enters_a_square_with_only_the_buff_and_own_figures(answer):
    state = at(free(street(), "B1"), hero_1_1="A1", hero_1_2="B1")
    story = walking(state, *["supply"] * 4, "lord", "lord")
    supplies, lords = story.state.players[1].hand[:4], story.state.players[1].hand[4:]
    story.when(1, {"bribe": BribeBuff(supplies[:3]), "hire": HireBuff(supplies), "fight": FightBuff(lords)}[answer])

    story.with_(HeroEntered(1, "hero-1-1", "B1"))


def test_buf_09_a_partners_city_and_hero_do_not_block_the_square():
    state = table(4, ALONE, teams=True)
    state = road(city(state, "C1", 3, 2, "EW", "emberians"), "B1", "EW", "emberians")
    state = at(free(state, "C1"), hero_1_1="B1", hero_3_1="C1")
    story = walking(state, "lord", "lord", to="C1")
    story.when(1, FightBuff(story.state.players[1].hand))

    story.with_(HeroEntered(1, "hero-1-1", "C1"))


def test_buf_09_a_hero_who_loses_to_the_buff_is_disbanded():
    story = met().default(1)

    story.with_(HeroDisbanded(1, "hero-1-1", "B1"))
    assert "B1" == memory(story)["square"]
    assert ("turn", (1,)) == question(story)


# -- bribe ------------------------------------------------------------------------------------------------------------


def test_buf_10_a_bribe_of_three_supplies_lasts_seven_days():
    story = met(*["supply"] * 3)
    cards = story.state.players[1].hand
    story.when(1, BribeBuff(cards))

    story.with_(LinePaid(1, cards), BuffBribed(1, "B1", 14, 1, 3, story.events[1].answers))
    assert ("B1", "B1") == (memory(story)["square"], story.state.heroes["hero-1-1"].square)
    assert {"1": {"day": 1, "week": 3}} == BATTALIA.knowledge.view(story.state)["npcs"][KEY]["bribes"]


def test_buf_10_a_bribe_costs_exactly_three_supplies():
    story = met(*["supply"] * 4)
    cards = story.state.players[1].hand
    for line in (cards, cards[:2], ()):
        Story(BATTALIA, story.state).when(1, BribeBuff(line)).refused("does-not-pay", "PAY-10", "cards")
    assert 4 == len([c for o in story.offered(1, "bribe_buff") for c in commands(o)])


def test_buf_10_during_a_bribe_heroes_pass_the_buff_without_a_fight():
    state = at(free(street(), "B1", bribes={"1": 9}), hero_1_1="A1")
    story = walking(state)
    assert "B1" == story.state.heroes["hero-1-1"].square
    assert [] == story.of(BuffAttacked)

    barred = at(free(street(), "B1", bribes={"1": 9}), hero_1_1="A1", hero_2_1="B1")
    story = Story(BATTALIA, hand(turn_of(barred, 1), 1, "supply", "lord"))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("hero-1-1", "B1", (supply,), (lord,), against=2))
    assert story.of(BattleBegan), "the enemy there is fought, not Buff"


def test_buf_10_a_bribe_ends_on_its_day():
    state = free(street(), "B1", bribes={"1": 9, "2": 10})
    assert [] == morning(night(state, 7)).of(BribeEnded)
    story = morning(night(state, 8))
    assert [BribeEnded(1)] == story.of(BribeEnded)
    assert {"2": 10} == memory(story)["bribes"]


def test_buf_10_a_bribe_does_not_bind_a_buff_hired_by_another_player():
    state = hired(street(), 1, "B1")
    state = free(state, "", horde=0, bribes={"2": 12})
    state = hand(hand(turn_of(at(state, hero_2_1="C1"), 1), 1, "supply", "lord"), 2)
    supply, lord = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("buff", "C1", (supply,), (lord,), against=2))
    assert story.of(BattleBegan)
    assert {"2": 12} == memory(story)["bribes"], "and binds him again when he is free"


# -- fight ------------------------------------------------------------------------------------------------------------


def test_buf_12_a_line_at_least_equal_to_the_horde_repels_the_buff():
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


def test_buf_12_a_weaker_line_disbands_the_hero_and_the_buff_stays():
    story = met("lord-islanders", "chief-barfolk", horde=7)
    story.when(1, FightBuff(story.state.players[1].hand))

    story.with_(HeroDisbanded(1, "hero-1-1", "B1"))
    assert "B1" == memory(story)["square"]


def test_buf_12_terrain_and_moral_bonuses_count():
    state = free(road(table(2, ALONE), "B1", "EW", "barfolk"), "B1")
    state = hand(turn_of(at(state, hero_1_1="A1"), 1), 1, "priest-barfolk", "frimen-barfolk")
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1")).when(1, FightBuff(state.players[1].hand))

    assert {"cards": 4, "terrain": 1, "moral": 1} == story.of(FigureFought)[0].parts
    assert story.of(BuffGone)


def test_buf_12_on_timeout_an_empty_line_fights():
    story = met("lord", "lord")
    assert FightBuff() == BATTALIA.rules.default(story.state, Seat(1), Dice(b""))
    story.default(1)
    assert 2 == len(story.state.players[1].hand)


def test_buf_12_turn_06_a_player_attacked_in_anothers_turn_refills_at_its_end():
    state = at(free(street(), "B1"), hero_2_1="C1")
    story = rolled(hand(state, 2, "lord", "lord", "supply", "supply", "supply", "supply"), 1).when(1, MoveBuff("C1"))
    story.when(2, FightBuff(story.state.players[2].hand[:2]))

    assert story.of(BuffGone)
    assert 6 == len(story.state.players[2].hand)
    assert 2 == len([card for event in story.of(CardsDrawn) if event.seat == 2 for card in event.cards])


# -- bots -------------------------------------------------------------------------------------------------------------


def choice(story, seat=1):
    return BATTALIA.bots.by_name["greedy"](story.state, Seat(seat), Dice(b"bot"))


@pytest.mark.parametrize(
    ("cards", "type_"),
    [
        (("supply", "supply", "supply", "supply", "lord", "lord"), "fight_buff"),
        (("supply", "supply", "supply", "supply", "frimen"), "hire_buff"),
        (("supply", "supply", "supply", "frimen"), "bribe_buff"),
        (("supply", "supply", "lord"), "fight_buff"),
    ],
)
def test_buf_the_bot_fights_if_it_wins_and_otherwise_hires_or_bribes(cards, type_):
    story = met(*cards)
    chosen = choice(story)

    assert type_ == chosen["type"]
    if type_ == "fight_buff":
        assert (2 if len(cards) == 6 else 0) == len(chosen["units"])


def test_buf_the_bot_moves_the_buff_to_enemies_and_never_to_its_own_heroes():
    state = at(free(street(), "C1"), hero_1_1="B1", hero_2_1="D1")
    story = Story(BATTALIA, turn_of(state, 1)).when(1, EndTurn())
    assert "roll_for_buff" == choice(story)["type"]
    story.when(1, RollForBuff(), LoadedDice(1))
    assert ("move_buff", "D1") == (choice(story)["type"], choice(story)["to"])

    story = rolled(at(free(street(), "C1"), hero_1_1="B1", hero_1_2="D1", hero_2_1="", hero_2_2=""), 1)
    assert "leave_buff" == choice(story)["type"]
