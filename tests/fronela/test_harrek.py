"""Harrek the Berserk on his way to Sog City."""

from __future__ import annotations

from dataclasses import replace

from domain.games.fronela.commands import Done, Fight, March
from domain.games.fronela.episodes.harrek import Ride
from domain.games.fronela.events import (
    BattleRolled,
    OrderChanged,
    PersonMoved,
    PersonPlaced,
    TurnBegun,
    UnitsLost,
)
from domain.games.fronela.state import Person
from tests.fronela.story import BLACK, BROWN, GREY, History


def harrek(units, *, at="rathorela", before="", order=("harrek",)):
    """Harrek's turn, with Harrek in an area."""
    story = History("harrek", units, round=17, order=order)
    story.state = replace(story.state, persons={"harrek": Person(at, before)})
    return story.begin()


def test_fro_d43_harrek_moves_one_or_two_areas_nearer_to_sog_city():
    story = harrek({"zoria": {"owl_people": 1}})
    assert ("harrek_ride", BROWN) == story.asked
    story.refuses(Ride("zoria", ""), "not-nearer", "FRO-D43")
    story.refuses(Ride("tarins", ""), "not-nearer", "FRO-D43")
    assert story.offers(Ride("tastolar", ""))
    story.say(Ride("tarins", "tastolar"))
    assert [PersonMoved("harrek", "rathorela", "tarins", "tastolar")] == story.so_far(PersonMoved)


def test_fro_d43_harrek_attacks_all_but_bears_and_defenders_may_leave_first():
    story = harrek({"tastolar": {"trolls": 2}}).say(Ride("tastolar", "")).say(Fight("tastolar", "trolls"))
    assert ("special_retreat", GREY) == story.asked
    story.say(Done(), 5, 5, 1, 1, 1, 1)
    (rolled,) = story.so_far(BattleRolled)
    assert [(5, 0, 5), (5, 0, 5)] == [(die.face, die.modifier, die.result) for die in rolled.attack[:2]]
    assert {} == story.there("tastolar", "trolls")
    assert [] == list(story.state.ledger)

    bears = harrek({"tastolar": {"bear_people": 2}}).say(Ride("tastolar", ""))
    assert ("round", 0) == bears.asked


def test_fro_d43_two_hits_in_one_round_drive_harrek_back_and_one_does_nothing():
    story = (
        harrek({"tarins": {"trolls": 3}}).say(Ride("tarins", "tastolar")).fight("tarins", "trolls", 1, 1, 1, 1, 5, 1, 1)
    )
    assert "tarins" == story.state.persons["harrek"].area
    assert ("retreat", GREY) == story.asked
    story.say(Done())
    assert ("battle", BROWN) == story.asked
    story.fight("tarins", "trolls", 1, 1, 1, 1, 5, 5, 1)
    assert "tastolar" == story.state.persons["harrek"].area
    assert ("round", 0) == story.asked


def test_fro_d43_harrek_blocks_no_movement():
    units = {"tarins": {"black_malkioni": {"soldier": 1, "lord": 1}}}
    story = History("black_malkioni", units, round=17, order=("black_malkioni",), persons={"harrek": "akem"}).begin(1)
    story.say(March("tarins", "soldier", "akem", 1))
    label = story.labels("akem", "black_malkioni")[0]
    story.say(March("akem", label, "tawars", 1)).say(Done())
    assert {"soldier": 1} == story.there("tawars", "black_malkioni")


def test_fro_d43_no_nation_attacks_harrek():
    units = {"tarins": {"black_malkioni": {"soldier": 1, "lord": 1}}}
    story = History("black_malkioni", units, round=17, order=("black_malkioni",), persons={"harrek": "akem"}).begin(1)
    story.say(March("tarins", "soldier", "akem", 1)).say(Done())
    assert {"soldier": 1} == story.there("akem", "black_malkioni")
    assert [] == story.so_far(BattleRolled)
    assert ("harrek_ride", BROWN) == story.asked, "he moves after every turn"


def test_fro_d44_harrek_alone_in_sog_city_scores_and_brown_malkioni_play_next():
    order = ("harrek", "grey_malkioni", "harrek", "brown_malkioni")
    units = {"perfe": {"grey_malkioni": {"farmer": 1}}, "samita": {"brown_malkioni": {"soldier": 1, "lord": 1}}}
    story = harrek(units, at="tarins", order=order).say(Ride("sog_city", ""), 1)

    assert 8 == story.points("brown_malkioni")
    assert ("harrek", "brown_malkioni", "grey_malkioni") == story.state.order
    assert ("move", BROWN) == story.asked
    assert story.state.persons["harrek"].gone
    story.say(Done(), 1)
    assert ("round", 0) == story.asked


def test_fro_d44_brown_malkioni_who_have_played_do_not_play_again():
    order = ("brown_malkioni", "harrek", "grey_malkioni")
    story = History("harrek", {"perfe": {"grey_malkioni": {"lord": 1}}}, round=17, order=order)
    story.state = replace(story.state, persons={"harrek": Person("tarins", "")})
    story.begin().say(Ride("sog_city", ""), 1)
    assert ("brown_malkioni", "harrek", "grey_malkioni") == story.state.order
    assert ("move", GREY) == story.asked


def test_fro_e15_harrek_acts_after_the_bears_after_slot_five_and_after_every_turn():
    units = {
        "erigia": {"owl_people": 1},
        "zoria": {"bear_people": 1},
        "tarins": {"trolls": 3},
        "oral_ta": {"trolls": 1},
    }
    order = ("bear_people", "black_malkioni", "harrek", "grotaron", "owl_people", "trolls", "brown_malkioni")
    units["samita"] = {"brown_malkioni": {"soldier": 1, "lord": 1}}
    story = History("bear_people", units, round=17, order=order).begin(1)
    assert PersonPlaced("harrek", "rathorela") in story.log
    story.say(Done())
    assert ("harrek_ride", BROWN) == story.asked
    story.say(Ride("tastolar", ""))
    assert ("harrek_ride", BROWN) == story.asked, "slot five is played by nobody"
    story.say(Ride("tarins", "")).fight("tarins", "trolls", 1, 1, 1, 1, 6, 6, 1, 1)
    assert ("move", BLACK) == story.asked, "the Grotaron have no turn and bring none"
    story.say(Done())
    assert ("harrek_ride", BROWN) == story.asked
    played = [turn.nation for turn in story.so_far(TurnBegun)]
    assert ["bear_people", "harrek", "harrek", "owl_people", "harrek"] == played
    story.say(Ride("sog_city", "tarins"), 1)
    assert "brown_malkioni" == story.state.turn
    assert ("trolls",) == story.state.order[story.state.place + 1 :]
    assert 1 == sum(isinstance(event, OrderChanged) for event in story.events)
    assert [] == [lost for lost in story.so_far(UnitsLost) if lost.by == "harrek"]
