"""The registry of modules: importing the game fills it, and using an empty one is an error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from domain.games.battalia.module_api import moments, traits
from domain.games.battalia.modules import NPCS


def python(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process, without previous imports."""
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
        "from domain.games.battalia.rulebook.turn import setup; from domain.kernel.game.rules import Setup; setup.check(Setup(2, '', {}))",
    ],
)
def test_using_an_empty_registry_is_an_error(asked):
    done = python(asked)
    assert 1 == done.returncode
    assert "NothingRegistered" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("module", NPCS.values(), ids=NPCS)
def test_moments_traits_and_conditions_of_a_module_are_known(module):
    assert module.moments <= {moments.EFFECTS, moments.WEEK, moments.ENTER, moments.MOVE, moments.TURN_END}
    assert module.traits <= {traits.BESIEGER, traits.WEAPONS}
    assert set(module.conditions.values()) <= {traits.BESIEGER, traits.WEAPONS}
