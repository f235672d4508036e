"""Kinds of questions: each command answers one of them, and every kind is in a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from domain.games.battalia import commands as cmd
from domain.games.battalia.bots import greedy
from domain.games.battalia.module_api.questions import TURN
from domain.games.battalia.modules import NPCS
from domain.games.battalia.readers.faults import faults
from domain.games.battalia.rulebook.turn.kinds import QUESTIONS
from domain.games.battalia.state import Frame
from domain.kernel.dice import Dice
from domain.kernel.terms import SYSTEM, Seat
from tests.battalia.table import changed, day, hand, table, tell
from tests.story import LoadedDice

ASKING = {key: module for key, module in NPCS.items() if module.questions}


def test_every_command_of_the_core_answers_one_kind_of_question():
    answering = Counter(command for question in QUESTIONS.values() for command in question.commands)
    assert dict.fromkeys(cmd.COMMANDS.values(), 1) == answering


@pytest.mark.parametrize("module", ASKING.values(), ids=ASKING)
def test_every_command_of_a_module_answers_one_of_its_own_questions(module):
    answering = {command for question in module.questions.values() for command in question.commands}
    assert set(module.commands.values()) == answering


@pytest.mark.parametrize("module", ASKING.values(), ids=ASKING)
def test_turn_question_of_a_module_has_no_default(module):
    if TURN in module.questions:
        with pytest.raises(NotImplementedError):
            module.questions[TURN].default(table(), 1, Dice(b"silence"))


def test_greedy_bot_has_answers_only_for_existing_kinds_of_questions():
    assert greedy._ANSWERS.keys() <= QUESTIONS.keys()


def test_day_02_only_system_may_start_the_next_day():
    state = table()
    assert ["turn_day"] == [option.type for option in QUESTIONS["day"].legal(state, SYSTEM)]
    assert [] == list(QUESTIONS["day"].legal(state, 1))


def test_position_with_an_unknown_kind_of_question_has_a_fault():
    state = table()
    asked = changed(state, asking=(replace(state.asking[0], kind="riddle"),))
    assert ["a question riddle, which nobody puts"] == faults(asked)


SILENCE = {
    "faction": "Drawn at random",
    "start": "Drawn at random",
    "day": None,
    "turn": "TURN-06",
    "defend": "BAT-14",
    "spoils": "first of the face-up great artefacts",
    "flee": "RAM-14",
    "return": "first own city",
    "wish": "lord of the player's own faction",
    "bet": "BUF-04",
    "entrance": "BUF-03",
    "stir": "BUF-06",
    "march": "BUF-06",
    "victim": "BUF-08",
    "attacked": "BUF-12",
    "discard": "RAM-18",
}
"""The words of the clause about the default answer, by kind of question. SYSTEM, which starts each day, never times out."""


def test_day_08_the_rules_list_the_default_answer_of_every_kind_of_question():
    kinds = {*QUESTIONS, *(kind for module in ASKING.values() for kind in module.questions)}
    assert kinds == SILENCE.keys()
    page = (Path(__file__).parents[2] / "docs" / "rules" / "battalia.md").read_text(encoding="utf-8")
    (clause,) = [line for line in page.splitlines() if line.startswith("| DAY-08 |")]
    assert [] == [kind for kind, words in SILENCE.items() if words is not None and words not in clause]


def test_day_08_art_03_the_default_wish_is_a_lord_of_the_own_faction():
    state = day(hand(table(), 1, "amulet"), 0)
    story = tell(state).when(1, cmd.UseAmulet(state.players[1].hand), LoadedDice(6))
    assert "wish" == story.state.asking[-1].kind
    story.default(1)
    (token,) = story.state.players[1].tokens
    assert token.startswith("lord-barfolk")


def test_day_08_bat_11_the_default_spoils_are_the_first_great_artefact():
    state = table()
    frame = Frame("spoils", state.serial + 1, (Seat(1),), "BAT-11", {"square": state.centre})
    story = tell(changed(state, asking=(*state.asking, frame), serial=state.serial + 1)).default(1)
    assert state.great[0] in story.state.players[1].discard
