"""Passing over nations for which nothing must be done: FRO-D59."""

from __future__ import annotations

import pytest

from domain.games.fronela.commands import Done, March, PassNations
from domain.games.fronela.events import GrowthRolled, TurnBegun, UnitsLost
from domain.games.fronela.state import Orders
from tests.fronela.asked import QUESTIONS_PUT, V2, V3
from tests.fronela.story import AZURE, BLACK, BROWN, GREY, History

AT_HOME = {"tawars": {"bull_people": 1}, "maidstone_mountains": {"grotaron": 1}, "golaros": {"badger_people": 1}}
ORDER = ("bull_people", "grotaron", "badger_people")


def turns(story):
    return [begun.nation for begun in story.of(TurnBegun)]


@pytest.mark.parametrize("key", [V2, V3])
def test_fro_d59_pass_ends_turns_of_own_next_nations_up_to_another_player(key):
    story = History("bull_people", AT_HOME, key, order=ORDER).begin(1)
    story.say(PassNations(), 1, 1)

    assert ["grotaron", "badger_people"] == turns(story)
    assert ("move", AZURE) == story.asked
    assert ["grotaron", "badger_people"] == [roll.nation for roll in story.of(GrowthRolled)]


def test_fro_d59_pass_asks_no_question_and_stops_at_the_end_of_the_round():
    story = History("bull_people", AT_HOME, V3, order=ORDER[:2]).begin(1).say(PassNations(), 1)
    assert ("round", 0) == story.asked


def test_fro_d59_pass_stops_at_a_growth_choice():
    units = {"tawars": {"bull_people": 1}, "akem": {"black_malkioni": {"farmer": 2, "lord": 1}}}
    order = ("bull_people", "black_malkioni")
    story = History("bull_people", units, V3, order=order).begin(1).say(PassNations(), 3)
    assert ("growth", BLACK) == story.asked
    refused = story.refuses(PassNations(), "must-act", "FRO-D59", asked="growth", nation="black_malkioni")
    assert ("growth", BLACK) == refused.asked


def test_fro_d59_pass_stops_before_a_nation_that_must_fight():
    """The next nation's new units arrive among others; the player may send help first."""
    units = {"tawars": {"bull_people": 1}, "dilis_swamp": {"bobcat_people": 1}}
    story = History("bull_people", units, V3, order=("bull_people", "skunk_people"), round=3).begin(1)
    story.say(PassNations())
    assert {"unit": 3} == story.there("dilis_swamp", "skunk_people")
    assert ["skunk_people"] == turns(story)
    assert ("move", BLACK) == story.asked
    story.refuses(PassNations(), "must-act", "FRO-D59")


def test_fro_d59_pass_stops_if_units_that_can_move_would_be_lost():
    units = {"tarins": {"black_malkioni": {"soldier": 1, "lord": 2}}}
    story = History("black_malkioni", units, V3).begin(1)
    story.refuses(PassNations(), "must-act", "FRO-D59")
    story.say(March("tarins", "lord", "akem", 1)).say(PassNations())
    assert ("round", 0) == story.asked

    stuck = {"tawars": {"bull_people": 1}, "western_nida": {"black_malkioni": {"soldier": 1}}}
    after = History("bull_people", stuck, V3, order=("bull_people", "black_malkioni")).begin(1).say(PassNations())
    assert ["overpopulation"] == [lost.why for lost in after.of(UnitsLost)], "nobody there can move"


def test_fro_d59_pass_is_refused_while_a_fight_is_pending():
    units = {"tawars": {"bull_people": 2}, "akem": {"grey_malkioni": {"soldier": 1}}}
    story = History("bull_people", units, V3).begin(1).say(March("tawars", "unit", "akem", 2))
    story.refuses(PassNations(), "must-act", "FRO-D59", asked="move")
    assert story.offers(Done())


def test_fro_d59_pass_leaves_hrestol_where_he_is():
    story = QUESTIONS_PUT["hrestol"]()
    story.say(PassNations(), 1)
    assert ("round", 0) == story.asked
    assert "sog_city" == story.state.persons["hrestol"].area


@pytest.mark.parametrize("kind", sorted(QUESTIONS_PUT.keys() - {"move", "hrestol"}))
def test_fro_d59_pass_is_refused_for_every_other_question(kind):
    QUESTIONS_PUT[kind]().refuses(PassNations(), "must-act", "FRO-D59", asked=kind)


def test_fro_d59_only_the_player_with_the_question_can_pass():
    story = History("bull_people", AT_HOME, V3, order=ORDER).begin(1)
    for seat in (GREY, AZURE, BROWN):
        story.refuses(PassNations(), "not-your-turn", None, seat)


def test_fro_d59_pass_stops_at_a_question_to_another_player():
    """The owner's orders answer in between, so the first question to another player is the next move."""
    units = {**AT_HOME, "tastolar": {"reindeer_people": 1}}
    story = History(
        "bull_people", units, V3, order=(*ORDER[:2], "reindeer_people"), orders={"grotaron": Orders("hold")}
    )
    story.begin(1).say(PassNations(), 1, 1)
    assert ("move", GREY) == story.asked
