"""Labels of the web app, computed without a browser."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.web.browsing import STATIC

APP = STATIC / "app"
LABELS = [
    (["parts/values.js", "heading", "npcs"], "NPCs"),
    (["parts/values.js", "readable", "supply-42"], "supply"),
    (["parts/values.js", "readable", "frimen-islanders-3"], "frimen islanders"),
    (["parts/values.js", "readable", "hero-1-2"], "hero 2 of seat 1"),
    (["parts/values.js", "heading", "colour"], "Color"),
    (["parts/values.js", "heading", "black_malkioni"], "Black Malkioni"),
    (["pages/lobby/settings.js", "rulesetText", "creation_v2"], "Creation, version 2"),
    (["pages/lobby/settings.js", "settingText", "max_weeks", 0], "no limit"),
    (["pages/lobby/settings.js", "settingText", "max_weeks", 12], "12"),
    (["pages/lobby/settings.js", "settingText", "neutral_strength", 0], "0"),
    (["pages/lobby/settings.js", "settingText", "give_time", 168], "168"),
    (["pages/lobby/settings.js", "settingText", "min_reliability", 80], "80%"),
    (["pages/lobby/settings.js", "settingText", "stand_in", "usual"], "the game's bot"),
    (["pages/lobby/settings.js", "labelOf", "max_weeks"], "Maximum number of weeks"),
    (["pages/lobby/settings.js", "labelOf", "on_timeout"], "If time runs out"),
    (["pages/lobby/settings.js", "labelOf", "quick_setup"], "Quick setup"),
    (["pages/lobby/terms.js", "pace", {"mode": "per_question", "hours": 1}], "1 hour per turn"),
    (
        [
            "pages/lobby/terms.js",
            "pace",
            {"mode": "calendar", "day": "P2D", "at": "18:00", "zone": "Africa/Addis_Ababa"},
        ],
        "A game day lasts two days and ends at 18:00 (Africa/Addis Ababa)",
    ),
    (["pages/lobby/settings.js", "settingText", "on_timeout", "search:1"], "search bot (level 1)"),
    (["pages/lobby/settings.js", "settingText", "talk", "off"], "off"),
    (["pages/lobby/settings.js", "settingText", "quick_setup", True], "yes"),
]


@pytest.fixture(scope="module")
def labels(node):
    """The return values of the app's functions for the calls in `LABELS`."""
    script = f"""
        const calls = {json.dumps([[(APP / module).as_uri(), *call] for (module, *call), _ in LABELS])};
        const found = calls.map(async ([module, name, ...given]) => (await import(module))[name](...given));
        console.log(JSON.stringify(await Promise.all(found)));
    """
    run = [node, "--input-type=module", "--eval", script]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def test_parameter_of_a_vote_is_not_named_by_the_game(node):
    script = f"""
        const {{ Words }} = await import("{(APP / "game/words.js").as_uri()}");
        const words = new Words({{ hints: {{ parameters: {{ kind: {{ label: "Unit" }} }} }}, commands: {{}} }}, String);
        console.log(words.label("call_vote", "kind"), words.label("place", "kind"));
    """
    run = [node, "--input-type=module", "--eval", script]
    assert "To Unit\n" == subprocess.run(run, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize(("place", "label"), list(enumerate(label for _, label in LABELS)))
def test_label_is_written_for_players(labels, place, label):
    assert label == labels[place]
