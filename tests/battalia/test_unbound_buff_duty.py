"""The Unbound Buff at the end of his duty, next to own heroes, and on destroyed squares (BUF-18, BUF-20)."""

from __future__ import annotations

import pytest

from domain.games.battalia.commands import Defend, Flee, Step
from domain.games.battalia.events import (
    BattleFought,
    CityDestroyed,
    HeroDisbanded,
    HeroLeft,
    QuestionAsked,
    SeatOut,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.events import BribeEnded, BuffFreed, BuffGone
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.state import Frame, changed
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat, SubsetOf
from tests.battalia.laid import at, city, hand, level, morning, night, rammoth, remembers, road, table, turn_of
from tests.battalia.raiding import ALONE, KEY, attacked, free, hired, memory, question, street, walking
from tests.story import LoadedDice, Story


def test_buf_18_after_seven_days_the_buff_is_free_with_the_horde_of_the_week():
    state = hired(street(), 1, "C1", until=17)
    assert [] == morning(night(state, 15)).of(BuffFreed)
    story = morning(night(state, 16))

    story.with_(HeroLeft(1, "buff"), BuffFreed(1, "C1", 8))
    assert ("C1", 8, 0) == (memory(story)["square"], memory(story)["horde"], memory(story)["owner"])
    assert "buff" not in story.state.heroes


def test_buf_18_a_buff_freed_at_the_end_of_a_week_has_the_new_weeks_horde():
    story = morning(night(hired(street(), 1, "C1", until=14), 13))

    story.with_(BuffFreed(1, "C1", 8))
    assert "turn" == question(story)[0]


def test_buf_18_map_09_a_buff_freed_among_heroes_does_not_attack():
    state = at(hired(street(), 1, "C1", until=8), hero_2_1="C1", hero_1_1="C1")
    story = morning(night(state, 7))

    assert memory(story)["square"] == "C1"
    assert "turn" == question(story)[0]


def test_buf_18_bribes_and_hires_end_before_the_horde_grows():
    state = hired(street(), 1, "C1", until=14)
    state = free(state, "", horde=0, owner=1, until=14, bribes={"2": 14})
    kinds = [type(event).__name__ for event in morning(night(state, 13)).events]
    first = [kinds.index(name) for name in ("DayAnnounced", "BribeEnded", "BuffFreed", "TurnBegan")]
    assert sorted(first) == first
    assert "HordeGrown" not in kinds, "BUF-05: he is free with the strength of this week"

    before = hired(street(ruleset="creation_v1"), 1, "C1", until=14)
    before = free(before, "", horde=0, owner=1, until=14)
    kinds = [type(event).__name__ for event in morning(night(before, 13)).events]
    assert kinds.index("BuffFreed") < kinds.index("HordeGrown"), "the first ruleset says it twice"


def test_end_06_a_hire_or_a_bribe_ends_when_its_player_is_out():
    state = hired(street(3), 3, "C1")
    decision = start_decision(turn_of(state, 1), LoadedDice())
    decision.happen(SeatOut(Seat(3)))
    assert [HeroLeft(3, "buff"), BuffFreed(3, "C1", 6)] == decision.events[1:]
    assert BATTALIA.rules.faults(decision.state) == []

    decision = start_decision(free(street(3), "C1", bribes={"3": 9}), LoadedDice())
    decision.happen(SeatOut(Seat(3)))
    assert BribeEnded(3) == decision.events[-1]


# -- with own heroes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tactics", "parts"),
    [((), {"cards": 6, "moral": 1}), (("buff_leads",), {"cards": 6, "unbound": 1})],
)
def test_buf_20_with_own_heroes_the_buff_leads_only_if_the_owner_chooses_so(tactics, parts):
    state = at(hired(street(), 1, "C1"), hero_1_1="C1")
    story = attacked(state, "frimen", defence=("unbound-lord", "chief-barfolk"), tactics=tactics)

    assert parts == story.of(BattleFought)[0].defence


def test_buf_20_by_default_the_buff_does_not_lead_and_alone_there_is_no_choice():
    state = at(hired(street(), 1, "C1"), hero_1_1="C1", hero_2_1="D1")
    state = hand(turn_of(state, 2), 2, "supply", "frimen")
    supply, frimen = state.players[2].hand
    story = Story(BATTALIA, state).when(2, Step("hero-2-1", "C1", (supply,), (frimen,), against=1))
    assert [["buff_leads"]] == [
        list(p.choices) for o in story.offered(1, "defend") for p in o.open if p.name == "tactics"
    ]
    assert () == BATTALIA.rules.default(story.state, Seat(1), Dice(b"")).tactics

    alone = Story(BATTALIA, at(state, hero_1_1="A1")).when(2, Step("hero-2-1", "C1", (supply,), (frimen,), against=1))
    assert [] == [p for o in alone.offered(1, "defend") for p in o.open if p.name == "tactics"]
    alone.when(1, Defend(tactics=("buff_leads",))).refused("unknown-choice")


def test_buf_20_the_tactic_is_offered_once_and_refused_twice():
    state = at(hired(street(), 1, "C1"), hero_1_1="C1", hero_2_1="D1")
    state = hand(turn_of(state, 2), 2, "supply", "frimen")
    supply, frimen = state.players[2].hand
    story = Story(BATTALIA, state).when(2, Step("hero-2-1", "C1", (supply,), (frimen,), against=1))
    (answer,) = story.offered(1, "defend")

    assert SubsetOf("tactics", ("buff_leads",), 0, 1) == answer.open[-1]
    story.when(1, Defend(tactics=("buff_leads", "buff_leads"))).refused("unknown-choice", None, "tactics")
    assert ["buff_leads"] == story.refusal.facts["allowed"]
    assert story.when(1, Defend(tactics=("buff_leads",))).of(BattleFought)


def test_buf_20_a_lost_battle_removes_the_buff_and_all_heroes_on_the_square():
    state = at(hired(street(), 1, "C1"), hero_1_1="C1")
    story = attacked(state, "lord", defence=())

    assert {"hero-1-1", "buff"} == {event.hero for event in story.of(HeroDisbanded)}
    story.with_(BuffGone("C1", "beaten"))


# -- destroyed squares ------------------------------------------------------------------------------------------------


def test_ram_14_a_hired_buff_flees_a_destroyed_city_or_is_removed():
    state = city(table(2, (*ALONE, "rammoth")), "D1", 1, 1, "ESW")
    state = hired(at(rammoth(state, "D5")), 1, "D1")
    around = road(state, "D2", "NS", "emberians")
    story = morning(night(around, 8), 3, 1, 6, 1)
    assert "D2" == story.state.heroes["buff"].square, "the only way is taken unasked"
    story = morning(night(road(around, "C1", "EW", "emberians"), 8), 3, 1, 6, 1)
    assert ("flee", (1,)) == question(story)
    story.when(1, Flee("D2"))
    assert "D2" == story.state.heroes["buff"].square

    story = morning(night(state, 8), 3, 1, 6, 1)
    story.with_(CityDestroyed("D1", story.of(CityDestroyed)[0].card, 1), BuffGone("D1", "beaten"))


def test_ram_14_a_destroyed_city_removes_the_free_buff_and_heroes_avoid_him():
    state = city(table(2, (*ALONE, "rammoth")), "D1", 1, 1, "ESW")
    story = morning(night(free(rammoth(state, "D5"), "D1"), 8), 3, 1, 6, 1)
    story.with_(BuffGone("D1", "city"))
    assert "" == memory(story)["square"]

    state = road(at(state, hero_1_1="D1"), "D2", "NS", "emberians")
    story = morning(night(free(rammoth(state, "D5"), "D2", bribes={"1": 15}), 8), 3, 1, 6, 1)
    story.with_(HeroDisbanded(1, "hero-1-1", "D1", story.of(HeroDisbanded)[0].answers))


def test_map_07_a_destroyed_level_0_city_removes_a_bribed_free_buff():
    state = level(city(street(), "E1", 2, 1, "ESW", "emberians"), "E1", 0)
    state = free(at(state, hero_1_1="D1"), "E1", bribes={"1": 15})
    state = hand(hand(turn_of(state, 1), 1, "supply", "lord"), 2)
    supply, lord = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "E1", (supply,), (lord,), against=2)).when(2, Defend())

    assert story.of(CityDestroyed)
    story.with_(BuffGone("E1", "city"))


def test_set_07_unbound_units_are_in_the_piles_by_default_with_this_module():
    assert 8 == len(table(2, ALONE).piles["unbound"])
    assert "unbound" not in table(2, ALONE, unbound_units=False).piles


def test_buf_questions_come_from_the_module():
    state = at(free(street(), "B1"), hero_1_1="A1")
    asked = walking(state).of(QuestionAsked)
    assert [("attacked", KEY)] == [(event.kind, event.npc) for event in asked]


@pytest.mark.parametrize(
    "wrong",
    [
        {"square": "C9"},
        {"square": "B1", "horde": 0},
        {"horde": 6},
        {"owner": 2},
        {"owner": "2"},
        {"bribes": {"7": 9}},
        {"bribes": {"1": "soon"}},
        {"bets": {"1": ["lord-nobody-1"]}},
        {"bets": {"1": 4}},
        {"open": {"2": ["supply-1"]}},
        {"left": -1},
        {"trail": [1]},
        {"more": 1},
    ],
    ids=str,
)
def test_buf_an_invalid_memory_is_a_fault(wrong):
    assert [] == BATTALIA.rules.faults(street())
    assert BATTALIA.rules.faults(remembers(street(), KEY, **wrong))


@pytest.mark.parametrize("kind", ["bet", "entrance", "stir", "march", "victim", "attacked", "nonsense"])
def test_buf_an_unexpected_question_is_a_fault(kind):
    state = free(street(), "B1") if kind == "bet" else street()
    asked = (*state.asking, Frame(kind, state.serial + 1, (Seat(1),), "BUF-00", {}, KEY))
    assert [f"the Unbound Buff asks {kind} out of place"] == BATTALIA.rules.faults(
        changed(state, asking=asked, serial=state.serial + 1)
    )
