"""Corners of the rules that few games reach."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela.bots.odds import win
from domain.games.fronela.commands import Done, Fight, March, Place, Retreat
from domain.games.fronela.episode_api.decision import FronelaQuestionKind
from domain.games.fronela.episode_api.socket import Fighter
from domain.games.fronela.episodes.god_learners import Land
from domain.games.fronela.events import (
    Asked,
    BattleRolled,
    FarmersTaken,
    GrowthRolled,
    PersonMoved,
    TokenGiven,
    TokenTaken,
    UnitsLost,
    UnitsPlaced,
    UnitsRetreated,
)
from domain.games.fronela.evolve.evolve import evolve
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import Group, Person
from domain.kernel.dice import ScriptedDice
from tests.fronela.story import BLACK, BROWN, GREY, History

DAWN = {"hrestol": "sog_city", "blinding_eye": "golaros"}


def joined(story, area, nation, **kinds):
    """Add a third nation to the area, which only a position from outside can have (FRO-D13)."""
    state = story.state
    here = {**state.board[area], nation: tuple(Group(kind, number) for kind, number in kinds.items())}
    left = {kind: number - kinds.get(kind, 0) for kind, number in state.pool[nation].items()}
    story.state = replace(state, board={**state.board, area: here}, pool={**state.pool, nation: left})
    assert [] == list(FRONELA.rules.faults(story.state))
    return story


# -- growth and arrivals ----------------------------------------------------------------------------------------------


def test_fro_d49_a_nation_that_only_arrives_in_its_turn_does_not_move_hrestol():
    story = History("black_malkioni", {}, round=1, persons=DAWN).begin()
    assert [] == [asked for asked in story.so_far(Asked) if asked.kind == "hrestol"]
    assert [UnitsPlaced("black_malkioni", "tarins", {"farmer": 2}, "arrival")] == story.so_far(UnitsPlaced)
    standing = History("black_malkioni", {"akem": {"black_malkioni": {"soldier": 1}}}, round=1, persons=DAWN).begin()
    assert ("hrestol", BLACK) == standing.asked


def test_fro_d20_beast_people_gain_no_unit_without_a_counter():
    beasts = {"tawars": {"bull_people": 4}, "akem": {"bull_people": 3}, "golaros": {"bull_people": 1}}
    few = History("bull_people", {**beasts, "golaros": {}}, round=4).begin(1, 1)
    assert ("eleven_beasts", BLACK) == few.asked
    assert {"unit": 5} == few.say(Place("tawars")).there("tawars", "bull_people")

    full = History("bull_people", {**beasts, "golaros": {"bull_people": 2}}, round=4).begin()
    assert [] == full.so_far(GrowthRolled) == full.so_far(UnitsPlaced)
    assert ("move", BLACK) == full.asked


def test_fro_d20_no_unit_is_gained_if_counters_run_out_before_the_answer():
    units = {"tawars": {"bull_people": 4}, "akem": {"bull_people": 3}}
    story = History("bull_people", units, round=4).begin(1, 1)
    pool = {**story.state.pool, "bull_people": {"unit": 0}}
    board = {**story.state.board, "golaros": {"bull_people": (Group("unit", 2),)}}
    story.state = replace(story.state, board=board, pool=pool)
    story.say(Place("tawars"))
    assert [] == story.so_far(UnitsPlaced)
    assert {"unit": 4} == story.there("tawars", "bull_people")


def test_fro_d48_fleet_without_fighters_lands_only_in_an_empty_area():
    inland = {area: {"grey_malkioni": {"soldier": 5, "lord": 1}} for area in ("perfe", "junora")}
    units = {**inland, "mintol_vale": {"azure_malkioni": {"farmer": 1}}}
    story = History("grey_malkioni", units, round=8).begin(1, 1).say(Done())
    assert {"lord": 2, "wizard": 2} == story.there("neliomi_sea", "grey_malkioni")
    assert ("landing", GREY) == story.asked
    story.refuses(Land("mintol_vale"), "not-adjacent", "FRO-D48")
    story.say(Land("northpoint"))
    assert {"lord": 2, "wizard": 2} == story.there("northpoint", "grey_malkioni")


# -- battles ----------------------------------------------------------------------------------------------------------


def test_fro_d06_without_a_counter_left_all_farmers_return_to_their_pool():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1, "lord": 1, "farmer": 4}},
        "arnstor": {"black_malkioni": {"farmer": 4}},
        "easval": {"black_malkioni": {"farmer": 4}},
        "akem": {"grey_malkioni": {"farmer": 2}},
    }
    story = History("black_malkioni", units).begin(1, 1, 1).say(Done())
    story.say(March("tarins", "soldier", "akem", 1)).say(Done())
    assert [FarmersTaken("grey_malkioni", "akem", 2, "black_malkioni", 0)] == story.so_far(FarmersTaken)
    assert {"soldier": 1} == story.there("akem", "black_malkioni")
    assert (0, 12) == tuple(story.state.pool[nation]["farmer"] for nation in ("black_malkioni", "grey_malkioni"))


def test_fro_16_attackers_cannot_leave_before_the_first_roll_when_one_foe_left():
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1}}, "tastolar": {"reindeer_people": 1}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "tastolar", 2))
    joined(story, "tastolar", "grey_malkioni", soldier=1).say(Done())
    story.say(Fight("tastolar", "reindeer_people")).say(Retreat("unit", "easval", 1))
    assert [] == story.so_far(BattleRolled)
    assert ("battle", BLACK) == story.asked
    story.refuses(Retreat("soldier<tarins", "tarins", 1), "no-refuge", "FRO-16")
    story.say(Fight("tastolar", "grey_malkioni"), 1, 1, 1)
    story.say(Done()).say(Retreat("soldier<tarins", "tarins", 1))


def test_fro_d07_forced_retreat_from_two_foes_is_asked_once():
    units = {"akem": {"black_malkioni": {"lord": 1}}}
    story = History("black_malkioni", units).begin(1)
    joined(story, "akem", "grey_malkioni", lord=1)
    joined(story, "akem", "azure_malkioni", lord=1).say(Done())
    assert ("rout", BLACK) == story.asked
    dice = ScriptedDice(bytes(32), script=())
    state, told = story.state, FRONELA.rules.decide(story.state, BLACK, Retreat("lord", "tarins", 1), dice)
    for event in told:
        state = evolve(state, event)
    assert [UnitsRetreated("black_malkioni", "akem", "lord", 1, "", "tarins", "forced")] == [
        event for event in told if isinstance(event, UnitsRetreated)
    ]
    assert "round" == state.asking.kind


def test_fro_12_win_chance_is_zero_if_neither_side_can_hit():
    assert 0.0 == win(2, 2, 7, 7)
    assert pytest.approx(1.0) == win(2, 2, 6, 7)


# -- persons and honors -----------------------------------------------------------------------------------------------


def test_fro_d44_harrek_in_sog_city_stays_and_fights():
    story = History("harrek", {"sog_city": {"grey_malkioni": {"soldier": 1}}}, round=17)
    story.state = replace(story.state, persons={"harrek": Person("sog_city", "tarins")})
    story.begin()
    assert ("battle", BROWN) == story.asked
    assert [] == story.so_far(PersonMoved)
    assert story.offers(Fight("sog_city", "grey_malkioni"))


def test_fro_d24_token_of_talor_needs_a_faction_with_units():
    units = {"tawars": {"bull_people": 1}}
    story = History("bull_people", units, round=4).begin(1).say(Done()).system()
    assert 5 == story.state.round
    assert [] == story.so_far(TokenGiven)
    late = History("bull_people", units, round=5).begin(1).say(Done()).system()
    assert 6 == late.state.round
    assert [] == late.so_far(TokenTaken)


# -- positions and events from outside --------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "number"), [("soldier", 3), ("lord", 1)])
def test_event_that_takes_missing_units_is_an_error(kind, number):
    state = History("black_malkioni", {"akem": {"black_malkioni": {"soldier": 2}}}).state
    lost = UnitsLost("black_malkioni", "akem", kind, number, "", False, "", "battle")
    with pytest.raises(ValueError, match="black_malkioni has no such units in akem"):
        evolve(state, lost)


def test_incomplete_question_kind_or_fighter_cannot_be_instantiated():
    for socket in (FronelaQuestionKind, Fighter):
        with pytest.raises(TypeError, match="abstract"):
            type("Half", (socket,), {})()
