"""Decisions are short and have the same three sections; the changelog can be read in ten minutes."""

from __future__ import annotations

import pytest

from tests.prose.surfaces import ROOT

DECISIONS = sorted(ROOT.glob("docs/decisions/0*.md"))
SECTIONS = ["## Context", "## Decision", "## Consequences"]


def words(text):
    return sum(any(map(str.isalnum, word)) for word in text.split())


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_decision_has_three_sections_and_at_most_300_words(path):
    text = path.read_text(encoding="utf-8")
    assert SECTIONS == [line for line in text.splitlines() if line.startswith("## ")]
    assert words(text) <= 300


def test_changelog_has_at_most_2500_words():
    assert words((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) <= 2500
