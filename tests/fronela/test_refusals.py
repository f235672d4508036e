"""Messages of refused commands: which terrain, which nation, which rule, and how many are left."""

import pytest

from domain.games.fronela.commands import (
    BendDie,
    Done,
    Fight,
    Grow,
    March,
    Retreat,
    SetRefuges,
    SetStance,
    SetWizards,
    Take,
)
from tests.fronela.story import AZURE, BLACK, GREY, History
from tests.fronela.test_episodes_late import ban


def said(story, command, seat=None):
    return story.violation(command, seat).message


def marching(nation, units, *faces, **fields):
    return History(nation, units, **fields).begin(*faces)


BLACKS = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1, "farmer": 1}}, "akem": {"bull_people": 1}}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (March("tarins", "soldier", "junora", 1), "Junora is not next to Tarins."),
        (March("tarins", "soldier", "atlantis", 1), "An area that is on no map is not next to Tarins."),
        (March("tarins", "soldier", "akem", 3), "There are only 2 of them."),
        (March("tarins", "lord", "akem", 2), "There is only 1 of them."),
        (March("tarins", "wizard", "akem", 1), "No units here are called so; there are: soldier, lord, farmer."),
        (March("easval", "soldier", "akem", 1), "There are no units of the Black Malkioni in Easval."),
        (
            March("tarins", "farmer", "akem", 1),
            "Other nations are in Akem. These units can enter it only together with a unit of theirs that has a die.",
        ),
    ],
)
def test_fro_07_refused_step_says_why(command, sentence):
    assert sentence == said(marching("black_malkioni", BLACKS, 1), command)


@pytest.mark.parametrize(
    ("nation", "at", "to", "sentence"),
    [
        ("trolls", "oral_ta", "northpoint", "The Trolls never enter Northpoint, which is clear land."),
        ("bear_people", "oral_ta", "glacier_west", "The Bear People never enter Glacier West, which is glacier."),
        ("gonn_orta", "maidstone_mountains", "easval", "Gonn Orta never enters Easval, which is clear land."),
        ("skunk_people", "tarins", "sog_city", "The Skunk People never enter Sog City, which is a city."),
        (
            "black_malkioni",
            "mintol_vale",
            "neliomi_sea",
            "The Black Malkioni never enter Neliomi Sea, which is open sea.",
        ),
    ],
)
def test_fro_d39_refusal_names_the_terrain_of_a_closed_area(nation, at, to, sentence):
    units = {"soldier": 1, "lord": 1} if nation == "black_malkioni" else {"unit": 1}
    story = History(nation, {at: {nation: units}}).begin(*[1] * (nation == "black_malkioni"))

    assert sentence == said(story, March(at, next(iter(units)), to, 1))


def test_fro_09_refusal_names_the_rough_area_that_was_left():
    story = marching("black_malkioni", {"oranor": {"black_malkioni": {"soldier": 1, "lord": 1}}}, 1)
    story.say(March("oranor", "soldier", "tawars", 1))

    sentence = "Leaving Oranor, which is rough land, was the last step of these units."
    assert sentence == said(story, March("tawars", "soldier<oranor", "akem", 1))


def test_fro_d46_refusal_says_whether_the_ban_is_about_the_river_or_the_area():
    units = {"akem": {"grey_malkioni": {"soldier": 2, "lord": 1}}, "tawars": {"bull_people": 1}}
    story = ban(units, 1)

    river = "Under the Syndics' Ban, no one crosses the Janube, and Tarins is on the other side."
    assert river == said(story, March("akem", "soldier", "tarins", 1))
    ground = "Under the Syndics' Ban, Tawars is closed, because its own people are there."
    assert ground == said(story, March("akem", "soldier", "tawars", 1))


def battle():
    units = {"akem": {"black_malkioni": {"soldier": 3, "lord": 1}}, "tawars": {"grey_malkioni": {"soldier": 3}}}
    return History("black_malkioni", units).begin(1).say(March("akem", "soldier", "tawars", 3)).say(Done())


def test_fro_10_refused_fight_says_where_a_battle_is_left():
    story = battle()

    assert "You have no one to fight there; a battle is left in Tawars." == said(story, Fight("akem", "trolls"))
    assert "You are not fighting them there; a battle is left in Tawars." == said(story, Fight("tawars", "trolls"))


def test_fro_18_refused_retreat_says_why():
    story = battle().say(Fight("tawars", "grey_malkioni"), 1, 1, 1, 1, 1, 1)

    assert (GREY, "retreat") == (story.asked[1], story.asked[0])
    assert "Others hold Akem." == said(story, Retreat("soldier", "akem", 1))
    assert "There is no way from Tawars to Easval." == said(story, Retreat("soldier", "easval", 1))
    story.say(Done())
    sentence = "Attackers go back only where they came from: to Akem."
    assert sentence == said(story, Retreat("soldier<akem", "oranor", 1))


def test_fro_11_refusal_out_of_turn_names_the_player_and_nation_asked():
    story = battle().say(Fight("tawars", "grey_malkioni"), 1, 1, 1, 1, 1, 1)

    sentence = "It is not your turn. The grey player is asked about the Grey Malkioni."
    assert sentence == said(story, Done(), BLACK)


def test_fro_d18_refusal_counts_the_hits_left():
    units = {
        "akem": {"black_malkioni": {"soldier": 2, "lord": 1}},
        "tawars": {"grey_malkioni": {"soldier": 2, "farmer": 2}},
    }
    story = History("black_malkioni", units).begin(1).say(March("akem", "soldier", "tawars", 2)).say(Done())
    story.say(Fight("tawars", "grey_malkioni"), 5, 1, 1, 1)

    assert "1 hit is left to take." == said(story, Take("soldier", 2))


def test_fro_d03_refusal_counts_the_dice_of_the_side():
    units = {
        "akem": {"black_malkioni": {"soldier": 2, "lord": 1, "wizard": 1}},
        "tawars": {"grey_malkioni": {"soldier": 2}},
    }
    story = History("black_malkioni", units).begin(1).say(March("akem", "soldier", "tawars", 2))
    story.say(March("akem", "wizard", "tawars", 1)).say(Done()).say(Fight("tawars", "grey_malkioni"))

    assert "There are only 2 dice on this side." == said(story, BendDie("attack", 3))
    sentence = "Wizards who attack can only strengthen the dice of soldiers beside them."
    assert sentence == said(story, BendDie("defence", 1))


def test_fro_d08_refused_growth_says_what_can_grow():
    story = History("black_malkioni", {"tarins": {"black_malkioni": {"soldier": 1}}, "akem": {"bull_people": 1}}).begin(
        6
    )

    assert "This cannot grow there; what can: farmer." == said(story, Grow("tarins", "lord"))
    assert "No growth roll of this turn succeeded there." == said(story, Grow("akem", "farmer"))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (SetStance("trolls", "hold"), "Orders for the Trolls are not yours to give."),
        (SetStance("elves", "hold"), "There is no nation called so."),
        (
            SetStance("azure_malkioni", "flee"),
            "There is no such order; there are: ask, hold, retreat_if_outnumbered, always_retreat.",
        ),
        (SetRefuges("mostali", ("tarins",)), "The Mostali never enter Tarins, which is clear land."),
        (SetRefuges("azure_malkioni", ("tarins", "tarins")), "At most 3 areas can be named, each once."),
        (SetWizards("mostali", "rest"), "Only Malkioni have wizards."),
    ],
)
def test_fro_16_refused_order_says_why(command, sentence):
    story = History("azure_malkioni", {"tarins": {"azure_malkioni": {"soldier": 1, "lord": 1}}}).begin(1)

    assert sentence == said(story, command, AZURE)
