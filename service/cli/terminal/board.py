"""A view as text for a terminal: as its game tells it, or field by field where this program does not know the game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from domain.drawing import parts, terminal
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


def legend(kind: str, view: Mapping[str, Any]) -> list[str]:
    """What the signs of `text` mean, line by line; none where there are no signs or this program does not know the game."""
    game = GAMES.get(kind)
    return [] if game is None else list(game.legend(view["public"]))


def standing(kind: str) -> Collection[str]:
    """The types of the commands that nobody is asked for, such as standing orders."""
    game = GAMES.get(kind)
    return () if game is None else game.unasked


def why(kind: str, reason: str) -> str:
    """Why a game is over, by the reason of its outcome."""
    game = GAMES.get(kind)
    return parts.why(reason, {} if game is None else game.ends)


def question(asked: Mapping[str, Any], word: Callable[[str], str]) -> str:
    """What is asked, and of what: ``growth, Tarins (FRO-D08)``."""
    about = [word(value) for value in asked["about"].values() if isinstance(value, str) and value]
    return f"{', '.join([asked['kind'].replace('_', ' '), *about])}{clause(asked['rule'])}"


def clause(rule: str) -> str:
    """The clause of a rule behind what is said of it; nothing where no rule of the game says so."""
    return f" ({rule})" if rule else ""
