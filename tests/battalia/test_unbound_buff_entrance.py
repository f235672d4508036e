"""The entrance of the Unbound Buff, his horde, and his return (BUF-03 to BUF-05, BUF-13)."""

from __future__ import annotations

import pytest

from domain.games.battalia.events import CardsDiscarded, CardsDrawn, HeroDisbanded, QuestionAsked
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.commands import (
    BribeBuff,
    ChooseEntrance,
    FightBuff,
    HireBuff,
    PickVictim,
)
from domain.games.battalia.modules.unbound_buff.events import (
    BetPlaced,
    BuffAttacked,
    BuffEntered,
    BuffGone,
    HordeGrown,
)
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.rulesets import RULESETS
from domain.kernel.dice import Dice
from domain.kernel.options import commands
from tests.battalia.laid import at, bare, city, hand, morning, night, table, turn_of
from tests.battalia.raiding import ALONE, KEY, bet, betting, free, hired, memory, question
from tests.story import LoadedDice, Story

AWAY = {"hero_1_1": "", "hero_1_2": "", "hero_2_1": "", "hero_2_2": ""}


# -- the entrance -----------------------------------------------------------------------------------------------------


def chosen(square="G5", seats=2, state=None, **heroes):
    """Seat 1 wins the bet with a lord against a frimen, and chooses the square. By default all heroes are disbanded."""
    state = at(state or table(seats, ALONE), **{**AWAY, **heroes})
    story = betting(["lord", "supply"], ["frimen", "supply"], state=state)
    return bet(bet(story, 1, 0), 2, 0).when(1, ChooseEntrance(square))


@pytest.mark.parametrize("square", ["A1", "G5"])
def test_buf_03_the_chooser_names_any_start_square_including_the_own(square):
    story = chosen(square)

    story.with_(BuffEntered(1, square, 6, story.events[0].answers))
    assert (square, 6) == (memory(story)["square"], memory(story)["horde"])


def test_buf_03_only_start_squares_with_a_card_may_be_chosen():
    state = bare(at(table(3, ALONE), hero_3_1="", hero_3_2="", **AWAY), "A7")
    story = bet(bet(bet(betting(["lord"], [], [], state=state), 2), 3), 1, 0)
    assert ["A1", "G1"] == sorted(c["square"] for o in story.offered(1, "choose_entrance") for c in commands(o))
    for square in ("A7", "D4", "D1"):
        Story(BATTALIA, story.state).when(1, ChooseEntrance(square)).refused("unknown-choice", "BUF-03", "square")


def test_buf_03_a_single_start_needs_no_choice_and_without_any_it_is_the_ruins():
    state = bare(at(table(2, ALONE), **AWAY), "G5")
    story = bet(bet(betting(["lord"], [], state=state), 2), 1, 0)
    story.with_(BuffEntered(1, "A1", 6))

    # Seat 1 has a city elsewhere, so the game continues.
    state = city(bare(at(table(2, ALONE), **AWAY), "A1", "G5"), "B2", 1, 1, "NES")
    story = bet(bet(betting(["lord"], [], state=state), 2), 1, 0)
    story.with_(BuffEntered(1, "D3", 6))


def test_buf_03_on_timeout_the_square_is_drawn():
    squares = set()
    for salt in range(12):
        state = at(table(2, ALONE), **AWAY)
        story = bet(bet(betting(["lord"], [], state=state), 2), 1, 0).default(1, Dice(b"%d" % salt))
        squares.add(story.of(BuffEntered)[0].square)
    assert {"A1", "G5"} == squares


def test_buf_03_the_chooser_picks_the_victim_at_the_entrance():
    story = chosen("G5", hero_2_1="G5", hero_2_2="G5")

    assert ("victim", (1,)) == question(story)
    assert [["hero-2-1", "hero-2-2"]] == [list(p.choices) for o in story.offered(1, "pick_victim") for p in o.open]
    story.when(1, PickVictim("hero-1-1")).refused("unknown-choice", "BUF-08", "hero")
    story.when(1, PickVictim("hero-2-2"))
    story.with_(BuffAttacked(2, "hero-2-2", "G5", 6))
    assert ("attacked", (2,)) == question(story)


def test_buf_04_bets_are_discarded_and_hands_refilled_before_the_attack():
    story = betting(["lord", "supply"], ["frimen", "supply"], state=at(table(2, ALONE), **{**AWAY, "hero_2_1": "G5"}))
    lord, frimen = story.state.players[1].hand[0], story.state.players[2].hand[0]
    story = bet(bet(story, 1, 0), 2, 0).when(1, ChooseEntrance("G5"))

    story.with_(
        BuffEntered(1, "G5", 6, story.events[0].answers), CardsDiscarded(1, (lord,)), CardsDiscarded(2, (frimen,))
    )
    kinds = [type(event) for event in story.events]
    assert kinds.index(CardsDrawn) > kinds.index(CardsDiscarded)
    assert kinds.index(BuffAttacked) > max(place for place, kind in enumerate(kinds) if kind is CardsDrawn)
    assert [6, 6] == [len(story.state.players[seat].hand) for seat in (1, 2)]


@pytest.mark.parametrize("answer", ["bribe", "hire", "fight"])
def test_buf_04_a_player_who_spends_cards_on_the_attack_refills_the_hand(answer):
    story = chosen("G5", hero_2_1="G5")
    state = hand(story.state, 2, "supply", "supply", "supply", "supply", "lord", "lord")
    story = Story(BATTALIA, state)
    supplies, lords = state.players[2].hand[:4], state.players[2].hand[4:]
    story.when(2, {"bribe": BribeBuff(supplies[:3]), "hire": HireBuff(supplies), "fight": FightBuff(lords)}[answer])

    assert 6 == len(story.state.players[2].hand)
    assert ("turn", (1,)) == question(story)


def test_buf_04_on_timeout_the_bet_is_empty_and_an_empty_line_fights():
    story = betting(["lord"], ["lord"], state=at(table(2, ALONE), **{**AWAY, "hero_1_1": "A1"}))
    story.default(1)
    assert BetPlaced(1, ()) == story.events[0]
    story = bet(story, 2, 0).when(2, ChooseEntrance("A1")).default(1)

    assert ["hero-1-1"] == [event.hero for event in story.of(HeroDisbanded)]
    assert "A1" == memory(story)["square"]


# -- the horde --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("week", "horde"), [(2, 6), (3, 8), (4, 10), (5, 12), (6, 14), (7, 16)])
def test_buf_05_the_horde_is_6_in_week_2_and_grows_by_2_each_week(week, horde):
    state = at(table(2, ALONE), **AWAY)
    story = betting(["lord"], [], state=state, day=7 * (week - 1) - 1)
    bet(bet(story, 1, 0), 2).when(1, ChooseEntrance("G5"))
    assert horde == memory(story)["horde"] == BATTALIA.knowledge.view(story.state)["npcs"][KEY]["horde"]

    after = morning(night(story.state, 7 * week - 1))
    after.with_(HordeGrown(horde + 2))
    assert horde + 2 == memory(after)["horde"]
    assert ("S", "S") == tuple(RULESETS["creation_v1"].rulings[name].mark for name in ("horde", "horde_growth"))


def test_buf_05_the_horde_does_not_grow_within_a_week():
    state = free(table(2, ALONE), "A1")
    assert [20] == [day for day in range(14, 22) if morning(night(state, day)).of(HordeGrown)]


def test_buf_13_there_is_a_new_bet_only_if_the_buff_is_absent():
    decision = start_decision(turn_of(free(table(2, ALONE), "A1"), 1), LoadedDice())
    decision.happen(BuffGone("A1", "repelled"))
    assert ("bet", (1, 2)) == question(morning(night(decision.state, 13)))

    for state in (free(table(2, ALONE), "A1"), hired(table(2, ALONE), 1, "A1", until=18)):
        assert [] == [event for event in morning(night(state, 13)).of(QuestionAsked) if event.kind == "bet"]


def test_buf_13_the_buff_does_not_return_within_the_week():
    assert "turn" == question(morning(night(table(2, ALONE), 9)))[0]
