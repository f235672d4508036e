"""The example games of the guides, and the generators of their tables."""

from __future__ import annotations

from collections.abc import Callable

from domain.kernel.game.rules import Setup
from tests.guides import Example, battalia, fronela

EXAMPLES: dict[str, Example] = {
    "battalia": Example("guide 61", Setup(2, ""), ("Ash", "Birk"), "greedy", 32),
    "fronela": Example("guide 13", Setup(4, ""), ("Ash", "Birk", "Cyd", "Dara"), "greedy", 1),
    "nim": Example("a game of Nim", Setup(2, ""), ("Ash", "Birk"), "expert", 1),
}
NUMBERS: dict[str, dict[str, Callable[[], str]]] = {
    "battalia": {
        "hand": battalia.hand,
        "prices": battalia.prices,
        "artefacts": battalia.artefacts,
        "ends": battalia.ends,
    },
    "fronela": dict(fronela.NUMBERS),
}
"""By kind of game: generators of the text between ``<!-- numbers: … -->`` and ``<!-- end -->``."""
