"""The free Buff: his movement and his attacks (BUF-06 to BUF-08)."""

from __future__ import annotations

import pytest

from domain.games.battalia.commands import EndTurn
from domain.games.battalia.events import (
    CardsDrawn,
    FigureFought,
    HeroDisbanded,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.commands import (
    FightBuff,
    LeaveBuff,
    MoveBuff,
    PickVictim,
    RollForBuff,
)
from domain.games.battalia.modules.unbound_buff.events import (
    BuffAttacked,
    BuffLeftAlone,
    BuffMoved,
    BuffRolled,
    VictimPicked,
)
from domain.kernel.dice import Dice
from domain.kernel.options import commands
from domain.kernel.terms import Seat
from tests.battalia.laid import at, city, hand, road, table, turn_of, weapons
from tests.battalia.raiding import ALONE, KEY, free, memory, question, street
from tests.story import LoadedDice, Story


def rolled(state, face, seat=1):
    """The seat ends its turn and rolls for the Buff."""
    story = Story(BATTALIA, turn_of(state, seat)).when(seat, EndTurn())
    return story.when(seat, RollForBuff(), LoadedDice(face))


def ways(story, seat=1):
    return sorted(c["to"] for o in story.offered(seat, "move_buff") for c in commands(o))


# -- roll and move ----------------------------------------------------------------------------------------------------


def test_buf_06_each_player_may_roll_and_move_the_buff_at_the_end_of_a_turn():
    for seat in (1, 2):
        story = Story(BATTALIA, turn_of(free(street(), "C1"), seat)).when(seat, EndTurn())
        assert ("stir", (seat,)) == question(story)
        assert ["leave_buff", "roll_for_buff"] == sorted(
            o.type for o in BATTALIA.rules.replies(story.state, Seat(seat))
        )
        story.when(seat, RollForBuff(), LoadedDice(4))
        assert BuffRolled(seat, 4, story.events[0].answers) == story.events[0]
        assert ("march", (seat,)) == question(story)
        assert {"square": "C1", "left": 4} == story.state.asking[-1].about


def test_buf_06_the_buff_may_be_left_alone_before_and_after_the_roll():
    story = Story(BATTALIA, turn_of(free(street(), "C1"), 1)).when(1, EndTurn()).when(1, LeaveBuff())
    assert BuffLeftAlone(1, story.events[0].answers) == story.events[0]
    assert "day" == question(story)[0]

    story = rolled(free(street(), "C1"), 5).when(1, LeaveBuff())
    assert "C1" == memory(story)["square"]
    assert "day" == question(story)[0]


def test_buf_06_the_buff_moves_at_most_the_rolled_number_of_squares():
    story = rolled(free(street(), "B1"), 2).when(1, MoveBuff("C1"))
    assert BuffMoved(1, "B1", "C1", 1, story.events[0].answers) == story.events[0]
    assert {"left": 1, "trail": ["B1", "C1"]} == BATTALIA.knowledge.view(story.state)["npcs"][KEY]["march"]
    story.when(1, MoveBuff("D1"))
    assert "D1" == memory(story)["square"]
    assert "day" == question(story)[0]
    assert BATTALIA.knowledge.view(story.state)["npcs"][KEY]["march"] is None

    story = rolled(free(street(), "B1"), 2).when(1, MoveBuff("C1")).when(1, LeaveBuff())
    assert "C1" == memory(story)["square"]


def test_buf_06_on_timeout_the_buff_does_not_move():
    story = Story(BATTALIA, turn_of(free(street(), "C1"), 1)).when(1, EndTurn()).default(1)
    assert story.of(BuffLeftAlone)
    assert "C1" == memory(rolled(free(street(), "C1"), 3).default(1))["square"]


def test_buf_06_turn_06_the_buff_is_moved_before_the_hand_is_refilled():
    story = Story(BATTALIA, turn_of(free(street(), "C1"), 1)).when(1, EndTurn())
    assert [] == story.of(CardsDrawn)
    assert story.when(1, LeaveBuff()).of(CardsDrawn)


def test_buf_06_there_is_no_question_if_the_buff_is_absent_or_cannot_move():
    assert "day" == question(Story(BATTALIA, turn_of(street(), 1)).when(1, EndTurn()))[0]
    alone = Story(BATTALIA, turn_of(free(table(2, ALONE), "A1"), 1)).when(1, EndTurn())
    assert "day" == question(alone)[0], "no road leads away"


def test_buf_06_the_roll_comes_before_the_move_and_only_once():
    story = Story(BATTALIA, turn_of(free(street(), "C1"), 1)).when(1, EndTurn())
    Story(BATTALIA, story.state).when(1, MoveBuff("B1")).refused("not-now")
    story = rolled(free(street(), "C1"), 3)
    story.when(1, RollForBuff()).refused("not-now")
    Story(BATTALIA, story.state).when(1, FightBuff()).refused("not-now")


def test_buf_07_the_buff_moves_only_along_roads():
    story = rolled(free(street(), "C1"), 6)
    assert ["B1", "C2", "D1"] == ways(story)
    Story(BATTALIA, story.state).when(1, MoveBuff("C3")).refused("no-way", "BUF-07", "to")
    Story(BATTALIA, story.state).when(1, MoveBuff("A1")).refused("no-way", "BUF-07", "to")


def ring():
    """A ring of roads: B1, C1, C2, B2."""
    state = road(road(table(2, ALONE), "B1", "ES", "emberians"), "C1", "SW", "emberians")
    return road(road(state, "C2", "NW", "emberians"), "B2", "NE")


def test_buf_07_a_move_visits_no_square_twice_including_the_first():
    story = rolled(free(ring(), "B1"), 6)
    for to in ("C1", "C2"):
        story.when(1, MoveBuff(to))
    assert ["B2"] == ways(story)
    Story(BATTALIA, story.state).when(1, MoveBuff("C1")).refused("no-way", "BUF-07")
    story.when(1, MoveBuff("B2"))
    assert "B2" == memory(story)["square"]
    assert "day" == question(story)[0], "B1 is where he set out, and two squares are lost"


def test_buf_07_the_next_players_move_may_revisit_squares():
    story = rolled(free(street(), "B1"), 1).when(1, MoveBuff("C1"))
    story = rolled(story.state, 2, seat=2)
    assert ["B1", "C2", "D1"] == ways(story, 2)


def test_buf_07_a_dead_end_ends_the_move():
    story = rolled(free(street(), "C1"), 6).when(1, MoveBuff("C2"))
    assert "C2" == memory(story)["square"]
    assert "day" == question(story)[0]


# -- attacking --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("victim", [1, 2])
def test_buf_08_entering_the_square_of_any_hero_ends_the_move_with_an_attack(victim):
    state = at(free(street(), "B1"), **{f"hero_{victim}_1": "C1"})
    story = rolled(state, 5).when(1, MoveBuff("C1"))

    story.with_(BuffAttacked(victim, f"hero-{victim}-1", "C1", 6))
    assert ("attacked", (victim,)) == question(story)
    story.default(victim)
    assert "day" == question(story)[0], "the rest of the roll is lost"


def test_buf_08_the_mover_picks_one_of_several_heroes():
    state = at(free(street(3), "B1"), hero_2_1="C1", hero_3_1="C1", hero_1_2="C1")
    story = rolled(state, 5).when(1, MoveBuff("C1"))
    assert ("victim", (1,)) == question(story)
    story.when(1, PickVictim("hero-3-1"))

    story.with_(VictimPicked(1, "hero-3-1", story.events[0].answers), BuffAttacked(3, "hero-3-1", "C1", 6))
    story.default(3)
    assert ["C1", "", "C1"] == [story.state.heroes[n].square for n in ("hero-2-1", "hero-3-1", "hero-1-2")]


@pytest.mark.parametrize(
    ("ruleset", "heroes"), [("creation_v2", {"hero-2-1"}), ("creation_v1", {"hero-2-1", "hero-3-1"})]
)
def test_buf_08_day_08_the_default_victim_is_the_first_hero_or_random_in_creation_v1(ruleset, heroes):
    state = at(free(street(3, ruleset=ruleset), "B1"), hero_2_1="C1", hero_3_1="C1")
    attacked = set()
    for salt in range(12):
        story = rolled(state, 5).when(1, MoveBuff("C1")).default(1, Dice(b"%d" % salt))
        attacked.add(story.of(BuffAttacked)[0].hero)
    assert heroes == attacked


def test_buf_06_one_command_ends_the_move_regardless_of_the_remaining_squares():
    state = at(free(street(), "B1"), hero_2_1="A1")
    story = Story(BATTALIA, turn_of(state, 1)).when(1, EndTurn())
    assert ("stir", (1,)) == question(story)
    story.when(1, LeaveBuff())
    assert "unbound_buff" != story.state.asking[-1].npc, "before the roll"

    story = rolled(state, 6).when(1, MoveBuff("C1"))
    assert ("march", (1,)) == question(story)
    story.when(1, LeaveBuff())
    assert "unbound_buff" != story.state.asking[-1].npc, "with five squares to go"
    assert "C1" == memory(story)["square"]


def test_buf_08_cities_and_the_ruins_neither_stop_the_buff_nor_are_attacked():
    state = road(road(street(), "D2", "NS"), "E3", "EW")
    state = at(free(state, "D2"), hero_1_1="A1")
    story = rolled(state, 3).when(1, MoveBuff("D3"))
    assert ("march", (1,)) == question(story)
    story.when(1, MoveBuff("E3"))
    assert "E3" == memory(story)["square"]

    story = rolled(at(free(street(), "B1"), hero_1_1="", hero_1_2=""), 3).when(1, MoveBuff("A1"))
    assert 1 == story.state.cities["A1"].owner
    assert [] == story.of(BuffAttacked)


def test_buf_08_city_level_and_weapons_do_not_help_the_hero():
    state = city(table(2, (*ALONE, "armamentum")), "C1", 1, 4, "EW", "emberians")
    state = road(weapons(state, "C1"), "B1", "EW", "emberians")
    story = rolled(at(free(state, "B1"), hero_1_1="C1"), 1).when(1, MoveBuff("C1"))
    story = Story(BATTALIA, hand(story.state, 1, "lord-islanders"))
    story.when(1, FightBuff(story.state.players[1].hand))

    story.with_(FigureFought(1, "hero-1-1", "C1", KEY, {"cards": 4}, 4, 6, False), HeroDisbanded(1, "hero-1-1", "C1"))
    assert 1 == story.state.cities["C1"].owner


def test_buf_08_heroes_under_a_bribe_neither_stop_the_buff_nor_are_attacked():
    state = at(free(street(), "B1", bribes={"2": 9}), hero_2_1="C1", hero_1_1="A1")
    story = rolled(state, 2).when(1, MoveBuff("C1"))
    assert ("march", (1,)) == question(story)

    both = at(state, hero_1_1="C1")
    story = rolled(both, 2).when(1, MoveBuff("C1"))
    story.with_(BuffAttacked(1, "hero-1-1", "C1", 6))
