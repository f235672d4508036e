"""The combat phase: FRO-10 to FRO-15, FRO-19, wizards and losses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela.commands import BendDie, Done, Fight, March, Retreat, Take
from domain.games.fronela.events import Asked, BattleJoined, BattleRolled, Die, FarmersTaken, UnitsLost
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import Group, Orders
from tests.fronela.story import AZURE, BLACK, History


def attack(area, defender, kinds, *, soldiers=2, at="tarins", nation="black_malkioni", rolls=1, **fields):
    """Soldiers with a Lord march on an area; the first battle question is pending."""
    units = {at: {nation: {"soldier": soldiers, "lord": 1}}, area: {defender: kinds}}
    story = History(nation, units, **fields).begin(*[1] * rolls)
    return story.say(March(at, "soldier", area, soldiers)).say(Done())


def test_fro_10_the_attacker_names_the_area_of_each_battle_round():
    units = {
        "tarins": {"black_malkioni": {"soldier": 4, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2}},
        "arnstor": {"azure_malkioni": {"soldier": 2}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "soldier", "arnstor", 2)).say(Done())

    story.refuses(Fight("tarins", "grey_malkioni"), "no-battle", "FRO-10", areas=["akem", "arnstor"])
    story.refuses(Fight("akem", "azure_malkioni"), "no-battle", "FRO-10")
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1).say(Done())
    story.say(Fight("arnstor", "azure_malkioni"), 1, 1, 1, 1).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    assert [("akem", 1), ("arnstor", 1), ("akem", 2)] == [(b.area, b.number) for b in story.so_far(BattleJoined)]


def test_fro_12_all_dice_are_rolled_at_once_and_a_five_hits():
    story = attack("akem", "grey_malkioni", {"soldier": 3}).say(Fight("akem", "grey_malkioni"), 5, 4, 6, 4, 5)

    (rolled,) = story.so_far(BattleRolled)
    assert (Die(5, 0, 5), Die(4, 0, 4)) == rolled.attack
    assert (Die(6, 0, 6), Die(4, 0, 4), Die(5, 0, 5)) == rolled.defence
    assert (1, 2) == (rolled.dealt, rolled.suffered)
    assert {"soldier": 2} == story.there("akem", "grey_malkioni")
    assert {} == story.there("akem", "black_malkioni")


def test_fro_13_attack_dice_have_one_less_in_hard_ground_but_not_on_ice():
    for area, at, modifier in (
        ("dilis_swamp", "akem", -1),
        ("western_nida", "tawars", -1),
        ("greenwood", "zoria", -1),
        ("glacier_west", "oral_ta", 0),
        ("mintol_vale", "tarins", 0),
    ):
        story = attack(area, "grey_malkioni", {"soldier": 1}, at=at).say(Fight(area, "grey_malkioni"), 5, 1, 1)
        (rolled,) = story.so_far(BattleRolled)
        assert [modifier] * 2 == [die.modifier for die in rolled.attack], area
        assert [0] == [die.modifier for die in rolled.defence]


def test_fro_14_giants_and_dwarfs_roll_better():
    gonn = attack("western_nida", "gonn_orta", 1, at="tawars").fight("western_nida", "gonn_orta", 1, 1, 4, 3)
    assert [(4, 1), (3, 1)] == [(die.face, die.modifier) for die in gonn.so_far(BattleRolled)[0].defence]
    assert 1 == gonn.so_far(BattleRolled)[0].suffered
    dwarfs = attack("nidan_mountains", "mostali", 1, at="okarnia").say(Fight("nidan_mountains", "mostali"), 1, 1, 4)
    assert [1] == [die.modifier for die in dwarfs.so_far(BattleRolled)[0].defence]


def test_fro_19_the_phase_ends_when_no_area_is_contested():
    story = attack("akem", "skunk_people", 1)
    for _ in range(2):
        story.fight("akem", "skunk_people", 1, 1, 1)
        if story.asked[0] == "retreat":
            story.say(Done())
        assert ("battle", BLACK) == story.asked
    story.fight("akem", "skunk_people", 6, 1, 1)
    assert ("round", 0) == story.asked
    assert ["soldier"] == story.labels("akem", "black_malkioni")


def test_fro_d01_terrain_modifies_only_the_dice_of_the_active_nation():
    story = attack("dilis_swamp", "grey_malkioni", {"soldier": 2}, at="akem")
    story.say(Fight("dilis_swamp", "grey_malkioni"), 5, 5, 5, 5)

    (rolled,) = story.so_far(BattleRolled)
    assert (0, 2) == (rolled.dealt, rolled.suffered)


def test_fro_d02_a_six_is_no_hit_by_itself():
    story = attack("akem", "grey_malkioni", {"soldier": 1, "wizard": 2}, soldiers=2)
    story.say(Fight("akem", "grey_malkioni")).say(BendDie("attack", 1)).say(BendDie("attack", 1), 6, 1, 1)

    assert (Die(6, -2, 4), Die(1, 0, 1)) == story.so_far(BattleRolled)[0].attack
    assert 0 == story.so_far(BattleRolled)[0].dealt


def test_fro_d06_farmers_alone_are_taken_over_or_killed():
    taken = attack("akem", "grey_malkioni", {"farmer": 2}, soldiers=1)
    assert [FarmersTaken("grey_malkioni", "akem", 2, "black_malkioni", 2)] == taken.so_far(FarmersTaken)
    assert {"soldier": 1, "farmer": 2} == taken.there("akem", "black_malkioni")

    trolls = History("trolls", {"tastolar": {"azure_malkioni": {"farmer": 1}}, "maidstone_mountains": {"trolls": 1}})
    trolls.begin().say(March("maidstone_mountains", "unit", "tastolar", 1)).say(Done())
    assert [("farmers", "trolls")] == [(lost.why, lost.by) for lost in trolls.so_far(UnitsLost)]
    assert 1 == trolls.points("trolls")


@pytest.mark.parametrize(("key", "joined"), [("fronela_v2", 2), ("fronela_v3", 1)])
def test_fro_d06_attackers_with_only_farmers_join_no_battle_from_version_3_on(key, joined):
    """The fighters leave after the first round; the next fight there takes the farmers without a battle."""
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "farmer": 1, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2}},
    }
    story = History("black_malkioni", units, key, orders={"grey_malkioni": Orders("hold")}).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "farmer", "akem", 1))
    if key == "fronela_v3":
        story.say(Done(), 1, 1, 1, 1)
    else:
        story.say(Done()).say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1)
    story.say(Retreat("soldier" if key == "fronela_v3" else "soldier<tarins", "tarins", 2)).say(
        Fight("akem", "grey_malkioni")
    )

    assert [FarmersTaken("black_malkioni", "akem", 1, "grey_malkioni", 1)] == story.so_far(FarmersTaken)
    assert joined == len(story.so_far(BattleJoined))
    assert ("round", 0) == story.asked


def test_fro_10_battle_question_names_no_settled_area_from_version_3_on():
    units = {
        "tarins": {"black_malkioni": {"soldier": 4, "lord": 1}},
        "akem": {"skunk_people": 1},
        "arnstor": {"azure_malkioni": {"soldier": 2}},
        "easval": {"racoon_people": 1},
    }
    for key, named in (("fronela_v2", "akem"), ("fronela_v3", "")):
        story = History("black_malkioni", units, key, orders={"skunk_people": Orders("hold")}).begin(1)
        for area, number in (("akem", 2), ("arnstor", 1), ("easval", 1)):
            story.say(March("tarins", "soldier", area, number))
        story.say(Done()).say(Fight("akem", "skunk_people"), 6, 1, 1)
        assert ["", named] == [asked.area for asked in story.so_far(Asked) if asked.kind == "battle"]
        assert {"nation": "black_malkioni"} == FRONELA.rules.awaiting(story.state)[0].about
        assert FRONELA.knowledge.view(story.state)["battle"] is None


def test_fro_10_view_shows_a_battle_until_its_hits_are_taken():
    units = {"tarins": {"black_malkioni": {"soldier": 1, "lord": 1, "wizard": 1}}, "akem": {"skunk_people": 1}}
    story = History("black_malkioni", units, "fronela_v3", orders={"skunk_people": Orders("hold")}).begin(1)
    for unit in ("soldier", "lord"):
        story.say(March("tarins", unit, "akem", 1))
    story.say(Done(), 6, 5)
    assert ("attacker_losses", BLACK) == story.asked
    assert ("akem", 0, 1) == tuple(
        FRONELA.knowledge.view(story.state)["battle"][name] for name in ("area", "dealt", "suffered")
    )


def test_fro_d06_pool_limits_how_many_farmers_malkioni_take_over():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1, "lord": 1, "farmer": 4}},
        "arnstor": {"black_malkioni": {"farmer": 4}},
        "easval": {"black_malkioni": {"farmer": 3}},
        "akem": {"grey_malkioni": {"farmer": 2}},
    }
    story = History("black_malkioni", units).begin(1, 1, 1)
    while story.asked[0] == "growth":
        story.say(Done())
    story.say(March("tarins", "soldier", "akem", 1)).say(Done())

    (event,) = story.so_far(FarmersTaken)
    assert (2, 1) == (event.count, event.joined)
    assert 12 == story.state.pool["grey_malkioni"]["farmer"]


def test_fro_d06_farmers_left_behind_by_attackers_are_taken_over():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1, "lord": 1, "farmer": 1}},
        "akem": {"grey_malkioni": {"soldier": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 1)).say(March("tarins", "farmer", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 1, 6).say(Take("soldier<tarins", 1))

    assert {"soldier": 1, "farmer": 1} == story.there("akem", "grey_malkioni")
    assert {} == story.there("akem", "black_malkioni")


def test_fro_d06_attacking_farmers_against_farmers_go_back():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1, "lord": 1, "farmer": 1}},
        "akem": {"grey_malkioni": {"soldier": 1, "farmer": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 1)).say(March("tarins", "farmer", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 6, 6).say(Take("soldier", 1)).say(Take("soldier<tarins", 1))

    assert {"lord": 1, "farmer": 1} == story.there("tarins", "black_malkioni")
    assert {"farmer": 1} == story.there("akem", "grey_malkioni")


def test_fro_d07_attackers_retreat_if_neither_side_has_dice():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 1, "lord": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 1)).say(March("tarins", "lord", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 6, 6).say(Take("soldier", 1)).say(Take("soldier<tarins", 1))

    assert {"lord": 1} == story.there("tarins", "black_malkioni")
    assert {"lord": 1} == story.there("akem", "grey_malkioni")


def test_fro_d13_in_a_broken_position_each_round_is_against_one_nation():
    units = {"tarins": {"black_malkioni": {"soldier": 3, "lord": 1}}, "akem": {"skunk_people": 1}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 3))
    here = {**story.state.board["akem"], "grey_malkioni": (Group("soldier", 1),)}
    pool = {**story.state.pool, "grey_malkioni": {**story.state.pool["grey_malkioni"], "soldier": 9}}
    story.state = replace(story.state, board={**story.state.board, "akem": here}, pool=pool)
    story.say(Done()).say(Fight("akem", "grey_malkioni"), 6, 1, 1, 1)
    (rolled,) = story.so_far(BattleRolled)
    assert "grey_malkioni" == rolled.defender
    assert 1 == len(rolled.defence)
    assert story.offers(Fight("akem", "skunk_people"))


def test_fro_e08_three_soldiers_against_one_in_rough():
    story = attack("dilis_swamp", "azure_malkioni", {"soldier": 1}, soldiers=3, at="akem")
    story.say(Fight("dilis_swamp", "azure_malkioni"), 5, 5, 5, 5)
    assert (0, 1) == (story.so_far(BattleRolled)[0].dealt, story.so_far(BattleRolled)[0].suffered)
    assert ("retreat", AZURE) == story.asked
    story.say(Done()).say(Fight("dilis_swamp", "azure_malkioni"), 6, 5, 4)
    assert {} == story.there("dilis_swamp", "azure_malkioni")


def test_fro_e09_sog_city_is_steep_and_ice_is_not():
    city = attack("sog_city", "grey_malkioni", {"soldier": 1}).say(Fight("sog_city", "grey_malkioni"), 5, 5, 1)
    assert [-1, -1] == [die.modifier for die in city.so_far(BattleRolled)[0].attack]
    ice = attack("glacier_west", "trolls", 1, at="oral_ta", rolls=1).say(Fight("glacier_west", "trolls"), 5, 1, 1)
    assert [0, 0] == [die.modifier for die in ice.so_far(BattleRolled)[0].attack]


def test_a_retreat_command_needs_a_fought_round():
    story = attack("akem", "skunk_people", 2)
    story.refuses(Retreat("soldier<tarins", "tarins", 1), "no-refuge", "FRO-16")
