"""The registry of modules: filled by whoever imports the game, and never silently empty."""

from __future__ import annotations

import subprocess
import sys

import pytest

from domain.games.battalia.module_api import moments, traits
from domain.games.battalia.modules import NPCS


def python(program: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, where nothing is imported yet."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("entry", ["domain.registry", "domain.games.battalia.game", "domain.games.battalia.modules"])
def test_importing_the_game_or_its_modules_fills_the_registry(entry):
    done = python(
        f"import {entry}; from domain.games.battalia.module_api.registry import registered; print(*registered())"
    )
    assert "stormgates rammoth armamentum keeper unbound_buff teams" == done.stdout.strip(), done.stderr


@pytest.mark.parametrize(
    "asked",
    [
        "from domain.games.battalia.module_api import registry; registry.registered()",
        "from domain.games.battalia.module_api import registry; registry.playing(('rammoth',))",
        "from domain.games.battalia.module_api.settings import settings; settings(())",
        "from domain.games.battalia.rulebook.turn import setup; from domain.game import Setup; setup.check(Setup(2, '', {}))",
    ],
)
def test_an_empty_registry_is_refused_before_a_game_is_played_without_its_modules(asked):
    done = python(asked)
    assert 1 == done.returncode
    assert "NothingRegistered" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("module", NPCS.values(), ids=NPCS)
def test_a_module_acts_at_moments_that_the_calendar_knows_and_has_traits_that_others_know(module):
    assert module.moments <= {moments.EFFECTS, moments.WEEK, moments.ENTER, moments.MOVE, moments.TURN_END}
    assert module.traits <= {traits.BESIEGER, traits.WEAPONS}
    assert set(module.conditions.values()) <= {traits.BESIEGER, traits.WEAPONS}
