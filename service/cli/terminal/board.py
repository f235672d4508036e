"""A view as text for a terminal: as its game tells it, or field by field where this program does not know the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain.drawing import terminal
from domain.registry import GAMES


def text(kind: str, view: Mapping[str, Any]) -> str:
    """The whole answer of ``GET view``: ``public`` and ``private`` parts."""
    game = GAMES.get(kind)
    lines = terminal.fields if game is None else game.text
    return "\n".join(lines(view["public"], view["private"]))


def word(kind: str) -> Callable[[str], str]:
    """How the choices of a game are read: as its rules say, or as they are where this program does not know them."""
    game = GAMES.get(kind)
    return str if game is None else game.word
