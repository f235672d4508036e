"""The contract of every module, and the defaults of hooks that a module does not override."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import battalia
from domain.games.battalia.module_api import adjustments, socket
from domain.games.battalia.modules import NPCS
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from domain.kernel.dice import Dice
from domain.kernel.shape import catalogue
from domain.kernel.terms import Option
from tests.battalia.probe import registered
from tests.battalia.table import changed, table
from tests.story import Story

EVERY = table(4, modules=("stormgates", "rammoth", "armamentum", "keeper", "unbound_buff"))
HERO = EVERY.heroes["hero-1-1"]
SUBJECTS = (
    adjustments.TablePlan(4, EVERY.factions, RULESETS["creation_v1"]),
    adjustments.Strength(1, "attack", 2, "A1", ("hero-1-1",), (), {"cards": 3, "level": 2}),
    adjustments.Cost(1, "take_supply", Price(units=1)),
    adjustments.StepCost(HERO, "A1", False),
    adjustments.Entrance(HERO, "A1", (2,)),
    adjustments.Alliance(1, 2),
    adjustments.Tactics(1, "A1"),
    adjustments.Refuge(1, "A1", True),
    adjustments.Gates(),
    adjustments.Ending("full-map", "END-01"),
    adjustments.Ranking("full-map", {1: (3, 2)}),
)


def test_every_adjustable_subject_is_tested():
    assert set(adjustments.Adjustable.__constraints__) == {type(subject) for subject in SUBJECTS}


@pytest.mark.parametrize("module", NPCS.values(), ids=NPCS)
def test_module_does_not_adjust_subjects_that_it_does_not_declare(module):
    state = changed(EVERY, npcs={**EVERY.npcs, module.key: EVERY.npcs.get(module.key, {})})
    for subject in SUBJECTS:
        if module.adjusts is not None and type(subject) not in module.adjusts:
            assert subject is module.adjust(state, subject), type(subject).__name__


@pytest.mark.parametrize("module", NPCS.values(), ids=NPCS)
def test_memory_of_a_module_ignores_events_of_the_core(module):
    memory = EVERY.npcs.get(module.key, {})
    for event in (ev.DayEnded(1, 1), ev.CityLevelled("A1", 0)):
        assert memory == module.evolve(memory, event)


# -- a minimal module -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wave:
    """A command in a turn."""


@dataclass(frozen=True, slots=True)
class Waved:
    seat: int


class Quiet(socket.Npc):
    """A module with a command and an event that overrides only the required hooks."""

    key = "quiet"
    title = "It waves back."
    commands = catalogue(Wave)
    events = catalogue(Waved)
    sentences = {"waved": "{seat:seat} waves."}

    def legal(self, state, seat, frame):
        return [Option("wave")]

    def decide(self, decision, seat, command):
        decision.happen(Waved(seat))


class Mute(Quiet):
    """A module that neither decides its command nor has a default answer."""

    key = "mute"
    decide = socket.Npc.decide


def story_by(module):
    game = battalia()
    return Story(game, changed(table(modules=(module.key,))))


def test_event_of_a_module_is_public_and_changes_no_state_by_default():
    with registered(Quiet) as module:
        story = story_by(module)
        before = story.state
        story.when(1, Wave()).then(Waved(1))
        assert before == story.state
        assert story.game.knowledge.audience(Waved(1)) is None
        assert {"type": "waved", "seat": 1} == story.game.knowledge.reveal(Waved(1), 2)
        assert {"quiet": {}} == story.game.knowledge.view(story.state)["npcs"]
        assert {"quiet": {}} == story.game.knowledge.private(story.state, 1)["npcs"]
        assert before.npcs == story.game.knowledge.imagine(story.state, 1, Dice(b"quiet")).npcs


def test_greedy_bot_never_uses_a_module_command_without_advice():
    with registered(Quiet) as module:
        story = story_by(module)
        assert "wave" in {option.type for option in story.game.rules.legal(story.state, 1)}
        for seed in range(5):
            imagined = story.game.knowledge.imagine(story.state, 1, Dice(b"%d" % seed))
            assert "wave" != story.game.bots.by_name["greedy"](imagined, 1, Dice(b"%d" % seed))["type"]


def test_module_without_decide_or_default_raises_not_implemented_error():
    with registered(Mute) as module:
        story = story_by(module)
        with pytest.raises(NotImplementedError):
            story.when(1, Wave())
        asked = story_by(module).state
        frame = replace(asked.asking[-1], npc=module.key, kind="greeting")
        with pytest.raises(NotImplementedError):
            story.game.rules.default(changed(asked, asking=(frame,)), 1, Dice(b"mute"))
