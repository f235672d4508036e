"""The files between the POST of a command and its view: a page lists them, and their number does not grow."""

from __future__ import annotations

import re

import pytest

from tests import path

MOST = 97
"""Files from POST to view. The goal is 35."""


@pytest.fixture(scope="module")
def steps():
    return path.trace()


def test_page_lists_the_files_of_each_step(steps):
    """Run ``make architecture`` if this fails."""
    text = path.PAGE.read_text(encoding="utf-8").partition(path.BEGIN)[2]
    listed = {
        part.splitlines()[0]: sorted(re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE))
        for part in text.split("### ")[1:]
    }

    assert listed == {step: sorted(paths) for step, paths in steps.items()}


def test_number_of_files_does_not_grow(steps):
    assert sum(len(paths) for paths in steps.values()) <= MOST


def test_trace_follows_the_command_through_every_layer(steps):
    accepted, settled, read = steps.values()

    assert "service/core/http/resources/commands.py" in accepted
    assert "service/store/redis/lua/submit.lua" in accepted
    assert {"domain/games/nim/game.py", "domain/table/settle.py", "service/store/redis/lua/append.lua"} <= set(settled)
    assert "service/core/http/resources/view.py" in read
