"""Population and new units: FRO-04 to FRO-06."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela.commands import Auto, Done, Grow, SetGrowth
from domain.games.fronela.events import Asked, GrowthLost, GrowthRolled, GrowthSet, UnitsLost, UnitsPlaced
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import Orders
from tests.fronela.story import AZURE, BLACK, BROWN, GREY, History


def test_fro_04_a_five_brings_a_unit_and_a_four_does_not():
    for face, units in ((4, 1), (5, 2), (6, 2)):
        story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(face)

        assert [GrowthRolled("bull_people", "tawars", face, 0, face, face > 4)] == story.so_far(GrowthRolled)
        assert units == story.there("tawars", "bull_people")["unit"]


def test_fro_04_no_roll_without_a_counter():
    units = {"tawars": {"skunk_people": 2}, "akem": {"skunk_people": 2}}
    story = History("skunk_people", units).begin()

    assert [] == story.so_far(GrowthRolled)


def test_fro_05_every_kind_rolls_where_its_table_says():
    units = {
        "tawars": {"bull_people": 1},
        "junora": {"bull_people": 1},
        "western_nida": {"gonn_orta": 1},
        "nidan_mountains": {"mostali": 1},
        "rockwood_mountains": {"mostali": 1},
    }
    assert ["tawars"] == [roll.area for roll in History("bull_people", units).begin(1).so_far(GrowthRolled)]
    assert ["nidan_mountains"] == [roll.area for roll in History("mostali", units).begin(1).so_far(GrowthRolled)]
    assert [] == History("gonn_orta", units).begin().so_far(GrowthRolled)


def test_fro_05a_each_farmer_adds_one_and_four_of_them_make_it_certain():
    units = {"akem": {"black_malkioni": {"farmer": 4, "lord": 1}}}
    story = History("black_malkioni", units).begin(1)

    assert [GrowthRolled("black_malkioni", "akem", 1, 4, 5, grows=True)] == story.so_far(GrowthRolled)
    assert ("growth", BLACK) == story.asked


def test_fro_06_new_units_arrive_as_the_round_lists_them():
    story = History("porcupine_people", {}, round=3).begin()

    assert [UnitsPlaced("porcupine_people", "stomble", {"unit": 2}, "arrival")] == story.so_far(UnitsPlaced)
    assert ("move", AZURE) == story.asked


def test_fro_d08_caste_of_a_new_unit_depends_on_the_units_there():
    units = {
        "tarins": {"black_malkioni": {"lord": 1}},
        "akem": {"black_malkioni": {"farmer": 2}},
        "sog_city": {"black_malkioni": {"soldier": 1}},
        "tawars": {"black_malkioni": {"farmer": 4}},
        "oranor": {"black_malkioni": {"farmer": 1}},
    }
    story = History("black_malkioni", units).begin(5, 5, 5, 5)

    assert ["tarins", "sog_city", "akem", "tawars"] == list(story.state.grown)
    assert [] == [roll for roll in story.so_far(GrowthRolled) if roll.area == "oranor"]
    for area, kinds in (
        ("tarins", ("soldier", "wizard", "farmer")),
        ("sog_city", ("soldier", "wizard")),
        ("akem", ("lord", "farmer")),
        ("tawars", ("lord",)),
    ):
        for kind in ("farmer", "soldier", "lord", "wizard"):
            assert (kind in kinds) == story.offers(Grow(area, kind)), (area, kind)
    story.refuses(Grow("tawars", "soldier"), "cannot-grow", "FRO-D08", kinds=["lord"])
    story.refuses(Grow("oranor", "farmer"), "cannot-grow", "FRO-D08")
    story.say(Grow("tawars", "lord")).say(Grow("tarins", "soldier")).say(Done())
    assert {"sog_city", "akem"} == {lost.area for lost in story.so_far(GrowthLost)}
    assert ("move", BLACK) == story.asked


def test_fro_d09_growth_may_exceed_the_maximum_until_overpopulation():
    story = History("bobcat_people", {"oranor": {"bobcat_people": 3}}).begin(6)

    assert {"unit": 4} == story.there("oranor", "bobcat_people")
    story.say(Done())
    assert {"unit": 3} == story.there("oranor", "bobcat_people")
    assert ["overpopulation"] == [lost.why for lost in story.so_far(UnitsLost)]


def test_fro_d20_no_nation_has_more_units_than_counters():
    units = {"rathorela": {"bear_people": 3}, "dona_vale": {"bear_people": 3}, "zoria": {"bear_people": 3}}
    assert [] == History("bear_people", units).begin().so_far(GrowthRolled)


def test_fro_d40_everything_is_rolled_before_anything_is_chosen():
    units = {"tarins": {"black_malkioni": {"lord": 1}}, "easval": {"black_malkioni": {"lord": 1}}}
    story = History("black_malkioni", units).begin(6, 6)

    kinds = [type(event) for event in story.log]
    assert kinds.index(Asked) > max(at for at, kind in enumerate(kinds) if kind is GrowthRolled)
    assert ["easval", "tarins"] == [roll.area for roll in story.so_far(GrowthRolled)]


def test_fro_d41_nation_rolls_only_where_it_has_units():
    assert [] == History("mostali", {"rockwood_mountains": {"mostali": 2}}).begin().so_far(GrowthRolled)
    east = History("trolls", {"glacier_east": {"trolls": 1}}).begin(5)
    assert {"unit": 2} == east.there("glacier_east", "trolls")
    assert [] == History("trolls", {"oral_ta": {"trolls": 1}}).begin().so_far(GrowthRolled)


def test_fro_e01_farmers_are_added_to_the_die():
    three = {"akem": {"black_malkioni": {"farmer": 3, "lord": 1}}}
    assert History("black_malkioni", three).begin(2).so_far(GrowthRolled)[0].grows
    none = {"akem": {"black_malkioni": {"lord": 1}}}
    assert not History("black_malkioni", none).begin(4).so_far(GrowthRolled)[0].grows
    assert History("black_malkioni", none).begin(5).so_far(GrowthRolled)[0].grows


def test_fro_e02_last_counter_goes_where_the_owner_chooses():
    units = {"tawars": {"bull_people": 3}, "akem": {"bull_people": 3}, "golaros": {"bull_people": 2}}
    story = History("bull_people", units).begin(5, 1, 6)

    assert ("growth", BLACK) == story.asked
    story.refuses(Done(), "cannot-grow", "FRO-04")
    story.say(Grow("golaros", "unit"))
    assert {"unit": 3} == story.there("golaros", "bull_people")
    assert [GrowthLost("bull_people", "akem")] == story.so_far(GrowthLost)


def test_fro_e02_auto_puts_the_last_counter_in_the_first_area_of_the_map():
    units = {"tawars": {"bull_people": 3}, "akem": {"bull_people": 3}, "golaros": {"bull_people": 2}}
    story = History("bull_people", units).begin(5, 5, 1).say(Auto())

    assert {"unit": 4} == story.there("akem", "bull_people")
    assert [GrowthLost("bull_people", "tawars")] == story.so_far(GrowthLost)


def test_fro_e02_an_empty_counter_pool_rolls_no_die():
    units = {area: {"bull_people": 3} for area in ("tawars", "akem", "golaros")}
    story = History("bull_people", units).begin()

    assert {"unit": 0} == story.state.pool["bull_people"]
    assert ([], []) == (story.so_far(GrowthRolled), story.so_far(GrowthLost))
    assert ("move", BLACK) == story.asked


def test_fro_e03_barbarians_roll_in_each_of_their_areas():
    units = {area: {"grey_barbarians": 1} for area in ("perfe", "junora", "southpoint", "okarnia")}
    story = History("grey_barbarians", units).begin(5, 1, 6, 4)

    assert 4 == len(story.so_far(GrowthRolled))
    assert [2, 1, 2, 1] == [
        story.there(area, "grey_barbarians")["unit"] for area in ("perfe", "junora", "southpoint", "okarnia")
    ]
    assert ("move", GREY) == story.asked


def test_fro_e04_trolls_roll_once_however_many_glaciers_they_hold():
    units = {"glacier_west": {"trolls": 1}, "valinds_glacier": {"trolls": 1}}
    story = History("trolls", units).begin(5)

    assert ["valinds_glacier"] == [roll.area for roll in story.so_far(GrowthRolled)]
    assert {"unit": 2} == story.there("valinds_glacier", "trolls")


# -- arrivals ---------------------------------------------------------------------------------------------------------


def test_fro_d14_arrivals_take_the_first_listed_area_free_of_others():
    units = {"arnstor": {"bull_people": 1}, "perfe": {"grey_malkioni": {"farmer": 1}}}
    story = History("grey_malkioni", units, round=2, persons={"hrestol": "sog_city", "blinding_eye": "golaros"})
    story.state = _gone(story.state, "hrestol")
    story.begin(1)

    assert {"farmer": 3, "soldier": 2, "lord": 1, "wizard": 1} == story.there("perfe", "grey_malkioni")


def _gone(state, person):
    return replace(state, persons={**state.persons, person: replace(state.persons[person], gone=True)})


def test_fro_d14_with_no_free_area_fighters_arrive_as_attackers():
    units = {"kartolin_pass": {"wolf_people": 1}}
    story = History("black_barbarians", units, round=7).begin()

    assert {"unit": 4} == story.there("kartolin_pass", "black_barbarians")
    story.say(Done())
    assert ("battle", BLACK) == story.asked


def test_fro_d14_units_without_a_die_arrive_at_own_units_or_are_lost():
    taken = {"akem": {"skunk_people": 1}, "tarins": {"skunk_people": 1}}
    story = History("black_malkioni", {**taken, "sog_city": {"black_malkioni": {"soldier": 1}}}, round=6).begin(1)
    assert {"soldier": 1, "lord": 1} == story.there("sog_city", "black_malkioni")

    lost = History("black_malkioni", taken, round=6).begin()
    assert [] == lost.so_far(UnitsPlaced)


def test_fro_d14_arrivals_join_most_of_their_units_or_use_the_home_list():
    units = {"junora": {"brown_malkioni": {"farmer": 1}}, "samita": {"brown_malkioni": {"farmer": 3}}}
    assert "samita" == History("brown_malkioni", units, round=14).begin(1, 1).so_far(UnitsPlaced)[-1].area
    assert "southpoint" == History("brown_malkioni", {}, round=14).begin().so_far(UnitsPlaced)[-1].area
    assert "kartolin_pass" == History("brown_barbarians", {}, round=7).begin().so_far(UnitsPlaced)[-1].area


def test_fro_d14_arrival_is_limited_by_the_counters_left():
    units = {"sog_city": {"bobcat_people": 0}, "oranor": {"bobcat_people": 2}, "dilis_swamp": {"bobcat_people": 3}}
    units = {area: here for area, here in units.items() if area != "sog_city"}
    story = History("bobcat_people", units, round=10).begin(1, 1)

    assert {"unit": 3} == story.there("oranor", "bobcat_people")
    assert BROWN != story.asked[1]


@pytest.mark.parametrize("key", ["fronela_v2", "fronela_v3"])
def test_fro_d54_nation_with_orders_to_decline_rolls_no_die(key):
    units = {"tawars": {"bull_people": 1}, "tarins": {"black_malkioni": {"soldier": 1, "lord": 1}}}
    story = History("bull_people", units, key, orders={"bull_people": Orders(growth="decline")}).begin()
    assert [] == story.so_far(GrowthRolled)
    assert ("move", BLACK) == story.asked

    story.say(SetGrowth("bull_people", "grow"), seat=BLACK)
    assert [GrowthSet(BLACK, "bull_people", "")] == story.so_far(GrowthSet)
    assert Orders() == story.state.orders["bull_people"]
    again = History("bull_people", units, key, orders=story.state.orders).begin(5)
    assert {"unit": 2} == again.there("tawars", "bull_people")


def test_fro_d54_one_order_covers_all_own_nations_and_no_others():
    story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(1).say(SetGrowth("all", "decline"), seat=GREY)
    assert list(story.state.tables.seats[GREY]) == [event.nation for event in story.so_far(GrowthSet)]
    assert {"decline"} == {orders.growth for orders in story.state.orders.values()}
    assert {"decline"} == {each["growth"] for each in FRONELA.knowledge.private(story.state, GREY)["orders"].values()}
    assert {"grow"} == {each["growth"] for each in FRONELA.knowledge.private(story.state, BLACK)["orders"].values()}
    story.refuses(SetGrowth("trolls", "decline"), "not-your-nation", "FRO-D28", BLACK)
    story.refuses(SetGrowth("trolls", "shrink"), "no-such-order", "FRO-16", GREY)
    story.refuses(SetGrowth("all", "ask"), "no-such-order", "FRO-16", GREY)


def test_fro_d54_success_may_be_declined_if_counters_are_short_from_version_3_on():
    units = {"tawars": {"bull_people": 4}, "akem": {"bull_people": 4}}
    story = History("bull_people", units, "fronela_v2").begin(5, 5)
    assert ("growth", BLACK) == story.asked
    story.refuses(Done(), "cannot-grow", "FRO-04")
    story = History("bull_people", units, "fronela_v3").begin(5, 5).say(Done())
    assert ["akem", "tawars"] == [lost.area for lost in story.so_far(GrowthLost)]
    assert {"unit": 4} == story.there("akem", "bull_people")
