"""Leaving a battle: FRO-11, FRO-16 to FRO-18 and the rulings on them."""

from __future__ import annotations

from domain.games.fronela.commands import Auto, Done, Fight, March, Retreat, Take
from domain.games.fronela.events import UnitsLost, UnitsRetreated
from domain.games.fronela.game import FRONELA
from tests.fronela.story import BLACK, BROWN, GREY, History


def attack(area, defender, kinds, *, soldiers=2, at="tarins", others=None, rolls=1, **fields):
    units = {at: {"black_malkioni": {"soldier": soldiers, "lord": 1}}, area: {defender: kinds}, **(others or {})}
    story = History("black_malkioni", units, **fields).begin(*[1] * rolls)
    return story.say(March(at, "soldier", area, soldiers)).say(Done())


def test_fro_11_beasts_may_leave_before_battle_from_rough_and_totem_areas():
    story = attack("tastolar", "reindeer_people", 2).say(Fight("tastolar", "reindeer_people"))
    assert ("special_retreat", GREY) == story.asked
    story.say(Retreat("unit", "easval", 1)).say(Done(), 6, 6, 1)
    assert {"unit": 1} == story.there("easval", "reindeer_people")
    assert ["special"] == [left.why for left in story.so_far(UnitsRetreated)]

    totem = attack("akem", "bull_people", 1).say(Fight("akem", "bull_people"))
    assert "special_retreat" == totem.asked[0]
    open_ = attack("akem", "reindeer_people", 1).say(Fight("akem", "reindeer_people"), 1, 1, 1)
    assert [] == open_.so_far(UnitsRetreated)


def test_fro_16_after_each_round_either_side_may_leave():
    story = attack("akem", "grey_malkioni", {"soldier": 2}).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert ("retreat", GREY) == story.asked
    story.say(Retreat("soldier", "tawars", 1)).say(Done())
    assert ("battle", BLACK) == story.asked
    story.say(Retreat("soldier<tarins", "tarins", 1)).say(Fight("akem", "grey_malkioni"), 1, 1)
    story.say(Retreat("soldier", "dilis_swamp", 1))

    assert {"soldier": 1} == story.there("akem", "black_malkioni")
    assert {"soldier": 1} == story.there("tawars", "grey_malkioni")
    assert {"soldier": 1} == story.there("dilis_swamp", "grey_malkioni")


def test_fro_16_retreat_before_the_first_round_or_of_too_many_units_is_refused():
    story = attack("akem", "grey_malkioni", {"soldier": 2})
    story.refuses(Retreat("soldier<tarins", "tarins", 1), "no-refuge", "FRO-16")
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    story.refuses(Retreat("soldier", "tawars", 3), "no-such-units", "FRO-16", most=2, asked=3)


def test_fro_17_attackers_go_back_where_they_came_from():
    story = attack("akem", "grey_malkioni", {"soldier": 2}).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    story.say(Done())
    story.refuses(Retreat("soldier<tarins", "tawars", 1), "no-refuge", "FRO-17", came="tarins")
    assert "to" == story.violation(Retreat("soldier<tarins", "tawars", 1)).field
    story.say(Retreat("soldier<tarins", "tarins", 2))
    assert {"soldier": 2, "lord": 1} == story.there("tarins", "black_malkioni")


def test_fro_18_defenders_retreat_to_empty_or_own_areas_even_in_battle():
    units = {
        "tarins": {"black_malkioni": {"soldier": 4, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 1}},
        "arnstor": {"grey_malkioni": {"soldier": 1}},
        "tawars": {"bull_people": 1},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "soldier", "arnstor", 2)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1)

    story.refuses(Retreat("soldier", "tawars", 1), "no-refuge", "FRO-18")
    story.say(Retreat("soldier", "arnstor", 1))
    assert {"soldier": 2} == story.there("arnstor", "grey_malkioni")
    assert ("battle", BLACK) == story.asked


def test_fro_d15_the_defender_decides_first():
    story = attack("akem", "grey_malkioni", {"soldier": 2}).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert "retreat" == story.asked[0]
    assert "battle" == story.say(Done()).asked[0]


def test_fro_d16_retreat_to_an_origin_taken_by_the_enemy_is_refused():
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2, "wizard": 2}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "lord", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni")).say(Done(), 1, 1, 1, 1)
    story.say(Retreat("soldier", "tarins", 1)).say(Done())
    assert ("battle", BLACK) == story.asked
    story.refuses(Retreat("soldier<tarins", "tarins", 1), "no-refuge", "FRO-16")
    story.say(Fight("akem", "grey_malkioni")).say(Done(), 1, 1, 6).say(Take("soldier<tarins", 1))

    assert ["battle", "no-retreat", "no-retreat"] == [lost.why for lost in story.so_far(UnitsLost)]
    assert {} == story.there("akem", "black_malkioni")
    assert 0 == story.points("grey_malkioni")


def test_fro_d16_units_fighting_where_they_arrived_retreat_like_defenders():
    story = History("black_barbarians", {"kartolin_pass": {"wolf_people": 2}}, round=7).begin().say(Done())
    story.fight("kartolin_pass", "wolf_people", 1, 1, 1, 1, 1, 1)
    while story.asked[0] == "retreat":
        story.say(Done())

    story.say(Retreat("unit", "charg", 1)).say(Retreat("unit", "stomble", 1))
    assert {"unit": 1} == story.there("charg", "black_barbarians")


def test_fro_d17_defending_farmers_join_own_units_or_stay():
    units = {"akem": {"grey_malkioni": {"soldier": 1, "farmer": 1}}, "tawars": {"grey_malkioni": {"farmer": 1}}}
    story = attack("akem", "grey_malkioni", {"soldier": 1, "farmer": 1}, others={"tawars": units["tawars"]})
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1)

    story.refuses(Retreat("farmer", "dilis_swamp", 1), "no-refuge", "FRO-D17", areas=["tawars"])
    story.say(Retreat("farmer", "tawars", 1))
    assert {"farmer": 2} == story.there("tawars", "grey_malkioni")


def test_fro_d35_defenders_may_split_and_farmers_need_units_that_were_there_before():
    story = attack(
        "akem",
        "grey_malkioni",
        {"soldier": 1, "farmer": 1},
        at="dilis_swamp",
        others={
            "tarins": {"skunk_people": 1},
        },
    )
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1)
    story.say(Retreat("soldier", "tawars", 1))
    assert {"soldier": 2, "farmer": 1} == story.there("akem", "black_malkioni")

    back = attack("akem", "grey_malkioni", {"soldier": 2}, soldiers=1, at="dilis_swamp")
    back.say(Fight("akem", "grey_malkioni"), 1, 1, 1)
    back.refuses(Retreat("soldier", "dilis_swamp", 1), "no-refuge", "FRO-18")
    back.refuses(Retreat("soldier", "oranor", 1), "no-refuge", "FRO-18")
    back.say(Retreat("soldier", "sog_city", 1)).say(Retreat("soldier", "tarins", 1))


def test_fro_d35_defenders_may_retreat_to_the_attackers_origin_but_not_to_sea():
    story = attack("sog_city", "grey_malkioni", {"soldier": 1}, others={}, at="mintol_vale")
    story.say(Fight("sog_city", "grey_malkioni"), 1, 1, 1)
    story.refuses(Retreat("soldier", "neliomi_sea", 1), "no-refuge", "FRO-18")
    units = {"tarins": {"black_barbarians": 2}, "akem": {"grey_malkioni": {"soldier": 1}}}
    empty = History("black_barbarians", units, round=9).begin(1).say(March("tarins", "unit", "akem", 2)).say(Done())
    empty.say(Fight("akem", "grey_malkioni"), 1, 1, 1).say(Retreat("soldier", "tarins", 1))
    assert {"soldier": 1} == empty.there("tarins", "grey_malkioni")


def test_fro_d35_auto_retreats_if_outnumbered_next_to_own_units_and_else_stays():
    story = attack("akem", "grey_malkioni", {"soldier": 2}).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert [] == story.say(Auto()).so_far(UnitsRetreated), "as many dice are enough"

    others = {"tawars": {"grey_malkioni": {"soldier": 1}}}
    story = attack("akem", "grey_malkioni", {"soldier": 2, "farmer": 1}, soldiers=3, others=others)
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
    story.say(Auto())
    left = [(gone.kind, gone.count, gone.to, gone.why) for gone in story.so_far(UnitsRetreated)]
    assert [("soldier", 2, "tawars", "chosen"), ("farmer", 1, "tawars", "chosen")] == left


def test_fro_d42_gonn_orta_may_leave_for_any_open_area_once_a_round_was_fought():
    story = attack("western_nida", "gonn_orta", 1, at="tawars").say(Fight("western_nida", "gonn_orta"))
    story.refuses(Retreat("unit", "golaros", 1), "no-refuge", "FRO-18", areas=["nidan_mountains"])
    story.say(Done(), 1, 1, 1, 1)
    assert "retreat" == story.asked[0]
    (option,) = [option for option in FRONELA.rules.legal(story.state, story.asked[1]) if option.type == "retreat"]
    assert "golaros" in option.open[0].choices
    story.say(Retreat("unit", "golaros", 1))
    assert ["chosen"] == [left.why for left in story.so_far(UnitsRetreated)]


def test_fro_d36_a_unit_retreats_once_in_a_combat_phase():
    units = {
        "tarins": {"black_malkioni": {"soldier": 4, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 1}},
        "arnstor": {"grey_malkioni": {"soldier": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "soldier", "arnstor", 2)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1).say(Retreat("soldier", "arnstor", 1))
    story.say(Fight("arnstor", "grey_malkioni"), 1, 1, 1, 1)

    assert ["soldier", "soldier!"] == story.labels("arnstor", "grey_malkioni")
    story.refuses(Retreat("soldier!", "akem", 1), "no-refuge", "FRO-D36")
    story.say(Retreat("soldier", "perfe", 1))
    assert ("battle", BLACK) == story.asked


def test_fro_d36_unit_that_would_have_to_retreat_twice_is_lost():
    units = {
        "kartolin_pass": {"grey_malkioni": {"soldier": 1, "wizard": 4}},
        "stomble": {"bear_people": 1},
    }
    story = History("black_barbarians", units, round=7).begin()
    story.say(March("kartolin_pass", "unit", "stomble", 2)).say(Done())
    story.fight("stomble", "bear_people", 1, 1, 1)
    if story.asked[0] == "retreat":
        story.say(Done())
    story.say(Retreat("unit<kartolin_pass", "kartolin_pass", 2))
    story.say(Fight("kartolin_pass", "grey_malkioni")).say(Done(), 1, 1, 1, 1, 1)

    assert [("unit", 2, "no-retreat")] == [(lost.kind, lost.count, lost.why) for lost in story.so_far(UnitsLost)]
    assert ("rout", BLACK) == story.asked
    story.refuses(Retreat("unit", "stomble", 1), "no-refuge", "FRO-18")
    story.refuses(Done(), "not-now", "FRO-D05", asked="rout")
    story.say(Retreat("unit", "charg", 1)).say(Auto())
    assert {} == story.there("kartolin_pass", "black_barbarians")


def test_fro_d42_special_retreat_is_once_and_gonn_orta_needs_an_empty_mountain():
    story = attack("western_nida", "gonn_orta", 1, at="tawars").say(Fight("western_nida", "gonn_orta"))
    assert ("special_retreat", BLACK) == story.asked
    story.refuses(Retreat("unit", "golaros", 1), "no-refuge", "FRO-18")
    story.say(Retreat("unit", "nidan_mountains", 1))
    assert {"unit": 1} == story.there("nidan_mountains", "gonn_orta")

    shut = attack("western_nida", "gonn_orta", 1, at="tawars", others={"nidan_mountains": {"mostali": 1}})
    shut.say(Fight("western_nida", "gonn_orta"), 1, 1, 1, 1)
    twice = attack("tastolar", "bear_people", 1).say(Fight("tastolar", "bear_people"))
    assert ("special_retreat", BROWN) == twice.asked
    twice.say(Done(), 1, 1, 1).say(Done()).say(Fight("tastolar", "bear_people"), 1, 1, 1)
    assert "retreat" == twice.asked[0]


def test_fro_d42_all_units_may_leave_and_the_area_is_taken_without_a_roll():
    story = attack("tastolar", "reindeer_people", 2).say(Fight("tastolar", "reindeer_people"))
    story.say(Retreat("unit", "easval", 2))

    assert ("round", 0) == story.asked
    assert {"soldier": 2} == story.there("tastolar", "black_malkioni")


def test_fro_e11_farmers_retreat_to_own_units_only():
    others = {"tawars": {"grey_malkioni": {"soldier": 1}}}
    story = attack("akem", "grey_malkioni", {"soldier": 1, "farmer": 1}, others=others)
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1)

    story.refuses(Retreat("farmer", "dilis_swamp", 1), "no-refuge", "FRO-D17")
    story.say(Retreat("farmer", "tawars", 1))
