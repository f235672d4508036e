"""Each surface stays under its limit of unclear wording."""

from __future__ import annotations

import pytest

from tests.prose.idioms import IDIOMS, find_idioms, rate_per_1000
from tests.prose.surfaces import SURFACES

LIMITS = {
    "readme": 1.0,
    "changelog": 1.0,
    "docs": 1.0,
    "api": 1.0,
    "browser": 1.0,
    "product strings": 1.0,
    "docstrings and comments": 8.9,
    "client comments": 1.0,
    "test names": 23.0,
}
"""Matches per 1,000 words. A limit above 1.0 is a ratchet: lower it with each rewrite, never raise it."""


@pytest.mark.parametrize("surface", SURFACES)
def test_surface_stays_under_its_limit(surface):
    text = SURFACES[surface]()
    rate = rate_per_1000(text)
    examples = "\n".join(f"  [{name}] {context}" for name, context in find_idioms(text)[:20])

    assert rate <= LIMITS[surface], f"{rate:.1f} matches per 1,000 words, limit {LIMITS[surface]}:\n{examples}"


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
