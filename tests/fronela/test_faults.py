"""Positions from outside can contain anything: impossible ones are found and described."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.games.fronela.commands import Done, March
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import Entry, Group, Person
from tests.fronela.story import History


def position():
    units = {"tarins": {"black_malkioni": {"soldier": 2, "lord": 1}}, "akem": {"grey_malkioni": {"soldier": 1}}}
    story = History("black_malkioni", units).begin(1).say(March("tarins", "soldier", "akem", 2)).say(Done())
    assert [] == list(FRONELA.rules.faults(story.state))
    return story.state


def test_empty_stack_is_a_fault():
    state = position()
    pool = {**state.pool, "bull_people": {"unit": 8}}
    both = {**state.board, "perfe": {"bull_people": (Group("unit", 1),), "trolls": (Group("unit", 0),)}}
    assert ["there is an empty stack in perfe"] == list(FRONELA.rules.faults(replace(state, board=both, pool=pool)))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"scenario": "fronela_v0"}, "there is no scenario fronela_v0"),
        ({"round": 18}, "there is no round 18"),
        ({"pool": {}}, "the nations of the pool or of the points are not those of the scenario"),
        ({"pool": {**position().pool, "trolls": {"wizard": 1}}}, "the pool holds counters that do not exist"),
        ({"order": ("atlanteans",)}, "there is no nation atlanteans"),
        ({"tokens": {"crown": "trolls"}}, "there is nobody called crown"),
        ({"persons": {"harrek": Person("atlantis", "")}}, "atlantis is on no map"),
        ({"place": 99}, "there is no slot 99"),
        ({"board": {"akem": {"atlanteans": (Group("unit", 1),)}}}, "there is no nation atlanteans"),
        ({"board": {"akem": {"trolls": (Group("wizard", 1),)}}}, "trolls has units in akem that it cannot have"),
        ({"board": {"akem": {"trolls": (Group("unit", 1, came="moon"),)}}}, "trolls came to akem from nowhere"),
        ({"board": {"akem": {}}}, "there is an empty stack in akem"),
        ({"board": {"akem": {"trolls": ()}}}, "there is an empty stack in akem"),
        ({"ledger": (Entry(1, "trolls", "gift", "FRO-D34", 9, ""),)}, "trolls has 0 points and 9 in the ledger"),
        ({"round": 1}, "hrestol is missing in round 1"),
        ({"asking": None}, "nobody is asked, and the game is not over"),
        ({"ended": True}, "a finished game asks"),
        ({"place": -1}, "black_malkioni and grey_malkioni stand together in akem"),
    ],
)
def test_broken_position_is_described(changes, fault):
    assert fault in FRONELA.rules.faults(replace(position(), **changes))


@pytest.mark.parametrize(
    "kind", ["defender_losses", "retreat", "hrestol", "harrek_ride", "landing", "no_such_question"]
)
def test_unanswerable_question_is_a_fault(kind):
    state = position()
    assert [] != list(FRONELA.rules.faults(replace(state, battle=None, asking=replace(state.asking, kind=kind))))
    agenda = replace(state.asking, agenda=("dance",))
    assert ["the turn cannot go on with dance"] == list(FRONELA.rules.faults(replace(state, asking=agenda)))


def test_counters_must_add_up():
    state = position()
    board = {**state.board, "tarins": {"black_malkioni": (Group("soldier", 9), Group("lord", 1))}}
    assert ["black_malkioni has 11 soldier on the board and 8 in the pool, of 10"] == list(
        FRONELA.rules.faults(replace(state, board=board))
    )
