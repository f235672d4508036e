"""Historical episodes of rounds 1 to 11."""

from __future__ import annotations

from dataclasses import replace

from domain.games.fronela.commands import Done, Fight, March, Place, Retreat
from domain.games.fronela.episodes.blinding_eye import EyeGlared, Sacrifice
from domain.games.fronela.episodes.god_learners import Land
from domain.games.fronela.episodes.hrestol import Guide
from domain.games.fronela.events import (
    BattleRolled,
    GrowthRolled,
    PersonPlaced,
    PersonRemoved,
    TokenGiven,
    UnitsLost,
    UnitsPlaced,
)
from domain.games.fronela.phases.champion import Rally
from domain.games.fronela.state import Person
from domain.games.fronela.turn.deciding import start_decision
from domain.games.fronela.turn.rounds import begin
from domain.kernel.dice import Dice
from tests.fronela.story import AZURE, BLACK, BROWN, GREY, History

DAWN = {"hrestol": "sog_city", "blinding_eye": "golaros"}


# -- Hrestol ----------------------------------------------------------------------------------------------------------


def test_fro_d49_every_nation_with_units_moves_hrestol_before_its_growth():
    story = History("bull_people", {"tawars": {"bull_people": 1}}, round=1, persons=DAWN).begin()

    assert ("hrestol", BLACK) == story.asked
    assert [] == story.so_far(GrowthRolled)
    story.refuses(Guide("perfe"), "too-far", "FRO-D49")
    story.refuses(Guide("neliomi_sea"), "too-far", "FRO-D49")
    story.say(Guide("tawars"), 4)
    assert [(4, 1, True)] == [(roll.face, roll.modifier, roll.grows) for roll in story.so_far(GrowthRolled)]
    assert "tawars" == story.state.persons["hrestol"].area


def test_fro_d49_one_die_of_the_active_nation_gets_plus_one():
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1}}, "akem": {"grey_malkioni": {"soldier": 1}}}
    story = History("black_malkioni", units, round=1, persons=DAWN)
    story.begin().say(Guide("akem"), 1).say(March("tarins", "soldier", "akem", 2)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 4, 4, 1)

    assert [1, 0] == [die.modifier for die in story.so_far(BattleRolled)[0].attack]
    assert [0] == [die.modifier for die in story.so_far(BattleRolled)[0].defence]


def test_fro_d49_grey_malkioni_arrive_at_hrestols_last_area_if_clear_and_free():
    for last, area in (("easval", "easval"), ("oranor", "arnstor"), ("tawars", "arnstor")):
        story = History("grey_malkioni", {"tawars": {"bull_people": 1}}, round=2, persons=DAWN)
        gone = {**story.state.persons, "hrestol": Person(last, "", gone=True)}
        story.state = replace(story.state, persons=gone)
        assert area == story.begin().so_far(UnitsPlaced)[0].area


def test_fro_d49_hrestol_is_gone_after_round_one():
    story = History("bull_people", {"tawars": {"bull_people": 1}}, round=1, persons=DAWN)
    story.begin().say(Guide("akem"), 1).say(Done()).system()

    assert PersonRemoved("hrestol", "akem") in story.log
    assert story.state.persons["hrestol"].gone
    assert ("move", GREY) == story.asked


def test_fro_d31_the_dawn_places_the_prophet_and_the_eye():
    story = History("bull_people", {}, round=17)
    story.state = replace(story.state, round=0, order=(), place=-1)
    decision = start_decision(story.state, Dice(bytes(32)))
    begin(decision, 1)
    placed = [event for event in decision.events if isinstance(event, PersonPlaced)]
    assert [PersonPlaced("hrestol", "sog_city"), PersonPlaced("blinding_eye", "golaros")] == placed


# -- the Blinding Eye -------------------------------------------------------------------------------------------------


def eye(nation, kinds, *faces, era=2, persons=None):
    units = {"golaros": {nation: kinds}}
    story = History(nation, units, round=era, persons=persons or DAWN)
    if era == 2:
        gone = {**story.state.persons, "hrestol": Person("sog_city", "", gone=True)}
        story.state = replace(story.state, persons=gone)
    return story.begin(*faces)


def test_fro_d50_nation_in_golaros_rolls_after_its_moves():
    for face, left in ((3, 1), (4, 2)):
        story = eye("badger_people", 2, 1).say(Done(), face)
        assert [EyeGlared("badger_people", "golaros", face, 0, face, face < 4)] == story.so_far(EyeGlared)
        assert {"unit": left} == story.there("golaros", "badger_people")


def test_fro_d50_the_owner_chooses_the_victim():
    story = eye("azure_malkioni", {"soldier": 1, "lord": 1, "farmer": 1}, 1).say(Done(), 1)

    assert ("blinding_eye", AZURE) == story.asked
    story.refuses(Sacrifice("wizard"), "no-such-units", "FRO-D50")
    story.say(Sacrifice("farmer"))
    assert {"soldier": 1, "lord": 1} == story.there("golaros", "azure_malkioni")
    assert ["event"] == [lost.why for lost in story.so_far(UnitsLost)]


def test_fro_d50_blinding_eye_does_not_affect_gonn_orta():
    story = eye("gonn_orta", 1).say(Done())
    assert [] == story.so_far(EyeGlared)


def test_fro_d50_nation_with_hrestol_destroys_the_blinding_eye():
    story = eye("badger_people", 2, era=1, persons={**DAWN, "hrestol": "tawars"})
    story.say(Guide("golaros"), 1).say(Done(), 6)

    assert 3 == story.points("badger_people")
    assert story.state.persons["blinding_eye"].gone


def test_fro_d50_blinding_eye_leaves_at_the_end_of_round_two():
    story = eye("badger_people", 2, 1).say(Done(), 6).system()
    assert PersonRemoved("blinding_eye", "golaros") in story.log


# -- rounds 4 to 7 ----------------------------------------------------------------------------------------------------


def test_fro_d52_each_beast_people_gains_a_unit_in_an_area_of_its_own():
    one = History("bull_people", {"junora": {"bull_people": 1}}, round=4).begin()
    assert [UnitsPlaced("bull_people", "junora", {"unit": 1}, "event")] == one.so_far(UnitsPlaced)

    two = History("bull_people", {"junora": {"bull_people": 1}, "perfe": {"bull_people": 1}}, round=4).begin()
    assert ("eleven_beasts", BLACK) == two.asked
    two.refuses(Place("tawars"), "cannot-grow", "FRO-D08")
    two.say(Place("perfe"))
    assert {"unit": 2} == two.there("perfe", "bull_people")

    assert [] == History("trolls", {"oral_ta": {"trolls": 1}}, round=4).begin().so_far(UnitsPlaced)
    full = {"tawars": {"skunk_people": 3}, "junora": {"skunk_people": 1}}
    assert [] == History("skunk_people", full, round=4).begin().so_far(UnitsPlaced)


def talor():
    units = {
        "tarins": {"black_malkioni": {"soldier": 4, "lord": 1}},
        "akem": {"grey_barbarians": 2},
        "arnstor": {"azure_malkioni": {"soldier": 2}},
    }
    story = History("black_malkioni", units, round=5, tokens={"talor": "black_malkioni"}).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "soldier", "arnstor", 2)).say(Done())
    return story


def test_fro_d51_area_of_talor_is_named_when_the_combat_phase_begins():
    story = talor()
    assert ("talor", BLACK) == story.asked
    story.refuses(Rally("tawars"), "no-fight", "FRO-D51", areas=["akem", "arnstor"])
    story.say(Rally("akem")).say(Fight("arnstor", "azure_malkioni"), 1, 1, 1, 1).say(Done())
    story.say(Fight("akem", "grey_barbarians"), 4, 4, 1, 1)

    assert [0, 0, 1, 1] == [die.modifier for rolled in story.so_far(BattleRolled) for die in rolled.attack]
    assert ["talor", "talor"] == story.reasons("black_malkioni")
    assert {} == story.there("akem", "grey_barbarians")


def test_fro_d51_talor_gives_no_bonus_in_turns_of_others_but_points_for_kills():
    units = {"akem": {"black_malkioni": {"soldier": 2}}, "tawars": {"grey_barbarians": 2}}
    story = History("grey_barbarians", units, round=5, tokens={"talor": "black_malkioni"}).begin(1)
    story.say(March("tawars", "unit", "akem", 2)).say(Done()).say(Fight("akem", "black_malkioni"), 1, 1, 5, 1)

    assert [0, 0] == [die.modifier for die in story.so_far(BattleRolled)[0].defence]
    assert ["talor"] == story.reasons("black_malkioni")


def test_fro_d51_jonat_fights_in_one_area_of_each_of_two_combat_phases():
    units = {
        "okarnia": {"brown_barbarians": 3},
        "junora": {"grey_malkioni": {"soldier": 1}},
        "perfe": {"azure_malkioni": {"soldier": 1}},
    }
    story = History("brown_barbarians", units, round=11).begin(1)
    story.say(March("okarnia", "unit", "junora", 3)).say(Done())
    assert PersonPlaced("jonat", "junora") in story.log
    story.say(Fight("junora", "grey_malkioni"), 4, 1, 1, 1)
    assert [1, 1, 1] == [die.modifier for die in story.so_far(BattleRolled)[0].attack]
    assert ("move", BROWN) == story.asked
    story.say(March("junora", "unit", "perfe", 2)).say(Done())
    assert "perfe" == story.state.persons["jonat"].area


def test_the_token_of_talor_goes_to_the_biggest_faction_and_is_returned():
    units = {"tawars": {"bull_people": 1}, "perfe": {"grey_malkioni": {"farmer": 1}}}
    story = History("bull_people", units, round=4).begin(1).say(Done()).system()
    assert TokenGiven("talor", "grey_malkioni") in story.log
    late = History("bull_people", units, round=5, tokens={"talor": "grey_malkioni"}).begin(1).say(Done()).system()
    assert {} == late.state.tokens


def test_in_the_long_winter_trolls_go_two_steps():
    for number, steps in ((7, 2), (9, 1)):
        story = History("trolls", {"oral_ta": {"trolls": 1}}, round=number).begin()
        story.say(March("oral_ta", "unit", "loskalm_hills", 1))
        label = story.labels("loskalm_hills", "trolls")[0]
        assert (steps == 2) == story.offers(March("loskalm_hills", label, "maidstone_mountains", 1))


# -- rounds 8 to 11 ---------------------------------------------------------------------------------------------------


def fleet(units):
    return History("grey_malkioni", units, round=8).begin()


def test_fro_d48_no_unit_marches_off_the_fleet():
    story = History("grey_malkioni", {"akem": {"grey_malkioni": {"soldier": 1, "lord": 1}}}, round=8).begin(1)

    assert ("move", GREY) == story.asked
    aboard = story.labels("neliomi_sea", "grey_malkioni")[0]
    story.refuses(March("neliomi_sea", aboard, "mintol_vale", 1), "cannot-move", "FRO-D48", left=0)


def test_fro_d48_the_fleet_lands_whole_fights_and_moves_again():
    story = fleet({"mintol_vale": {"azure_malkioni": {"soldier": 1}}})
    assert ("landing", GREY) == story.asked
    story.refuses(Land("tarins"), "not-adjacent", "FRO-D48")
    story.refuses(Done(), "not-now", "FRO-D48", asked="landing")
    story.say(Land("mintol_vale"))
    story.say(Fight("mintol_vale", "azure_malkioni")).say(Done(), 6, 6, 6, 6, 1)
    assert ("move", GREY) == story.asked
    story.say(March("mintol_vale", "soldier", "tarins", 2)).say(Done())

    assert {"soldier": 2} == story.there("tarins", "grey_malkioni")
    assert {"soldier": 2, "lord": 2, "wizard": 2} == story.there("mintol_vale", "grey_malkioni")


def test_fro_d48_beaten_fleet_may_go_to_sea_and_must_land_again():
    story = fleet({"mintol_vale": {"azure_malkioni": {"soldier": 3}}}).say(Land("mintol_vale"))
    story.say(Fight("mintol_vale", "azure_malkioni")).say(Done(), 1, 1, 1, 1, 1, 1, 1).say(Done())
    for unit, number in (("soldier", 4), ("lord", 2), ("wizard", 2)):
        story.say(Retreat(f"{unit}<neliomi_sea", "neliomi_sea", number))
    assert ("landing", GREY) == story.asked
    story.say(Land("northpoint"))
    assert {"soldier": 4, "lord": 2, "wizard": 2} == story.there("northpoint", "grey_malkioni")


def test_fro_d22_units_left_at_sea_are_lost():
    units = {area: {"azure_malkioni": {"soldier": 1}} for area in ("mintol_vale", "northpoint", "oral_ta", "sog_city")}
    units |= {"dilis_swamp": {"skunk_people": 2}, "oranor": {"bobcat_people": 2}}
    story = fleet(units).say(Land("mintol_vale")).say(Fight("mintol_vale", "azure_malkioni")).say(Done(), 1, 1, 1, 1, 1)
    story.say(Done())
    for unit, number in (("soldier", 4), ("lord", 2), ("wizard", 2)):
        story.say(Retreat(f"{unit}<neliomi_sea", "neliomi_sea", number))
    story.say(Land("mintol_vale")).say(Fight("mintol_vale", "azure_malkioni")).say(Done(), 1, 1, 1, 1, 1).say(Done())
    for unit, number in (("soldier", 4), ("lord", 2), ("wizard", 2)):
        story.say(Retreat(f"{unit}<neliomi_sea", "neliomi_sea", number))
    assert {} == story.there("neliomi_sea", "grey_malkioni")
    assert {"overpopulation"} == {lost.why for lost in story.so_far(UnitsLost)}


def test_fro_d52_river_tax_is_at_most_four_points():
    lands = ("tarins", "akem", "tawars", "arnstor", "perfe", "oranor", "mintol_vale")
    units = {area: {"grey_malkioni": {"soldier": 1}} for area in lands}
    story = History("bull_people", {**units, "golaros": {"bull_people": 1}}, round=9).begin(1).say(Done()).system()
    assert ["river-tax"] * 4 == story.reasons("grey_malkioni")


def test_fro_d52_the_closing_seas_take_half_of_the_wizards():
    units = {
        "tarins": {"grey_malkioni": {"wizard": 2}},
        "akem": {"grey_malkioni": {"wizard": 1, "soldier": 1}},
        "perfe": {"azure_malkioni": {"wizard": 1}},
        "golaros": {"bull_people": 1},
    }
    story = History("bull_people", units, round=10).begin(1).say(Done()).system()
    left = [story.there(area, "grey_malkioni").get("wizard", 0) for area in ("tarins", "akem")]
    assert [0, 1] == left
    assert {} == story.there("perfe", "azure_malkioni")
    assert 3 == len(story.so_far(UnitsLost))
