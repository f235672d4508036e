"""Wizards and losses: FRO-15, FRO-D03 to FRO-D05, FRO-D18."""

from __future__ import annotations

from dataclasses import replace

from domain.games.fronela.commands import Auto, BendDie, Done, Fight, March, Take
from domain.games.fronela.events import BattleRolled, Die, DieBent, HitsSpent, UnitsLost
from domain.games.fronela.phases.losses import usual_loss
from domain.games.fronela.state import AreaBattle, Group
from tests.fronela.story import BLACK, GREY, History, board


def attack(area, defender, kinds, *, soldiers=2, at="tarins", nation="black_malkioni", rolls=1, **fields):
    """Soldiers with a Lord march on an area; the first battle question is pending."""
    units = {at: {nation: {"soldier": soldiers, "lord": 1}}, area: {defender: kinds}}
    story = History(nation, units, **fields).begin(*[1] * rolls)
    return story.say(March(at, "soldier", area, soldiers)).say(Done())


def test_fro_15_the_attacker_chooses_the_losses_of_both_sides():
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2, "lord": 1, "farmer": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "lord", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 5, 1, 6, 1)

    assert ("defender_losses", BLACK) == story.asked
    story.say(Take("lord", 1))
    assert ("attacker_losses", BLACK) == story.asked
    story.say(Take("lord<tarins", 1))
    assert {"soldier": 2} == story.there("akem", "black_malkioni")
    assert {"soldier": 2, "farmer": 1} == story.there("akem", "grey_malkioni")


def test_fro_d03_wizards_name_their_dice_before_the_roll_attacker_first():
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "lord": 1, "wizard": 2}},
        "akem": {"grey_malkioni": {"soldier": 1, "wizard": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "wizard", "akem", 2)).say(Done())
    story.say(Fight("akem", "grey_malkioni"))
    assert ("attack_wizards", BLACK) == story.asked
    story.refuses(BendDie("attack", 3), "no-such-die", "FRO-D03", dice=2)
    story.refuses(BendDie("defence", 1), "no-such-die", "FRO-D03", dice=0)
    story.say(BendDie("attack", 1)).say(BendDie("attack", 1))
    assert ("defence_wizards", GREY) == story.asked
    story.say(BendDie("defence", 1), 3, 1, 4)

    assert 3 == len(story.so_far(DieBent))
    assert (Die(3, 2, 5), Die(1, 0, 1)) == story.so_far(BattleRolled)[0].attack
    assert (Die(4, 1, 5),) == story.so_far(BattleRolled)[0].defence


def test_fro_d03_wizards_need_not_modify_a_die():
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "lord": 1, "wizard": 2}},
        "akem": {"grey_malkioni": {"soldier": 1, "wizard": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 2)).say(March("tarins", "wizard", "akem", 2)).say(Done())
    story.say(Fight("akem", "grey_malkioni")).say(BendDie("attack", 1)).say(Done())
    assert ("defence_wizards", GREY) == story.asked
    story.say(Done(), 3, 1, 4)

    assert 1 == len(story.so_far(DieBent))
    assert (Die(3, 1, 4), Die(1, 0, 1)) == story.so_far(BattleRolled)[0].attack
    assert (Die(4, 0, 4),) == story.so_far(BattleRolled)[0].defence


def test_fro_d03_wizard_who_falls_has_still_modified_the_die():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1, "lord": 1, "wizard": 1}},
        "akem": {"skunk_people": 1},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "soldier", "akem", 1)).say(March("tarins", "wizard", "akem", 1)).say(Done())
    story.say(Fight("akem", "skunk_people"))
    assert ("special_retreat", BLACK) == story.asked
    story.say(Done())
    assert ("attack_wizards", BLACK) == story.asked
    story.say(BendDie("attack", 1), 4, 6).say(Take("wizard<tarins", 1))
    assert {} == story.there("akem", "skunk_people")
    assert {"soldier": 1} == story.there("akem", "black_malkioni")


def test_fro_d04_an_attacking_wizard_only_helps_soldiers():
    units = {
        "tarins": {"black_malkioni": {"lord_death": 1, "wizard": 1}},
        "akem": {"grey_malkioni": {"soldier": 1}},
    }
    story = History("black_malkioni", units).begin(1)
    story.say(March("tarins", "lord_death", "akem", 1)).say(March("tarins", "wizard", "akem", 1)).say(Done())
    story.say(Fight("akem", "grey_malkioni"), 1, 1, 1)

    assert [] == story.so_far(DieBent)


def test_fro_d05_attacker_who_cannot_hit_must_retreat():
    story = attack("akem", "grey_malkioni", {"wizard": 2}, soldiers=1).say(Fight("akem", "grey_malkioni"))
    story.say(BendDie("attack", 1)).say(BendDie("attack", 1), 6)

    assert {"soldier": 1, "lord": 1} == story.there("tarins", "black_malkioni")
    assert ("round", 0) == story.asked

    able = attack("akem", "grey_malkioni", {"wizard": 1}, soldiers=1).say(Fight("akem", "grey_malkioni"))
    able.say(BendDie("attack", 1), 1).say(Done())
    assert ("battle", BLACK) == able.asked


def test_fro_d18_impossible_losses_are_refused_and_auto_takes_the_usual_ones():
    units = {
        "tarins": {"black_malkioni": {"soldier": 2, "lord": 1, "wizard": 1, "farmer": 1}},
        "akem": {"grey_malkioni": {"soldier": 3}},
    }
    story = History("black_malkioni", units).begin(1)
    for unit, number in (("soldier", 2), ("lord", 1), ("wizard", 1), ("farmer", 1)):
        story.say(March("tarins", unit, "akem", number))
    story.say(Done()).say(Fight("akem", "grey_malkioni")).say(Done(), 1, 1, 6, 6, 1)
    story.refuses(Take("soldier<tarins", 3), "no-such-units", "FRO-D18", most=2, asked=3)
    story.refuses(Take("soldier<tarins", 0), "no-such-units", "FRO-D18", least=1, most=2, asked=0)
    here = ["soldier<tarins", "lord<tarins", "wizard<tarins", "farmer<tarins"]
    story.refuses(Take("king", 1), "no-such-units", "FRO-D18", units=here, there=0, asked=1)
    story.say(Auto())
    assert {"soldier": 1, "lord": 1, "wizard": 1} == story.there("akem", "black_malkioni")


def clash(own, theirs, attack_dice, defence_dice):
    """Black Malkioni march all units except one Lord from Tarins to Akem and roll; no wizard bends a die."""
    units = {
        "tarins": {"black_malkioni": {**own, "lord": own.get("lord", 0) + 1}},
        "akem": {"grey_malkioni": theirs},
    }
    story = History("black_malkioni", units).begin(1)
    for unit, number in own.items():
        story.say(March("tarins", unit, "akem", number))
    command = story.say(Done()) and Fight("akem", "grey_malkioni")
    while story.unrolled(command):
        command = story.say(command) and Done()
    return story.say(command, *attack_dice, *defence_dice)


def fallen(story):
    return [(lost.nation, lost.kind, lost.count) for lost in story.so_far(UnitsLost)]


def test_fro_d18_own_losses_are_soldiers_but_the_last_farmers_wizards_then_lords():
    own = {"soldier": 3, "farmer": 1, "wizard": 1, "lord": 1}
    story = clash(own, {"soldier": 5}, (1, 1, 1), (6, 6, 6, 6, 6)).say(Auto())

    kinds = ["soldier", "soldier", "farmer", "wizard", "lord"]
    assert [("black_malkioni", kind, 1) for kind in kinds] == fallen(story)
    assert {"soldier": 1} == story.there("akem", "black_malkioni")


def test_fro_d18_enemy_losses_are_soldiers_wizards_lords_then_farmers():
    theirs = {"soldier": 1, "farmer": 1, "wizard": 1, "lord": 1}
    for hits, kinds in ((2, ["soldier", "wizard"]), (3, ["soldier", "wizard", "lord"])):
        faces = (6,) * hits + (1,) * (3 - hits)
        story = clash({"soldier": 3}, theirs, faces, (1,)).say(Auto())
        assert [("grey_malkioni", kind, 1) for kind in kinds] == fallen(story)
        assert [] == story.so_far(HitsSpent)


def test_fro_d18_units_that_fled_here_fall_first_within_a_kind():
    state = replace(
        board({"akem": {"black_malkioni": 2, "grey_malkioni": {"soldier": 1}}}),
        battle=AreaBattle("akem", "black_malkioni", "grey_malkioni", dealt=1),
    )
    groups = (Group("soldier", 1), Group("soldier", 1, fled=True))
    state = replace(state, board={"akem": {**state.board["akem"], "grey_malkioni": groups}})

    assert Take("soldier!", 1) == usual_loss(state, "defender_losses")


def test_fro_d18_losses_without_a_choice_ask_nothing_and_surplus_hits_are_lost():
    story = clash({"soldier": 3}, {"soldier": 1, "farmer": 1}, (6, 6, 6), (1,))
    assert [("grey_malkioni", "soldier", 1), ("grey_malkioni", "farmer", 1)] == fallen(story)
    assert {("akem", "", "black_malkioni", "battle", 1)} == {
        (lost.area, lost.came, lost.by, lost.why, lost.hits) for lost in story.so_far(UnitsLost)
    }
    assert [HitsSpent("grey_malkioni", "akem")] == story.so_far(HitsSpent)

    even = clash({"soldier": 3}, {"soldier": 1, "farmer": 1}, (6, 6, 1), (1,))
    assert [("grey_malkioni", "soldier", 1), ("grey_malkioni", "farmer", 1)] == fallen(even)
    assert [] == even.so_far(HitsSpent)

    single = clash({"soldier": 3}, {"soldier": 2}, (6, 1, 1), (1, 1))
    assert [("grey_malkioni", "soldier", 1)] == fallen(single)


def test_fro_d18_more_losses_than_hits_are_refused():
    units = {
        "tarins": {"black_malkioni": {"soldier": 3, "lord": 1}},
        "akem": {"grey_malkioni": {"soldier": 2, "wizard": 1}},
    }
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 3)).say(Done())
    story.say(Fight("akem", "grey_malkioni")).say(Done(), 6, 1, 1, 1, 1)
    story.refuses(Take("soldier", 2), "too-many-losses", "FRO-D18", hits=1, asked=2)


def test_fro_d18_gonn_orta_falls_to_two_hits_of_one_round():
    story = attack("western_nida", "gonn_orta", 1, at="tawars", nation="grey_malkioni")
    story.fight("western_nida", "gonn_orta", 6, 1, 1, 1)
    assert [HitsSpent("gonn_orta", "western_nida")] == story.so_far(HitsSpent)
    if story.asked[0] == "retreat":
        story.say(Done())
    story.fight("western_nida", "gonn_orta", 6, 6, 1, 1)
    assert {} == story.there("western_nida", "gonn_orta")
    assert [(1, 2)] == [(lost.count, lost.hits) for lost in story.so_far(UnitsLost) if lost.nation == "gonn_orta"]
    assert 1 == len(story.so_far(HitsSpent)), "of the two hits that felled it none is left"
    assert ["gonn-orta-killed"] == story.reasons("grey_malkioni")
    assert 5 == story.points("grey_malkioni")


def test_fro_e10_one_soldier_against_two_wizards():
    story = attack("akem", "grey_malkioni", {"wizard": 2}, soldiers=1).say(Fight("akem", "grey_malkioni"))
    story.say(Auto(), 6)

    assert [-2] == [die.modifier for die in story.so_far(BattleRolled)[0].attack]
    assert {"wizard": 2} == story.there("akem", "grey_malkioni")
    assert {} == story.there("akem", "black_malkioni")
