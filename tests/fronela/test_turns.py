"""Rounds and turns and how they end: FRO-01 to FRO-03, FRO-20, FRO-21, and the rulings on them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela.commands import Auto, Done, Fight, March
from domain.games.fronela.episodes.hrestol import Guide
from domain.games.fronela.events import (
    Asked,
    BattleRolled,
    GrowthRolled,
    RoundBegun,
    RoundEnded,
    TurnBegun,
    UnitsLost,
    UnitsMarched,
    UnitsPlaced,
    UnitsReadied,
)
from domain.games.fronela.game import FRONELA
from domain.games.fronela.phases.scoring import area_entries
from domain.games.fronela.state import start
from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM
from tests.fronela.story import AZURE, BLACK, BROWN, GREY, KEY, History


def first():
    state = None
    for event in FRONELA.rules.begin(Setup(4, KEY), Dice(bytes(32))):
        state = FRONELA.rules.evolve(state, event)
    return state


def test_fro_01_game_has_seventeen_rounds():
    tables = start(KEY).tables
    assert 17 == tables.last == len(tables.rounds)
    story = History("bull_people", {"tawars": {"bull_people": 1}}, round=17)
    story.state = replace(story.state, place=1)
    story.begin().system()
    assert [RoundEnded(17, last=True)] == story.so_far(RoundEnded)
    assert story.state.ended


def test_fro_02_start_events_come_before_turns_and_end_events_after_them():
    story = History("bull_people", {"tawars": {"bull_people": 1}, "perfe": {"grey_malkioni": {"farmer": 1}}}, round=4)
    story.begin(1).say(Done())
    assert ("round", SYSTEM) == story.asked
    story.system()
    kinds = [type(event) for event in story.events]
    assert kinds.index(RoundEnded) < kinds.index(RoundBegun) < kinds.index(TurnBegun)
    assert "talor" in story.state.tokens


def test_fro_03_a_turn_has_its_phases_in_order():
    units = {"oranor": {"bobcat_people": 4}, "dilis_swamp": {"skunk_people": 1}}
    story = (
        History("bobcat_people", units, round=10).begin(6).say(March("oranor", "unit", "dilis_swamp", 3)).say(Done())
    )
    story.fight("dilis_swamp", "skunk_people", 6, 6, 6, 1)
    order = (GrowthRolled, UnitsPlaced, UnitsReadied, UnitsMarched, BattleRolled, UnitsLost)
    at = [next(place for place, event in enumerate(story.log) if isinstance(event, kind)) for kind in order]
    assert sorted(at) == at


def test_fro_20_units_above_the_maximum_are_removed_from_the_active_nation_only():
    units = {"tawars": {"grey_barbarians": 5}, "golaros": {"grey_barbarians": 3}, "perfe": {"azure_barbarians": 7}}
    story = History("grey_barbarians", units, round=9).begin(1, 1).say(Done())

    assert {"unit": 3} == story.there("tawars", "grey_barbarians")
    assert {"unit": 2} == story.there("golaros", "grey_barbarians")
    assert {"unit": 7} == story.there("perfe", "azure_barbarians")


def test_fro_d19_overpopulation_asks_no_question():
    units = {"tarins": {"black_malkioni": {"lord": 3, "farmer": 6, "wizard": 2, "soldier": 4}}}
    story = History("black_malkioni", units).begin(1).say(Done()).say(Done())

    assert {"lord": 1, "farmer": 4, "wizard": 1, "soldier": 4} == story.there("tarins", "black_malkioni")
    assert ("round", SYSTEM) == story.asked


def test_fro_d21_nation_without_units_is_skipped_and_one_without_moves_is_not_asked():
    order = ("bull_people", "grotaron", "black_malkioni", "bear_people")
    units = {"sog_city": {"black_malkioni": {"soldier": 1}}, "rathorela": {"bear_people": 1}}
    story = History("bull_people", units, order=order).begin(1, 1)

    assert ["black_malkioni", "bear_people"] == [turn.nation for turn in story.so_far(TurnBegun)]
    assert ("move", BROWN) == story.asked


def test_fro_d21_an_arrival_brings_a_nation_back():
    story = History("wolf_people", {}, round=5).begin()
    assert ("move", BROWN) == story.asked


def test_fro_d23_nation_alone_in_an_area_controls_it():
    units = {
        "tarins": {"black_malkioni": {"farmer": 1}},
        "akem": {
            "black_malkioni": {"wizard": 1},
        },
        "tawars": {"black_malkioni": {"soldier": 1}, "bull_people": 1},
    }
    story = History("owl_people", {**units, "greenwood": {"owl_people": 1}}, round=3)
    lands = {entry.area for entry in area_entries(story.state) if entry.nation == "black_malkioni"}
    assert {"tarins", "akem"} == lands


def test_fro_d26_sog_city_begins_empty():
    assert "sog_city" not in start(KEY).board
    assert "hrestol" == next(name for name, person in first().persons.items() if person.area == "sog_city")


def test_fro_d27_game_has_exactly_four_seats():
    for seats in (1, 2, 3, 5):
        with pytest.raises(BadSetup) as refused:
            FRONELA.rules.check(Setup(seats, ""))
        assert ["seats"] == list(refused.value.faults)
    assert "fronela_v3" == FRONELA.rules.check(Setup(4, "")).ruleset
    with pytest.raises(BadSetup) as refused:
        FRONELA.rules.check(Setup(4, "fronela_v0", {"speed": 1}, ("npc",)))
    assert ["ruleset", "options.speed", "modules"] == list(refused.value.faults)


def test_fro_d28_set_up_and_order_of_play():
    state = first()
    assert {"soldier": 1, "wizard": 1, "lord": 2} == {g.kind: g.count for g in state.board["tarins"]["black_malkioni"]}
    on_map = {nation for here in state.board.values() for nation in here}
    assert 11 == len(on_map)
    assert 25 == len(state.order)
    assert ("black_malkioni", "grey_malkioni", "azure_malkioni", "brown_malkioni", "bull_people") == state.order[:5]
    assert "brown_barbarians" == state.order[-1]
    assert {BLACK: 7, GREY: 5, AZURE: 7, BROWN: 6} == {
        seat: len(nations) for seat, nations in state.tables.seats.items()
    }


def test_fro_d29_the_castes_have_their_maxima():
    nation = start(KEY).tables.nations["black_malkioni"]
    most = {
        kind: [table[a] for a in ("tarins", "oranor", "sog_city", "western_nida")]
        for kind, table in nation.maximum.items()
    }
    assert [999, 999, 999, 0] == most["soldier"]
    assert [4, 1, 0, 0] == most["farmer"]
    assert [1, 1, 0, 0] == most["lord"]
    assert [1, 1, 2, 0] == most["wizard"]
    assert 1 == nation.units["farmer"].steps
    assert {"soldier": 1, "lord": 0, "wizard": 0, "farmer": 0, "lord_death": 2} == {
        kind: unit.dice for kind, unit in nation.units.items()
    }


def test_fro_d30_other_unit_kinds_have_their_maxima_and_steps():
    nations = start(KEY).tables.nations
    most = {
        "bull_people": {"tawars": 3, "junora": 2, "oranor": 2, "sog_city": 0, "greenwood": 0},
        "owl_people": {"greenwood": 3, "erigia": 3},
        "grey_barbarians": {"junora": 3, "oranor": 2, "sog_city": 2, "western_nida": 1, "greenwood": 0},
        "trolls": {"glacier_east": 3, "oral_ta": 2, "maidstone_mountains": 1, "tarins": 0},
        "grotaron": {"maidstone_mountains": 3, "western_nida": 2, "oral_ta": 1},
        "mostali": {"nidan_mountains": 3, "rockwood_mountains": 2, "golaros": 1},
    }
    for nation, table in most.items():
        assert table == {area: nations[nation].maximum["unit"][area] for area in table}
    steps = {"bull_people": 2, "grey_barbarians": 2, "trolls": 1, "grotaron": 1, "mostali": 1, "gonn_orta": 1}
    assert steps == {nation: nations[nation].units["unit"].steps for nation in steps}


def test_fro_d32_every_arrival_has_counters_and_a_place():
    tables = start(KEY).tables
    assert (3, 5, 8, 11, 15, 17) == tuple(number for number, row in tables.rounds.items() if row.scores)
    late = {nation for nation in tables.nations if not tables.nations[nation].setup}
    assert 14 == len(late)
    assert late <= {row.nation for rows in tables.arrivals.values() for row in rows}


def test_fro_e12_overpopulation_removes_the_units_of_the_example():
    units = {"nidan_mountains": {"black_malkioni": {"soldier": 1, "lord": 1}}}
    assert {} == History("black_malkioni", units).begin(1).say(Done()).there("nidan_mountains", "black_malkioni")
    farmers = History("black_malkioni", {"akem": {"black_malkioni": {"farmer": 5}}}).begin(1).say(Done())
    assert {"farmer": 4} == farmers.there("akem", "black_malkioni")

    state = first()
    story = History("black_malkioni", {})
    story.state = state
    assert ("hrestol", BLACK) == story.asked
    story.say(Guide("sog_city"), 1).say(Done())
    assert {"soldier": 1, "wizard": 1, "lord": 1, "farmer": 2} == story.there("tarins", "black_malkioni")


def test_only_the_asked_player_answers_and_only_with_a_fitting_command():
    story = History("bull_people", {"tawars": {"bull_people": 1}}).begin(1)
    said = story.violation(Done(), GREY)
    assert ("not-your-turn", None, {"asked": [BLACK]}) == (said.code, said.rule, said.facts)
    for command in (Fight("tawars", "bull_people"), Auto()):
        said = story.violation(command, BLACK)
        assert ("not-now", "FRO-07", "type", {"asked": "move"}) == (said.code, said.rule, said.field, said.facts)
        assert "This command does not answer your pending question." == said.message
    assert 1 == len(story.so_far(Asked))
