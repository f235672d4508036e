"""Timeouts, ``auto`` and ``done``, and questions with one answer: FRO-D55, FRO-D57, FRO-D58."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from domain.games.fronela.commands import Auto, Done, Fight, March, SetGrowth, SetLosses, SetStance, SetWizards
from domain.games.fronela.episodes.god_learners import Land
from domain.games.fronela.events import (
    Asked,
    BattleJoined,
    BattleRolled,
    DieBent,
    GrowthLost,
    PersonMoved,
    UnitsLost,
    UnitsRetreated,
)
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import Orders
from domain.games.fronela.turn.sequence import QUESTIONS
from domain.kernel.shape import as_line
from tests.fronela.asked import QUESTIONS_PUT, V2, V3, attacked, two_battles
from tests.fronela.story import AZURE, BLACK, GREY, History
from tests.story import LoadedDice
from tests.test_clauses import RULES


def test_fro_d55_stance_given_during_the_retreat_question_applies_on_timeout():
    """Three dice against two: the default is to stay. Since version 3, the new order makes the units retreat."""
    for key, stays in ((V2, True), (V3, False)):
        story = attacked(key).say(Done(), *([1] * 5 if key == V3 else []))
        if key == V2:
            story.say(Fight("akem", "grey_malkioni"), 1, 1, 1, 1, 1)
        assert ("retreat", GREY) == story.asked
        story.say(SetStance("grey_malkioni", "always_retreat"), seat=GREY).default(GREY)
        assert stays == bool(story.there("akem", "grey_malkioni"))
        assert stays != bool(story.of(UnitsRetreated))


def test_fro_d55_hold_order_keeps_outnumbered_units_in_place():
    for stance, there in (("hold", {"soldier": 1}), ("retreat_if_outnumbered", {}), ("ask", {})):
        story = attacked(kinds={"soldier": 1}).say(Done(), 1, 1, 1)
        assert ("retreat", GREY) == story.asked
        story.say(SetStance("grey_malkioni", stance), seat=GREY).default(GREY)
        assert there == story.there("akem", "grey_malkioni"), stance


def test_fro_d55_wizard_order_given_during_the_question_applies_on_timeout():
    for policy, bends in (("weaken", ["attack"]), ("strengthen", ["defence"]), ("rest", []), ("ask", ["attack"])):
        story = attacked(kinds={"soldier": 3, "wizard": 1}).say(Done())
        assert ("defence_wizards", GREY) == story.asked
        story.say(SetWizards("grey_malkioni", policy), seat=GREY).default(GREY, LoadedDice(1, 1, 1, 1, 1))
        assert bends == [bend.side for bend in story.of(DieBent)]


def test_fro_d55_losses_order_given_during_the_question_applies_on_timeout():
    for own, kind in (("farmer,wizard,lord,soldier", "lord"), ("ask", "soldier")):
        story = attacked(soldiers=2, kinds={"soldier": 2}).say(March("tarins", "lord", "akem", 1))
        story.say(Done(), 1, 1, 5, 1)
        assert ("attacker_losses", BLACK) == story.asked
        story.say(SetLosses("black_malkioni", own, "usual"), seat=BLACK).default(BLACK)
        assert kind == story.of(UnitsLost)[0].kind


def test_fro_d55_growth_declined_during_the_question_is_lost_on_timeout():
    story = History("black_malkioni", {"akem": {"black_malkioni": {"farmer": 2, "lord": 1}}}, V3).begin(5)
    assert ("growth", BLACK) == story.asked
    story.say(SetGrowth("black_malkioni", "decline"), seat=BLACK).default(BLACK)
    assert [GrowthLost("black_malkioni", "akem", "declined")] == story.of(GrowthLost)


# -- auto and done ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", QUESTIONS_PUT)
@pytest.mark.parametrize("command", [Auto(), Done()])
def test_fro_d57_auto_and_done_answer_every_question(kind, command):
    story = QUESTIONS_PUT[kind]()
    assert kind == story.asked[0]
    serial = story.state.asking.serial
    assert story.offers(command)
    story.when(story.asked[1], command, LoadedDice(*[1, 5] * 300))
    assert story.refusal is None
    assert serial != story.state.asking.serial


@pytest.mark.parametrize("kind", ["battle", "landing", "eleven_beasts", "hrestol", "blinding_eye", "harrek_ride"])
def test_fro_d57_version_2_refuses_auto_and_done_for_these_questions(kind):
    story = QUESTIONS_PUT[kind]()
    story.state = replace(story.state, scenario=V2)
    for command in (Auto(), Done()):
        story.refuses(command, "not-now", story.state.asking.clause)


def test_fro_d57_done_fights_every_battle_to_its_end_and_auto_only_the_next_round():
    story = two_battles()
    for nation, seat in (("grey_malkioni", GREY), ("azure_malkioni", AZURE)):
        story.say(SetStance(nation, "hold"), seat=seat)
    story.say(Auto(), 1, 1, 1, 1)
    assert ["akem"] == [battle.area for battle in story.so_far(BattleJoined)]
    assert ("battle", BLACK) == story.asked

    story.say(Done(), 1, 1, 1, 1, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5)
    assert [("akem", 2), ("akem", 3), ("arnstor", 1), ("arnstor", 2)] == [
        (b.area, b.number) for b in story.of(BattleJoined)
    ]
    assert ("round", 0) == story.asked


def test_fro_d57_done_continues_after_a_question_to_another_player():
    story = two_battles().say(Done(), 1, 1, 1, 1)
    assert ("retreat", GREY) == story.asked
    story.say(Done(), 5, 5, 1, 1, 1, 1, 1, 1)
    assert ("retreat", AZURE) == story.asked
    story.say(Done(), 5, 5, 1, 1)
    assert ("round", 0) == story.asked


SILENCE: dict[str, dict[str, Any]] = {
    "growth": {"type": "units_placed", "area": "akem", "units": {"soldier": 1}, "why": "growth"},
    "move": {"type": "moves_ended", "nation": "bull_people"},
    "battle": {"type": "battle_joined", "area": "akem", "defender": "grey_malkioni", "number": 1},
    "special_retreat": {
        "type": "units_retreated",
        "nation": "reindeer_people",
        "to": "northern_tundra",
        "why": "special",
    },
    "attack_wizards": {"type": "die_bent", "nation": "black_malkioni", "side": "attack", "die": 2, "by": 1},
    "defence_wizards": {"type": "die_bent", "nation": "grey_malkioni", "side": "attack", "die": 1, "by": -1},
    "defender_losses": {"type": "units_lost", "nation": "grey_malkioni", "kind": "soldier", "count": 1},
    "attacker_losses": {"type": "units_lost", "nation": "black_malkioni", "kind": "soldier", "count": 1},
    "retreat": {},
    "rout": {"type": "units_retreated", "kind": "lord", "to": "tarins", "why": "forced"},
    "landing": {"type": "units_marched", "kind": "soldier", "count": 4, "to": "northpoint"},
    "eleven_beasts": {"type": "units_placed", "area": "junora", "units": {"unit": 1}, "why": "event"},
    "siglat": {"type": "units_placed", "area": "easval", "units": {"soldier": 2}, "why": "event"},
    "hrestol": {},
    "blinding_eye": {"type": "units_lost", "area": "golaros", "kind": "farmer", "why": "event"},
    "talor": {"type": "person_placed", "person": "talor", "area": "akem"},
    "jonat": {"type": "person_placed", "person": "jonat", "area": "southpoint"},
    "harrek_ride": {"type": "person_moved", "person": "harrek", "to": "tarins", "before": "tastolar"},
}
"""The result of a timeout, by kind of question: part of an event, or empty if nothing happens."""


@pytest.mark.parametrize("kind", SILENCE)
def test_fro_d57_timeout_has_the_expected_result(kind):
    story = QUESTIONS_PUT[kind]()
    story.default(story.asked[1], LoadedDice(*[1, 5] * 300))
    told = SILENCE[kind]
    if told:
        assert any(told.items() <= as_line(event).items() for event in story.events), story.events
    else:
        assert not {UnitsRetreated, PersonMoved} & {type(event) for event in story.events}


def test_every_kind_of_question_to_a_seat_has_a_story():
    assert QUESTIONS.keys() - {"round"} == QUESTIONS_PUT.keys() == SILENCE.keys()


def test_fro_d57_rules_list_every_kind_of_question_with_its_timeout_result():
    """The table of section 7.8 names each kind once, in any order."""
    text = (RULES / "fronela.md").read_text(encoding="utf-8")
    table = text.partition("### 7.8")[2].partition("\n###")[0]
    named = [line.split("|")[1].strip(" `") for line in table.splitlines() if line.startswith("| `")]
    assert sorted(QUESTIONS) == sorted(named)


# -- one answer -------------------------------------------------------------------------------------------------------


def test_fro_d58_the_only_battle_is_fought_without_a_question():
    for key, put in ((V2, 1), (V3, 0)):
        story = attacked(key)
        story.say(Done(), *([1] * 5 if key == V3 else []))
        assert put == len([asked for asked in story.so_far(Asked) if asked.kind == "battle"])
    assert [1] == [battle.number for battle in story.so_far(BattleJoined)]
    story.say(Done())
    assert ("battle", BLACK) == story.asked, "after the first round the attackers may leave"


def test_fro_d58_two_battles_are_a_choice():
    assert ("battle", BLACK) == two_battles().asked


def test_fro_d58_attackers_who_cannot_leave_fight_on_without_a_question():
    """Attackers that arrived there and cannot retreat have one answer in every round."""
    around = {area: {"trolls": 1} for area in SCENARIOS[V3].areas["kartolin_pass"].adjacent}
    units = {"kartolin_pass": {"grey_barbarians": 2, "wolf_people": 1}, **around}
    story = History("grey_barbarians", units, V3, orders={"wolf_people": Orders("hold")}).begin(1)
    story.say(Done(), 1, 1, 1, 1, 1, 1, 1, 6, 1)
    assert 3 == len(story.so_far(BattleRolled))
    assert "battle" not in {asked.kind for asked in story.so_far(Asked)}


def test_fro_d58_losses_among_units_of_one_name_ask_no_question():
    """Soldiers from two areas have the same name, so it does not matter which of them fell."""
    for key, put in ((V2, True), (V3, False)):
        units = {
            "tarins": {"black_malkioni": {"soldier": 2, "lord": 1}},
            "arnstor": {"black_malkioni": {"soldier": 2, "lord": 1}},
            "akem": {"grey_malkioni": {"soldier": 2}},
        }
        story = History("black_malkioni", units, key, orders={"grey_malkioni": Orders("hold")}).begin(1, 1)
        story.say(March("tarins", "soldier", "akem", 2)).say(March("arnstor", "soldier", "akem", 2))
        faces = (1, 1, 1, 1, 5, 1)
        if put:
            story.say(Done()).say(Fight("akem", "grey_malkioni"), *faces)
        else:
            story.say(Done(), *faces)
        assert put == ("attacker_losses" in [asked.kind for asked in story.so_far(Asked)])
        assert put == ({"soldier": 4} == story.there("akem", "black_malkioni"))


def test_fro_d58_single_landing_area_asks_no_question():
    """The fleet has no fighters left, so it lands only in an empty area."""
    for key, put in ((V2, True), (V3, False)):
        units = {area: {"trolls": 1} for area in ("mintol_vale", "northpoint", "oral_ta", "sog_city", "oranor")}
        units |= {"akem": {"grey_malkioni": {"soldier": 10}}}
        story = History("grey_malkioni", units, key, round=8).begin(1)
        assert put == ("landing" in [asked.kind for asked in story.so_far(Asked)])
        if put:
            story.say(Land("dilis_swamp"))
        assert {"lord": 2, "wizard": 2} == story.there("dilis_swamp", "grey_malkioni")
