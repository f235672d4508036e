"""Labels of the web app, computed without a browser."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.web.browsing import ROOT

GAMES = ROOT / "service" / "web" / "static" / "app" / "parts" / "games.js"
LABELS = [
    (["words", "npcs"], "NPCs"),
    (["words", "max_weeks"], "Max weeks"),
    (["readable", "supply-42"], "supply"),
    (["readable", "frimen-islanders-3"], "frimen islanders"),
    (["readable", "hero-1-2"], "hero 1 2"),
    (["rulesetText", "creation_v2"], "Creation, version 2"),
    (["settingText", "max_weeks", 0], "no limit"),
    (["settingText", "max_weeks", 12], "12"),
    (["settingText", "neutral_strength", 0], "0"),
    (["settingText", "give_time", 168], "168 hours"),
    (["settingText", "on_timeout", "search:1"], "search bot (level 1)"),
    (["settingText", "talk", "off"], "off"),
    (["settingText", "quick_setup", True], "yes"),
]


@pytest.fixture(scope="module")
def labels():
    """What the functions of the app return for the calls of `LABELS`."""
    script = f"""
        const module = await import({json.dumps(GAMES.as_uri())});
        const calls = {json.dumps([call for call, _ in LABELS])};
        console.log(JSON.stringify(calls.map(([name, ...given]) => module[name](...given))));
    """
    run = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


@pytest.mark.parametrize(("place", "label"), list(enumerate(label for _, label in LABELS)))
def test_label_is_written_for_players(labels, place, label):
    assert label == labels[place]
