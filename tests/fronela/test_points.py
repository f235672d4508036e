"""Victory points: FRO-21 and the rulings on who scores what."""

from __future__ import annotations

from dataclasses import replace

from domain.games.fronela.commands import Done, Fight, March
from domain.games.fronela.events import (
    PointsScored,
)
from domain.games.fronela.phases.scoring import area_entries, outcome, totals
from domain.games.fronela.state import Entry
from tests.fronela.story import AZURE, BLACK, BROWN, GREY, History, board


def test_fro_21_most_points_win():
    state = replace(board({}), ended=True, points={**board({}).points, "trolls": 5, "bear_people": 3, "bull_people": 4})
    ended = outcome(state)

    assert (GREY,) == ended.winners
    assert {BLACK: 4, GREY: 5, AZURE: 0, BROWN: 3} == ended.scores
    assert outcome(replace(state, ended=False)) is None


def test_fro_d25_a_tie_is_shared_and_listed_by_areas_held():
    units = {"akem": {"bull_people": 1}, "rathorela": {"bear_people": 1}, "zoria": {"bear_people": 1}}
    blank = board(units)
    state = replace(blank, ended=True, points={**blank.points, "bear_people": 4, "bull_people": 4})
    assert (BROWN, BLACK) == outcome(state).winners


def test_fro_d33_area_points():
    units = {
        "tarins": {"black_malkioni": {"soldier": 1}},
        "akem": {"black_malkioni": {"farmer": 1}},
        "sog_city": {"black_malkioni": {"soldier": 1}},
        "perfe": {"black_malkioni": {"farmer": 1}},
        "oranor": {"black_malkioni": {"farmer": 1}},
        "loskalm_hills": {"azure_malkioni": {"soldier": 1}},
        "mintol_vale": {"azure_malkioni": {"farmer": 1}},
        "zoria": {"black_barbarians": 1},
        "charg": {"grey_barbarians": 1},
        "rathorela": {"bear_people": 1},
        "tastolar": {"bear_people": 1},
        "stomble": {"wolf_people": 1},
        "oral_ta": {"trolls": 1},
        "golaros": {"trolls": 1},
        "western_nida": {"gonn_orta": 1},
        "nidan_mountains": {"mostali": 1},
        "maidstone_mountains": {"grotaron": 1},
    }
    found = {(entry.nation, entry.area): entry.points for entry in area_entries(board(units, round=3))}
    assert {
        ("black_malkioni", "tarins"): 1,
        ("black_malkioni", "akem"): 2,
        ("black_malkioni", "sog_city"): 4,
        ("black_malkioni", "perfe"): 1,
        ("azure_malkioni", "loskalm_hills"): 1,
        ("azure_malkioni", "mintol_vale"): 2,
        ("black_barbarians", "zoria"): 2,
        ("grey_barbarians", "charg"): 1,
        ("bear_people", "rathorela"): 2,
        ("wolf_people", "stomble"): 1,
        ("trolls", "oral_ta"): 1,
        ("gonn_orta", "western_nida"): 2,
        ("mostali", "nidan_mountains"): 1,
        ("grotaron", "maidstone_mountains"): 2,
    } == found


def kill(attacker, at, area, defender, kinds, *faces, growth=1, number=2):
    units = {at: {attacker: number}, area: {defender: kinds}}
    story = History(attacker, units).begin(*[1] * growth)
    story.say(March(at, "unit", area, number)).say(Done())
    return story.fight(area, defender, *faces)


def test_fro_d34_points_for_kills():
    cases = (
        ("grey_barbarians", "perfe", "tawars", "black_malkioni", {"soldier": 1}, (6, 6, 1), 1, "soldier-killed"),
        ("wolf_people", "stomble", "charg", "grey_barbarians", 1, (6, 6, 1), 1, "prey-killed"),
    )
    for attacker, at, area, defender, kinds, faces, points, reason in cases:
        growth = 1 if attacker == "grey_barbarians" else 0
        story = kill(attacker, at, area, defender, kinds, *faces, growth=growth)
        assert points == story.points(attacker), attacker
        assert [reason] == story.reasons(attacker)
        assert {"FRO-D34"} == {entry.clause for entry in story.state.ledger}
    trolls = kill("trolls", "oral_ta", "loskalm_hills", "azure_malkioni", {"soldier": 2}, 6, 6, 1, 1, growth=0)
    assert ["prey-killed"] * 2 == trolls.reasons("trolls")
    dwarf = kill("trolls", "oral_ta", "loskalm_hills", "mostali", 1, 6, 6, 1, growth=0)
    assert 0 == dwarf.points("trolls")
    plain = kill("grey_barbarians", "perfe", "golaros", "badger_people", 1, 6, 6, 1)
    assert 0 == plain.points("grey_barbarians")


def test_fro_d34_lords_and_wizards_are_worth_a_point_to_any_nation():
    units = {
        "tarins": {"black_malkioni": {"soldier": 3, "lord": 1}},
        "akem": {"grey_malkioni": {"lord": 1, "wizard": 1}},
    }
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 3)).say(Done())
    story.say(Fight("akem", "grey_malkioni")).say(Done(), 6, 6, 6)
    assert ["noble-killed"] * 2 == story.reasons("black_malkioni")


def test_fro_d37_killer_scores_once_per_unit_and_never_for_its_own_color():
    own = kill("bear_people", "dona_vale", "southpoint", "brown_malkioni", {"soldier": 1}, 6, 6, 1)
    assert 0 == own.points("bear_people")
    defended = kill("grey_barbarians", "perfe", "tawars", "bull_people", 2, 1, 1, 6, 1)
    assert 0 == defended.points("bull_people")
    wolf = kill("wolf_people", "stomble", "charg", "grey_malkioni", {"lord": 1}, 6, 1, growth=0)
    assert 1 == wolf.points("wolf_people")
    beast = kill("grey_barbarians", "perfe", "tawars", "black_malkioni", {"soldier": 3}, 1, 1, 6, 6, 6)
    assert [] == beast.reasons("black_malkioni")


def test_area_points_come_after_the_end_event_of_the_round():
    story = History("bull_people", {"tawars": {"bull_people": 1}}, round=3).begin(1).say(Done()).system()
    assert [PointsScored(3, "bull_people", "area", "FRO-D33", 2, "tawars")] == story.so_far(PointsScored)
    assert [Entry(3, "bull_people", "area", "FRO-D33", 2, "tawars")] == list(story.state.ledger)
    assert 2 == totals(story.state)[BLACK]
