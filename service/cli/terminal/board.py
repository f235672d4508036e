"""A view as text for a terminal, by its game, or field by field if this program does not know the game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from domain.drawing import parts, terminal
from domain.registry import GAMES
from domain.table.votes.voting import CHOICES

TABLE = {
    "request_undo": "Undo",
    "answer_undo": "Answer the undo request",
    "call_vote": "Call a vote",
    "cast_vote": "Cast your vote",
    "give_time": "Give extra time",
}
"""Labels of commands that every table has, if the key alone is unclear."""
FIELDS = {"request_undo.seq": "Back to before commit", "call_vote.kind": "To"}
"""Labels of their parameters."""


def text(kind: str, view: Mapping[str, Any]) -> str:
    """The view as text; ``view`` is the complete response of ``GET view``."""
    game = GAMES.get(kind)
    lines = terminal.fields if game is None else game.presentation.text
    return "\n".join(lines(view["public"], view["private"]))


def word(kind: str) -> Callable[[str], str]:
    """The function that turns choices into words; unchanged if this program does not know the game."""
    game = GAMES.get(kind)
    named = str if game is None else game.presentation.word
    return lambda choice: CHOICES.get(choice) or named(choice)


def label(kind: str) -> Callable[[str, str], str]:
    """The function that names a command or a parameter of it; from its key if this program does not know the game."""
    game = GAMES.get(kind)

    def named(type_: str, name: str) -> str:
        if game is not None and not name and type_ in game.presentation.hints:
            return game.presentation.hints[type_].label
        if f"{type_}.{name}" in FIELDS:
            return FIELDS[f"{type_}.{name}"]
        if game is not None and name:
            found = game.presentation.parameters.get(f"{type_}.{name}", game.presentation.parameters.get(name))
            if found is not None:
                return found.label
        return (
            TABLE.get(type_, type_.replace("_", " ").capitalize()) if not name else name.replace("_", " ").capitalize()
        )

    return named


def legend(kind: str, view: Mapping[str, Any]) -> list[str]:
    """The meaning of the signs in `text`, line by line. Empty if there are none or this program does not know the game."""
    game = GAMES.get(kind)
    return [] if game is None else list(game.presentation.legend(view["public"]))


def standing(kind: str) -> Collection[str]:
    """The types of commands that are not answers to questions, such as standing orders."""
    game = GAMES.get(kind)
    return () if game is None else game.rules.unasked


def why(kind: str, reason: str) -> str:
    """The reason why a game is over, as text, by the reason of its outcome."""
    game = GAMES.get(kind)
    return parts.why(reason, {} if game is None else game.presentation.ends)


def question(asked: Mapping[str, Any], word: Callable[[str], str]) -> str:
    """A question with its subject: ``Growth, Tarins (FRO-D08)``."""
    about = [word(value) for value in asked["about"].values() if isinstance(value, str) and value]
    return f"{', '.join([asked['kind'].replace('_', ' ').capitalize(), *about])}{clause(asked['rule'])}"


def clause(rule: str) -> str:
    """The clause in parentheses; empty if missing."""
    return f" ({rule})" if rule else ""
