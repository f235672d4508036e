"""Decisions are short and have the same three sections; how-to pages have a similar size; the changelog is short."""

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


HOW_TO = sorted(ROOT.glob("docs/how-to/*.md"))
LEAST, MOST = 300, 900
EXCEPTIONS = {"upgrade.md": "tables of all renamed parts of the contract, which readers search and do not read"}
"""Pages of another size, and the reason."""


@pytest.mark.parametrize("path", [path for path in HOW_TO if path.name not in EXCEPTIONS], ids=lambda path: path.stem)
def test_how_to_page_has_300_to_900_words(path):
    assert LEAST <= words(path.read_text(encoding="utf-8")) <= MOST


def test_exceptions_of_how_to_pages_are_needed():
    sizes = {path.name: words(path.read_text(encoding="utf-8")) for path in HOW_TO}
    assert {} == {name: sizes.get(name) for name in EXCEPTIONS if LEAST <= sizes.get(name, LEAST) <= MOST}
