"""Contradictory tables do not make a scenario."""

from __future__ import annotations

from copy import deepcopy
from types import SimpleNamespace

import pytest

from domain.games.fronela.scenarios import SCENARIOS, fronela_v3
from domain.games.fronela.scenarios.readings import FIRST
from domain.games.fronela.scenarios.tables import BadTables, load


def tables():
    names = ("KEY", "AREAS", "KINDS", "NATIONS", "ARRIVALS", "ROUNDS", "KILLS", "EPISODES", "READINGS")
    return SimpleNamespace(**{name: deepcopy(getattr(fronela_v3, name)) for name in names})


def test_unchanged_tables_make_the_scenario():
    assert SCENARIOS["fronela_v3"] == load(tables())


@pytest.mark.parametrize("key", SCENARIOS)
def test_every_scenario_has_all_readings_with_clause_and_mark(key):
    scenario = SCENARIOS[key]
    assert FIRST.keys() == scenario.readings.keys()
    for name, ruling in scenario.readings.items():
        assert ruling.value == scenario.reads(name)
        assert ruling.clause.startswith("FRO-")
        assert ruling.mark
    with pytest.raises(KeyError):
        scenario.reads("tea-leaves")


def unknown_terrain(told):
    told.AREAS["akem"]["terrain"] = "lava"


def border_to_nowhere(told):
    told.AREAS["akem"]["adjacent"] = [*told.AREAS["akem"]["adjacent"], "atlantis"]


def border_of_one_side(told):
    told.AREAS["akem"]["adjacent"] = [name for name in told.AREAS["akem"]["adjacent"] if name != "tarins"]


def set_up_nowhere(told):
    told.NATIONS["trolls"]["setup"] = {"atlantis": {"unit": 1}}


def too_few_counters(told):
    told.NATIONS["trolls"]["setup"] = {"oral_ta": {"unit": 6}, "glacier_west": {"unit": 7}}


def lands_nowhere(told):
    told.NATIONS["trolls"]["lands"] = [*told.NATIONS["trolls"]["lands"], "atlantis"]


def points_nowhere(told):
    told.NATIONS["trolls"]["points"] = {**told.NATIONS["trolls"]["points"], "atlantis": 1}


def arrival(**row):
    def change(told):
        told.ARRIVALS[12] = [{"nation": "trolls", "units": {"unit": 1}, "where": ["oral_ta"], **row}]

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (unknown_terrain, "akem: unknown terrain lava"),
        (border_to_nowhere, "the border between akem and atlantis is not on both sides"),
        (border_of_one_side, "the border between tarins and akem is not on both sides"),
        (set_up_nowhere, "trolls is set up in atlantis, which is on no map"),
        (too_few_counters, "trolls has too few unit counters for its set-up"),
        (lands_nowhere, "trolls names atlantis, which is on no map"),
        (points_nowhere, "trolls names atlantis, which is on no map"),
        (arrival(nation="atlanteans"), "round 12: no counters for atlanteans"),
        (arrival(units={"wizard": 1}), "round 12: no counters for trolls"),
        (arrival(where=["oral_ta", "atlantis"]), "round 12: trolls arrives nowhere"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_contradictory_tables_are_refused_with_a_message(change, told):
    wrong = tables()
    change(wrong)
    with pytest.raises(BadTables) as bad:
        load(wrong)
    assert told == str(bad.value)


def test_arrival_area_may_be_the_one_with_most_units():
    told = tables()
    arrival(where=["@"])(told)
    assert ("@",) == load(told).arrivals[12][0].where
