"""The kinds of question: each command answers one of them, and every kind that is asked stands in a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from domain.battalia import commands as cmd
from domain.battalia.bots import greedy
from domain.battalia.modules.questions import TURN
from domain.battalia.npcs import NPCS
from domain.battalia.readers.faults import faults
from domain.battalia.rulebook.turn.questions import QUESTIONS
from domain.dice import Dice
from domain.terms import SYSTEM
from tests.battalia.table import changed, table

ASKING = {key: module for key, module in NPCS.items() if module.questions}


def test_every_command_of_the_core_answers_one_kind_of_question():
    answering = Counter(command for question in QUESTIONS.values() for command in question.commands)
    assert dict.fromkeys(cmd.COMMANDS.values(), 1) == answering


@pytest.mark.parametrize("module", ASKING.values(), ids=ASKING)
def test_every_command_of_a_module_that_asks_answers_a_question_of_its_own(module):
    answering = {command for question in module.questions.values() for command in question.commands}
    assert set(module.commands.values()) == answering


@pytest.mark.parametrize("module", ASKING.values(), ids=ASKING)
def test_the_silence_of_a_module_in_a_turn_is_nobodys_command(module):
    if TURN in module.questions:
        with pytest.raises(NotImplementedError):
            module.questions[TURN].default(table(), 1, Dice(b"silence"))


def test_a_greedy_player_has_a_thought_on_no_kind_that_is_not_asked():
    assert greedy._ANSWERS.keys() <= QUESTIONS.keys()


def test_day_02_nobody_but_system_may_turn_the_day():
    state = table()
    assert ["turn_day"] == [option.type for option in QUESTIONS["day"].legal(state, SYSTEM)]
    assert [] == list(QUESTIONS["day"].legal(state, 1))


def test_a_position_with_a_question_that_the_game_does_not_put_cannot_be():
    state = table()
    asked = changed(state, asking=(replace(state.asking[0], kind="riddle"),))
    assert ["a question riddle, which nobody puts"] == faults(asked)
