"""The move phase: FRO-07 to FRO-09 and the rulings on it."""

from __future__ import annotations

import pytest

from domain.games.fronela.commands import Done, March
from domain.games.fronela.events import UnitsMarched
from tests.fronela.story import BLACK, History


def soldiers(number, **more):
    return {"black_malkioni": {"soldier": number, "lord": 1, **more}}


def test_fro_07_units_stop_where_another_nation_is():
    units = {"tarins": soldiers(2), "akem": {"skunk_people": 2}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 2))

    assert ["soldier<tarins"] == story.labels("akem", "black_malkioni")
    story.refuses(March("akem", "soldier<tarins", "tawars", 1), "cannot-move", "FRO-08", needed=3, there=2, missing=1)


def test_fro_07_step_needs_an_adjacent_area_and_existing_units():
    story = History("black_malkioni", {"tarins": soldiers(2)}).begin(1)

    near = list(story.state.tables.areas["tarins"].adjacent)
    assert {"akem", "sog_city"} < set(near)
    story.refuses(March("tarins", "soldier", "junora", 1), "not-adjacent", "FRO-07", areas=near)
    story.refuses(March("tarins", "soldier", "atlantis", 1), "not-adjacent", "FRO-D39", areas=near)
    story.refuses(March("tarins", "soldier", "akem", 3), "no-such-units", "FRO-07", least=1, most=2, asked=3)
    wizard, missing = March("tarins", "wizard", "akem", 1), {"there": 0, "asked": 1}
    story.refuses(wizard, "no-such-units", "FRO-07", units=["soldier", "lord"], **missing)
    for area in ("akem", "atlantis"):
        story.refuses(March(area, "soldier", "tarins", 1), "no-such-units", "FRO-07", areas=["tarins"], **missing)


@pytest.mark.parametrize("number", [0, -1])
def test_fro_07_step_needs_at_least_one_unit(number):
    story = History("black_malkioni", {"tarins": soldiers(2)}).begin(1)

    said = story.violation(March("tarins", "soldier", "akem", number))
    assert ("no-such-units", "FRO-07", "count") == (said.code, said.rule, said.field)
    assert {"least": 1, "most": 2, "asked": number} == said.facts
    assert "At least 1 unit has to be named." == said.message


def test_fro_08_surplus_units_overrun():
    units = {"tarins": soldiers(5), "akem": {"skunk_people": 2}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 5))

    assert 3 == story.so_far(UnitsMarched)[0].halted
    passing = story.labels("akem", "black_malkioni")[1]
    story.say(March("akem", passing, "tawars", 2))
    assert {"soldier": 3} == story.there("akem", "black_malkioni")
    assert {"soldier": 2} == story.there("tawars", "black_malkioni")


def test_fro_08_an_overrun_one_unit_short_says_how_many_must_stay():
    units = {"zoria": {"bear_people": 3}, "arrolia": {"mammoth_people": 1}}
    story = History("bear_people", units).begin(1).say(March("zoria", "unit", "arrolia", 1))
    on = March("arrolia", "unit<zoria", "stomble", 1)

    said = story.violation(on)
    assert ("cannot-move", "FRO-08", "unit") == (said.code, said.rule, said.field)
    assert {"left": 0, "needed": 2, "there": 1, "missing": 1} == said.facts
    assert "These units stopped among others: more of yours must stay here before any pass (FRO-D12)." == said.message
    story.say(March("zoria", "unit", "arrolia", 1))
    said = story.violation(on)
    assert {"left": 0, "needed": 2, "there": 2, "missing": 0} == said.facts
    assert "These units stay here among others, and move no more (FRO-D12)." == said.message
    story.say(March("zoria", "unit", "arrolia", 1)).say(March("arrolia", "unit<zoria>1", "stomble", 1))
    story.refuses(March("stomble", "unit<arrolia", "upriver", 1), "cannot-move", "FRO-07", left=0)


def test_fro_09_comes_before_fro_08_for_units_that_left_rough():
    units = {"oranor": soldiers(1), "tawars": {"bull_people": 1}}
    story = History("black_malkioni", units).begin(1).say(March("oranor", "soldier", "tawars", 1))

    story.refuses(March("tawars", "soldier<oranor", "akem", 1), "cannot-move", "FRO-09", came="oranor")


def test_fro_09_leaving_rough_is_the_last_step_but_leaving_clear_is_not():
    units = {"oranor": soldiers(1), "okarnia": soldiers(1)}
    story = History("black_malkioni", units).begin(1, 1).say(March("oranor", "soldier", "tawars", 1))

    assert ["soldier<oranor"] == story.labels("tawars", "black_malkioni")
    story.refuses(March("tawars", "soldier<oranor", "akem", 1), "cannot-move", "FRO-09", left=0, came="oranor")
    area, unit = "okarnia", "soldier"
    for to in ("junora", "perfe", "tawars", "akem", "sog_city", "tarins"):
        story.say(March(area, unit, to, 1))
        area, unit = to, next(name for name in story.labels(to, "black_malkioni") if ">" in name)


def test_fro_09_applies_to_barbarians_but_not_to_beasts():
    story = History("black_barbarians", {"charg": {"black_barbarians": 1}}, round=9).begin(1)
    story.say(March("charg", "unit", "upriver", 1))
    assert ["unit<charg"] == story.labels("upriver", "black_barbarians")
    story = History("bear_people", {"stomble": {"bear_people": 1}}).begin().say(March("stomble", "unit", "samita", 1))
    assert ["unit<stomble>1"] == story.labels("samita", "bear_people")


def test_fro_d10_lord_must_be_present_only_when_the_phase_begins():
    story = History("black_malkioni", {"tarins": soldiers(2, wizard=1)}).begin(1)
    story.say(March("tarins", "lord", "akem", 1))
    story.say(March("tarins", "soldier", "easval", 1)).say(March("tarins", "wizard", "arnstor", 1))

    assert {"wizard": 1} == story.there("arnstor", "black_malkioni")


def test_fro_d10_growth_and_arrivals_count_as_present():
    units = {"akem": {"black_malkioni": {"soldier": 1}}}
    story = History("black_malkioni", units, round=6).begin(1)

    assert {"soldier": 1, "lord": 1} == story.there("akem", "black_malkioni")
    assert story.offers(March("akem", "soldier", "tarins", 1))


def test_fro_d11_lords_move_as_far_as_soldiers():
    story = History("black_malkioni", {"tarins": {"black_malkioni": {"lord": 2}}}).begin(1)
    story.say(March("tarins", "lord", "akem", 1)).say(March("akem", "lord<tarins>16", "tawars", 1)).say(Done())

    assert {"lord": 1} == story.there("tawars", "black_malkioni")


def test_fro_d12_unarmed_units_count_on_both_sides_and_a_column_may_overrun_several():
    units = {
        "tarins": soldiers(9),
        "akem": {"grey_malkioni": {"farmer": 1, "soldier": 1}},
        "tawars": {"bull_people": 1},
    }
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 2))
    assert 2 == story.events[0].halted
    story.say(March("tarins", "lord", "akem", 1))
    assert 1 == story.events[0].halted
    story.say(March("tarins", "soldier", "akem", 5))
    assert 0 == story.events[0].halted
    passing = next(name for name in story.labels("akem", "black_malkioni") if ">" in name)
    story.say(March("akem", passing, "tawars", 5))
    assert 2 == story.events[0].halted
    passing = next(name for name in story.labels("tawars", "black_malkioni") if ">" in name)
    story.say(March("tawars", passing, "golaros", 3))
    assert {"soldier": 3} == story.there("golaros", "black_malkioni")


def test_fro_d12_a_unit_that_stays_must_have_a_die():
    units = {"tarins": {"black_malkioni": {"lord": 3}}, "akem": {"grey_malkioni": {"farmer": 1}}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "lord", "akem", 3))

    assert 3 == story.events[0].halted
    on = March("akem", "lord<tarins", "tawars", 1)
    story.refuses(on, "cannot-move", "FRO-08", left=0, needed=1, there=0, missing=1)


def test_fro_d12_the_step_out_of_an_overrun_area_obeys_terrain():
    units = {"tawars": soldiers(4), "golaros": {"badger_people": 1}}
    story = History("black_malkioni", units).begin(1).say(March("tawars", "soldier", "golaros", 4))
    passing = next(name for name in story.labels("golaros", "black_malkioni") if ">" in name)
    story.say(March("golaros", passing, "okarnia", 2))

    assert ["soldier<golaros"] == story.labels("okarnia", "black_malkioni")


def test_fro_d38_units_without_dice_need_an_escort():
    units = {"tarins": soldiers(1, farmer=1, wizard=1), "akem": {"skunk_people": 1}}
    story = History("black_malkioni", units).begin(1)

    for unit in ("farmer", "wizard", "lord"):
        story.refuses(March("tarins", unit, "akem", 1), "no-escort", "FRO-D38", needed=1, there=0)
    story.say(March("tarins", "soldier", "akem", 1))
    for unit in ("farmer", "wizard", "lord"):
        story.say(March("tarins", unit, "akem", 1))
    assert 4 == sum(story.there("akem", "black_malkioni").values())


def test_fro_d39_each_kind_enters_only_its_terrain():
    entered = {
        "bull_people": ("golaros", {"tawars", "perfe", "junora", "okarnia"}),
        "mostali": ("golaros", {"western_nida", "nidan_mountains"}),
        "trolls": (
            "maidstone_mountains",
            {"glacier_west", "valinds_glacier", "northern_tundra", "tastolar", "loskalm_hills"},
        ),
        "black_barbarians": ("golaros", {"tawars", "perfe", "junora", "okarnia", "western_nida", "nidan_mountains"}),
        "skunk_people": ("dilis_swamp", {"akem", "tawars", "oranor"}),
        "wolf_people": ("stomble", {"arrolia", "upriver", "charg", "samita", "rockwood_mountains", "kartolin_pass"}),
    }
    for nation, (area, ways) in entered.items():
        faces = (1,) if nation in ("bull_people", "black_barbarians", "skunk_people") else ()
        story = History(nation, {area: {nation: 1}}, round=9).begin(*faces)
        near = story.state.tables.areas[area].adjacent
        assert ways == {to for to in near if story.offers(March(area, "unit", to, 1))}, nation
    story.refuses(March("stomble", "unit", "okarnia", 1), "not-adjacent", "FRO-07")
    trolls = History("trolls", {"oral_ta": {"trolls": 1}}).begin()
    open_to_trolls = list(trolls.state.tables.nations["trolls"].ways["oral_ta"])
    trolls.refuses(March("oral_ta", "unit", "northpoint", 1), "not-adjacent", "FRO-D39", areas=open_to_trolls)
    trolls.refuses(March("oral_ta", "unit", "neliomi_sea", 1), "not-adjacent", "FRO-D39")


def test_fro_d39_sog_city_counts_as_clear_for_leaving():
    units = {"tarins": soldiers(1)}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "sog_city", 1))
    story.say(March("sog_city", "soldier<tarins>16", "akem", 1))

    assert ["soldier<sog_city>15"] == story.labels("akem", "black_malkioni")


def test_fro_d53_soldiers_without_a_lord_cannot_march():
    units = {"sog_city": {"black_malkioni": {"soldier": 3}}, "tarins": {"black_malkioni": {"lord": 1}}}
    story = History("black_malkioni", units).begin(1, 1)

    story.refuses(March("sog_city", "soldier", "akem", 1), "cannot-move", "FRO-D53", left=0, needed=1, there=0)
    assert story.offers(March("tarins", "lord", "sog_city", 1))


def test_fro_e05_overrun_numbers_match_the_example():
    for entering, passing in ((5, 2), (4, 1), (3, 0), (2, 0)):
        units = {"tarins": soldiers(entering), "akem": {"skunk_people": 2}}
        story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", entering))
        assert passing == entering - story.events[0].halted


def test_fro_e06_lords_lead_and_need_a_soldier():
    alone = History("black_malkioni", {"akem": {"black_malkioni": {"soldier": 2}}}).begin(1)
    assert ("round", 0) == alone.asked

    enemy = {"akem": {"grey_malkioni": {"soldier": 1}}}
    lord = History("black_malkioni", {**enemy, "tarins": {"black_malkioni": {"lord": 1}}}).begin(1)
    lord.refuses(March("tarins", "lord", "akem", 1), "no-escort", "FRO-D38")
    both = History("black_malkioni", {**enemy, "tarins": soldiers(1)}).begin(1)
    both.say(March("tarins", "soldier", "akem", 1)).say(March("tarins", "lord", "akem", 1))


def test_fro_e07_lord_alone_enters_an_area_with_only_farmers():
    units = {"tarins": {"black_malkioni": {"lord": 1}}, "akem": {"grey_malkioni": {"farmer": 2}}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "lord", "akem", 1)).say(Done())

    assert {"lord": 1, "farmer": 2} == story.there("akem", "black_malkioni")
    assert {} == story.there("akem", "grey_malkioni")
    assert 12 == story.state.pool["grey_malkioni"]["farmer"]
    assert 0 == story.points("black_malkioni")


def test_fro_e13_nations_of_one_color_are_not_allies():
    units = {"tarins": soldiers(1), "akem": {"bull_people": 1}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 1))

    story.refuses(March("akem", "soldier<tarins", "tawars", 1), "cannot-move", "FRO-08", needed=2, there=1)
    story.say(Done())
    assert ("battle", BLACK) == story.asked
