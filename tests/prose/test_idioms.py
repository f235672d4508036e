"""Each surface stays under its limit of unclear wording."""

from __future__ import annotations

import pytest

from tests.prose.idioms import IDIOMS, find_idioms, rate_per_1000
from tests.prose.surfaces import SURFACES, lua_text, names_of_tests, script_text

LIMIT = 1.0
"""Maximum matches per 1,000 words."""
LONGEST = 80
"""Maximum characters of a test's name."""


@pytest.mark.parametrize("surface", SURFACES)
def test_surface_stays_under_its_limit(surface):
    text = SURFACES[surface]()
    rate = rate_per_1000(text)
    examples = "\n".join(f"  [{name}] {context}" for name, context in find_idioms(text)[:20])

    assert rate <= LIMIT, f"{rate:.1f} matches per 1,000 words, limit {LIMIT}:\n{examples}"


@pytest.mark.parametrize(
    ("idiom", "text"),
    [
        ("who = a person who", "Who has resigned reads."),
        ("whoever, somebody, nobody", "Nobody moves."),
        ("tell, told", "It is told later."),
        ("go on with", "It goes on with it."),
        ("came to, became of", "See what became of it."),
        ("stands, lies", "The value stands there."),
        ("anew, besides, likewise", "Start anew."),
        ("Of a, at the start", "Of a game."),
        ("that is none", "A key that is none."),
        ("any more", "Not any more."),
        ("What, not as a question", "What waits for them is short."),
        ("as far as", "It reads as far as it can."),
    ],
)
def test_idiom_is_found(idiom, text):
    assert idiom in IDIOMS
    assert idiom in {name for name, _ in find_idioms(text)}


def test_plain_text_has_no_idiom():
    text = "What does 412 mean? The game has changed. Poll the URL in `Location`. Who can read this?"

    assert [] == find_idioms(text)


def test_names_of_tests_are_short():
    names = names_of_tests()

    assert len(names) > 4000
    assert [] == [name for name in names if len(name) > LONGEST]


def test_comments_of_scripts_are_found():
    source = """// One `two`.
const url = "https://example.org"; // three
/** Four {@link x}. @param {{five: {six: number}}} seven eight @returns {number} nine */
/*
 * Ten
 */
"""
    assert ["One X.", "three", "Four .", "eight", "nine", "Ten"] == script_text(source)


def test_comments_of_lua_are_found():
    assert ["One X", "two", "three"] == lua_text("-- One `told`\n--      two\nlocal x = 1 - 2 -- three\n")
