"""Sentences of the documentation have at most 25 words, paragraphs at most 80."""

from __future__ import annotations

from tests.prose.lengths import too_long
from tests.prose.surfaces import ROOT

EXEMPT = {
    "docs/play/fronela-game.md": "a game's narration, generated",
    "docs/rules/fronela-sources.md": "notes on sources, in telegram style",
}
"""Pages without a limit, and the reason."""


def test_sentences_and_paragraphs_are_short():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    names = {path.relative_to(ROOT).as_posix(): path for path in pages if path.name != "CHANGELOG.md"}
    found = {name: too_long(path.read_text(encoding="utf-8")) for name, path in names.items() if name not in EXEMPT}

    assert {} == {name: each for name, each in found.items() if each}


def test_long_sentences_and_paragraphs_are_found():
    assert [] == too_long("# Title\n\n" + "word " * 24 + "end. Next `code` here.\n\n* item\n* item\n")
    assert ["sentence of 26: " + "word " * 12] == [each[:76] for each in too_long("word " * 25 + "end.\n")]
    assert ["paragraph of 81: "] == [
        each[:17] for each in too_long("Nine words are in this short sentence of mine. " * 9)
    ]
