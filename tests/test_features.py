"""Features can be deleted: each is one package and one line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from service.features import FEATURES
from tests.rooms import ROOT


@pytest.mark.timeout(300)
def test_each_feature_can_be_deleted_and_the_rest_works(redis_url):
    """Without its package and its line: the API, its document, the workers, the subcommands, and a game of Nim."""
    command = [sys.executable, "-m", "tests.deletion", redis_url]

    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert 0 == run.returncode, run.stderr
    assert {} == json.loads(run.stdout), "\n\n".join(json.loads(run.stdout).values())


def test_a_feature_says_what_it_is_in_one_sentence():
    assert [] == [each.name for each in FEATURES if not (each.summary.endswith(".") and each.summary.count(".") == 1)]


def test_the_core_names_no_feature():
    """Not even in a dotted path. The linter compares the imports."""
    files = {each: each.read_text(encoding="utf-8") for each in (ROOT / "service/core").rglob("*.py")}
    names = [f"service.features.{each.name}" for each in FEATURES]

    assert [] == [str(each) for each, text in files.items() if any(name in text for name in names)]
