"""Historical episodes of rounds 15 to 17."""

from __future__ import annotations

from domain.games.fronela.commands import Done, Fight, March, Place, Retreat
from domain.games.fronela.episodes.syndics_ban import ranks
from domain.games.fronela.events import (
    BattleRolled,
    TokenGiven,
    UnitsPlaced,
)
from tests.fronela.story import History, board


def closing(era, units, **fields):
    """The end of a round, and the beginning of the next."""
    story = History("gonn_orta", {"western_nida": {"gonn_orta": 1}, **units}, round=era, **fields)
    return story.begin().say(Done()).system()


NORTH = {"tarins": {"azure_malkioni": {"farmer": 2}}, "easval": {"azure_malkioni": {"farmer": 1}}}
SOUTH = {area: {"grey_malkioni": {"farmer": 1}} for area in ("akem", "tawars", "perfe")}
EAST = {"oranor": {"brown_malkioni": {"soldier": 1}}, "dilis_swamp": {"brown_malkioni": {"soldier": 1}}}
WEST = {"sog_city": {"black_malkioni": {"soldier": 1}}}


def test_prince_siglat_joins_the_north_and_brings_points():
    story = closing(15, {**NORTH, **SOUTH, **EAST, **WEST})
    assert TokenGiven("siglat", "azure_malkioni") in story.log
    assert "siglat" in story.reasons("azure_malkioni")


def test_fro_d24_ties_go_to_more_units_and_then_to_the_normal_order():
    tie = {"tarins": {"azure_malkioni": {"farmer": 1}}, "easval": {"grey_malkioni": {"farmer": 2}}}
    assert "grey_malkioni" == closing(15, tie).state.tokens["siglat"]
    equal = {"tarins": {"azure_malkioni": {"farmer": 1}}, "easval": {"brown_malkioni": {"farmer": 1}}}
    assert "azure_malkioni" == closing(15, equal).state.tokens["siglat"]


def test_fro_d24_no_honor_is_given_if_no_faction_holds_its_areas():
    story = closing(16, {"erigia": {"owl_people": 1}}, tokens={"kingdom_of_war": "grey_malkioni"})
    assert "dormal" not in story.state.tokens
    assert "moon_boats" not in story.state.tokens
    assert ("bear_people", "grey_malkioni", "harrek", "black_malkioni") == story.state.order[:4]
    alive = closing(15, {"erigia": {"owl_people": 1}})
    assert "siglat" not in alive.state.tokens


def test_fro_d45_all_four_factions_are_ranked_with_dead_ones_last():
    story = closing(15, {**NORTH, **SOUTH})
    order = story.state.order
    assert ("azure_malkioni", "grey_malkioni", "black_malkioni") == order
    assert "brown_malkioni" == story.state.tokens["kingdom_of_war"]


def test_fro_d45_siglats_soldiers_arrive_in_an_area_of_his_faction():
    units = {"tarins": {"azure_malkioni": {"soldier": 1}}, "easval": {"azure_malkioni": {"soldier": 1}}}
    story = History("azure_malkioni", units, round=16, tokens={"siglat": "azure_malkioni"}).begin(1, 1)
    assert "siglat" == story.asked[0]
    story.say(Place("easval"))
    assert {"soldier": 3} == story.there("easval", "azure_malkioni")

    only = History("azure_malkioni", {"tarins": units["tarins"]}, round=16, tokens={"siglat": "azure_malkioni"}).begin(
        1
    )
    assert {"soldier": 3} == only.there("tarins", "azure_malkioni")


def test_fro_e14_the_order_of_round_sixteen():
    story = closing(15, {**NORTH, **SOUTH, **EAST, **WEST})
    assert ["azure_malkioni", "grey_malkioni", "brown_malkioni", "black_malkioni"] == ranks(
        board({**NORTH, **SOUTH, **EAST, **WEST}, round=16, tokens={"siglat": "azure_malkioni"})
    )
    assert ("azure_malkioni", "grey_malkioni", "brown_malkioni") == story.state.order
    assert {} == story.there("sog_city", "black_malkioni")
    assert 10 == story.state.pool["black_malkioni"]["soldier"]
    assert TokenGiven("kingdom_of_war", "black_malkioni") in story.log


def ban(units, *faces):
    return History("grey_malkioni", units, round=16, tokens={"siglat": "azure_malkioni"}).begin(*faces)


def test_fro_d46_no_unit_crosses_the_river():
    units = {"akem": {"grey_malkioni": {"soldier": 2, "lord": 1}}, "perfe": {"bull_people": 1}}
    story = ban(units, 1)
    for north in ("tarins", "arnstor"):
        story.refuses(March("akem", "soldier", north, 1), "forbidden", "FRO-D46")
    story.say(March("akem", "soldier", "tawars", 1))


def test_fro_d46_peoples_are_safe_on_their_own_ground():
    units = {
        "akem": {"grey_malkioni": {"soldier": 2, "lord": 1}},
        "tawars": {"bull_people": 1},
        "dilis_swamp": {"bull_people": 1},
        "sog_city": {"azure_barbarians": 1},
    }
    story = ban(units, 1)
    story.refuses(March("akem", "soldier", "tawars", 1), "forbidden", "FRO-D46")
    assert story.offers(March("akem", "soldier", "dilis_swamp", 1))
    assert story.offers(March("akem", "soldier", "sog_city", 1))


def test_fro_d46_retreats_do_not_cross_the_river():
    units = {
        "akem": {"grey_malkioni": {"soldier": 1, "lord": 1}},
        "tawars": {"azure_malkioni": {"soldier": 1}},
    }
    story = ban(units, 1).say(March("akem", "soldier", "tawars", 1)).say(Done())
    story.say(Fight("tawars", "azure_malkioni"), 1, 1)
    story.refuses(Retreat("soldier", "arnstor", 1), "no-refuge", "FRO-18")
    story.say(Retreat("soldier", "perfe", 1))


# -- round 17 ---------------------------------------------------------------------------------------------------------


def test_fro_d22_dormal_carries_from_coast_to_coast_as_the_first_step():
    units = {
        "mintol_vale": {"azure_malkioni": {"soldier": 1, "lord": 1, "farmer": 1}},
        "tarins": {"azure_malkioni": {"soldier": 1, "lord": 1}},
        "oranor": {"azure_malkioni": {"soldier": 1}},
    }
    story = History("azure_malkioni", units, round=17, tokens={"dormal": "azure_malkioni"}).begin(1, 1, 1)
    assert story.offers(March("mintol_vale", "soldier", "oral_ta", 1))
    assert story.offers(March("mintol_vale", "farmer", "oranor", 1))
    assert not story.offers(March("mintol_vale", "soldier", "akem", 1))
    assert not story.offers(March("oranor", "soldier", "northpoint", 1))
    story.say(March("tarins", "soldier", "mintol_vale", 1))
    walked = next(name for name in story.labels("mintol_vale", "azure_malkioni") if "<" in name)
    assert not story.offers(March("mintol_vale", walked, "oranor", 1))
    story.say(March("mintol_vale", "soldier", "dilis_swamp", 1))
    label = story.labels("dilis_swamp", "azure_malkioni")[0]
    assert label.endswith("*")
    assert not story.offers(March("dilis_swamp", label, "northpoint", 1))


def test_fro_d22_the_moon_boats_go_from_bank_to_bank_once_a_turn():
    units = {"upriver": {"black_barbarians": 2}, "sog_city": {"grey_malkioni": {"soldier": 1}}}
    story = History("black_barbarians", units, round=17, tokens={"moon_boats": "black_barbarians"}).begin(1)
    story.say(March("upriver", "unit", "tarins", 1))
    label = story.labels("tarins", "black_barbarians")[0]
    assert not story.offers(March("tarins", label, "junora", 1))
    assert story.offers(March("tarins", label, "akem", 1))
    story.say(March("upriver", "unit", "sog_city", 1)).say(Done())
    story.say(Fight("sog_city", "grey_malkioni"), 1, 1).say(Done())
    story.say(Retreat("unit<upriver", "upriver", 1))
    assert {"unit": 1} == story.there("upriver", "black_barbarians")


def heroes(units):
    return closing(16, units, tokens={"kingdom_of_war": "black_malkioni"})


def test_the_heroes_of_round_seventeen_choose_their_sides():
    units = {
        "mintol_vale": {"azure_malkioni": {"soldier": 1}},
        "tawars": {"grey_barbarians": 1},
        "perfe": {"black_barbarians": 2},
    }
    story = heroes(units)
    assert {"dormal": "azure_malkioni", "moon_boats": "black_barbarians"} == {
        token: nation for token, nation in story.state.tokens.items() if token != "kingdom_of_war"
    }
    assert ("azure_malkioni", "black_barbarians", "bear_people", "black_malkioni", "harrek") == story.state.order[:5]
    assert 2 == story.points("azure_malkioni")


def test_fro_d47_lord_death_returns_with_the_faction_that_vanished():
    units = {"black_forest": {"woolly_rhino_people": 1}}
    story = History("black_malkioni", units, round=17, tokens={"kingdom_of_war": "black_malkioni"}).begin()
    assert [UnitsPlaced("black_malkioni", "black_forest", {"soldier": 6, "lord_death": 1}, "arrival")] == story.so_far(
        UnitsPlaced
    )
    story.say(March("black_forest", "soldier", "junora", 4)).say(March("black_forest", "lord_death", "perfe", 1))
    story.say(Done()).fight("black_forest", "woolly_rhino_people", 6, 1, 1)
    assert {"soldier": 2} == story.there("black_forest", "black_malkioni")
    assert {"lord_death": 1} == story.there("perfe", "black_malkioni")


def test_fro_d47_lord_death_has_two_dice_stays_on_any_land_and_counts_as_a_lord():
    units = {"rathorela": {"black_malkioni": {"lord_death": 1, "soldier": 1}}, "greenwood": {"owl_people": 1}}
    tokens = {"kingdom_of_war": "grey_malkioni"}
    story = History("black_malkioni", units, round=17, tokens=tokens).begin(1)
    assert story.offers(March("rathorela", "soldier", "zoria", 1))
    story.say(March("rathorela", "lord_death", "greenwood", 1)).say(Done())
    story.fight("greenwood", "owl_people", 6, 6, 1)
    assert {"lord_death": 1} == story.there("greenwood", "black_malkioni")
    assert [-1, -1] == [die.modifier for die in story.so_far(BattleRolled)[0].attack]

    owls = {"erigia": {"owl_people": 2}, "greenwood": {"grey_malkioni": {"lord_death": 1}}}
    killed = History("owl_people", owls, round=17).begin(1)
    killed.say(March("erigia", "unit", "greenwood", 2)).say(Done())
    killed.say(Fight("greenwood", "grey_malkioni"), 6, 1, 1, 1)
    assert ["noble-killed"] == killed.reasons("owl_people")


def test_fro_d34_the_kingdom_of_war_scores_for_soldiers():
    units = {"perfe": {"black_malkioni": {"soldier": 3, "lord": 1}}, "junora": {"grey_malkioni": {"soldier": 2}}}
    story = History("black_malkioni", units, round=17, tokens={"kingdom_of_war": "black_malkioni"}).begin(1)
    story.say(March("perfe", "soldier", "junora", 3)).say(Done())
    story.say(Fight("junora", "grey_malkioni"), 6, 6, 1, 1, 1)
    assert ["kingdom-of-war"] * 2 == story.reasons("black_malkioni")
