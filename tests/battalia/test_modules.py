"""Modules in every combination: random games pass all checks, and a new module needs one file and one line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest

from domain.games.battalia.cards import CARDS
from domain.games.battalia.events import MomentCame
from domain.games.battalia.game import BATTALIA, battalia
from domain.kernel.dice import Dice
from domain.kernel.game.rules import Setup
from domain.kernel.options import pick
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM, Seat
from service.store.codec import canonical, decode_event, decode_state, encode_event, encode_state
from tests.battalia.laid import city, morning, night, rammoth, table, weapons
from tests.battalia.probe import registered
from tests.battalia.test_random_play import check, play
from tests.soaking import sample

MODULES = ("stormgates", "rammoth", "armamentum")
SETS = [chosen for size in range(4) for chosen in combinations(MODULES, size)]
EVERY_SET = [chosen for size in range(6) for chosen in combinations(tuple(BATTALIA.rules.modules), size)]


@dataclass
class Here:
    """The attributes that `check` reads."""

    state: Any
    over: bool = False


def wander(state, seed, commands):
    """Random legal play from a state, with all checks after each command."""
    dice, chance = Dice(b"wanderer %d" % seed), Dice(b"chance %d" % seed)
    for _ in range(commands):
        asked = dice.choose(BATTALIA.rules.awaiting(state))
        if asked.seat == SYSTEM:
            command = BATTALIA.rules.default(state, SYSTEM, dice)
        else:
            command = build(
                BATTALIA.rules.commands, pick(_brisk(BATTALIA.rules.replies(state, asked.seat), dice), dice)
            )
        for event in BATTALIA.rules.decide(state, asked.seat, command, chance):
            state = BATTALIA.rules.evolve(state, event)
        here = Here(state, over=bool(state.ending))
        check(here, dice)
        if here.over:
            return state
    return state


def _brisk(options, dice):
    """Prefer the end of the turn if it is legal, to make days pass."""
    ends = [option for option in options if option.type == "end_turn"]
    return ends if ends and dice.below(3) else options


@pytest.mark.parametrize("modules", sample(SETS, 10, whole=True), ids="-".join)
@pytest.mark.parametrize("seats", [2, 4])
def test_random_play_after_a_check_point_passes_all_checks(modules, seats):
    state = table(seats, modules, **({"teams": True} if seats == 4 else {}))
    for square, owner in (("C2", 1), ("D2", 2), ("F4", 2)):
        state = city(state, square, owner, 2, "", _land(state))
    if "armamentum" in modules:
        state = weapons(state, "C2", "F4")
    if "rammoth" in modules:
        state = rammoth(state, "C4")

    wander(night(state, 7), seats, 24)


def _land(state):
    return next(CARDS[card].faction for shape in ("tee", "bend") for card in state.piles[f"city-{shape}"])


@pytest.mark.soak
@pytest.mark.parametrize("seats", [5, 6])
def test_random_play_with_many_seats_passes_all_checks(seats):
    state = table(seats, MODULES, **({"teams": True} if seats == 6 else {}))

    wander(night(state, 6), seats, 20)


@pytest.mark.soak
@pytest.mark.parametrize("modules", EVERY_SET, ids="-".join)
def test_whole_games_with_every_set_of_modules_pass_all_checks(modules):
    number = EVERY_SET.index(modules)
    seats = 2 + number % (5 if "stormgates" in modules else 3)
    options = {"teams": seats in (4, 6) and number % 2 == 0, "max_weeks": 3}
    assert play(seats, 500 + number, cap=6000, modules=modules, **options).over


def test_new_module_needs_one_file_and_one_line():
    """The file is `tests.battalia.probe`; the line is its entry in the registry, which `registered` adds."""
    dice, chance = Dice(b"sixth"), Dice(b"chance")
    with registered() as probe:
        game = battalia()
        begun = game.rules.begin(game.rules.check(Setup(3, "", {"probe_depth": 2}, (probe.key,))), chance)
        state, seen = (
            None,
            {game.knowledge.reveal(event, None)["type"] for event in begun if type(event) is not MomentCame},
        )
        for event in begun:
            state = game.rules.evolve(state, event)
        while state.day < 8:
            asked = dice.choose(game.rules.awaiting(state))
            command = (
                game.rules.default(state, asked.seat, dice)
                if asked.seat == SYSTEM
                else build(game.rules.commands, pick(_brisk(game.rules.replies(state, asked.seat), dice), dice))
            )
            for event in game.rules.decide(state, asked.seat, command, chance):
                state = game.rules.evolve(state, event)
                seen.update(line["type"] for seat in (None, 1) if (line := game.knowledge.reveal(event, seat)))
            assert [] == game.rules.faults(state)
            assert [] == game.rules.faults(game.knowledge.imagine(state, Seat(1), dice))

        assert probe.key in game.rules.modules
        assert set(probe.events) <= set(game.rules.events) & set(game.presentation.sentences) & seen
        assert set(probe.commands) <= set(game.rules.commands)
        assert "probe_depth" in {setting.name for setting in game.rules.settings}
        assert {"square", "pokes", "guessed"} == set(game.knowledge.view(state)["npcs"][probe.key])
    assert "probe" not in battalia().rules.modules


def test_modules_and_settings_are_listed():
    assert {"stormgates", "rammoth", "armamentum"} <= set(BATTALIA.rules.modules)
    assert "teams" not in BATTALIA.rules.modules
    names = {setting.name for setting in BATTALIA.rules.settings}
    assert {"teams", "rammoth_difficulty", "armamentum_sets"} <= names
    assert (2, 3, 4, 5, 6) == battalia().rules.seats


@pytest.mark.parametrize("type_", ["rammoth_entered", "rammoth_moved", "rammoth_attacked", "armamentum_built"])
def test_every_event_has_a_sentence(type_):
    assert type_ in BATTALIA.rules.events
    assert BATTALIA.presentation.sentences[type_]


def test_every_event_of_every_module_has_a_sentence():
    assert set(BATTALIA.rules.events) - set(BATTALIA.presentation.sentences) <= {"moment_came", "moments_added"}


def test_state_and_events_of_modules_survive_a_json_round_trip():
    state = city(table(4, MODULES, teams=True), "D2", 1, 1, "ESW")
    story = morning(rammoth(weapons(night(state, 8), "D2"), "D1"), 3, 1, 6, 6)

    assert story.state == decode_state(BATTALIA, json.loads(canonical(encode_state(story.state))))
    for event in story.events:
        assert event == decode_event(BATTALIA, json.loads(canonical(encode_event(event))))


@pytest.mark.soak
@pytest.mark.parametrize(
    "modules",
    EVERY_SET,
    ids="-".join,
)
def test_set_14_setup_choices_work_with_every_set_of_modules(modules):
    """Modules must work while no seat has a faction yet."""
    number = EVERY_SET.index(modules)
    seats = 6 if "stormgates" in modules else 2 + number % 3

    position = play(seats, 7000 + number, cap=2 * seats + 3, modules=modules, quick_setup=False, teams=seats in (4, 6))

    assert position.state.day >= 0
