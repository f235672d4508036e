"""The games that the guides' examples are parts of, and the numbers that their tables show."""

from __future__ import annotations

from collections.abc import Callable

from domain.game import Setup
from tests.guides import Example

EXAMPLES: dict[str, Example] = {
    "nim": Example("a game of Nim", Setup(2, ""), ("Ash", "Birk"), "expert", 1),
}
NUMBERS: dict[str, dict[str, Callable[[], str]]] = {}
"""By kind of game: what stands between ``<!-- numbers: … -->`` and ``<!-- end -->``."""
