"""Commands in words, from the labels and names that a game gives to clients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.kernel.game import AnyGame


def describe_command(game: AnyGame, command: Mapping[str, Any]) -> str:
    """The label and all arguments: ``Build a road: square d4, paid with Priest and Villager``."""
    type_ = command["type"]
    hint = game.presentation.hints.get(type_)
    label = type_.replace("_", " ").capitalize() if hint is None else hint.label
    parts = [
        part
        for name, value in command.items()
        if name != "type"
        for part in _describe_parameter(game, type_, name, value)
    ]
    return f"{label}: {', '.join(parts)}" if parts else label


def _describe_parameter(game: AnyGame, type_: str, name: str, value: Any) -> Iterator[str]:
    known = game.presentation.parameters.get(f"{type_}.{name}") or game.presentation.parameters.get(name)
    label = name.replace("_", " ") if known is None else known.label.lower()
    if isinstance(value, list | tuple):
        if value:
            yield f"{label} {' and '.join(_describe_value(game, each) for each in value)}"
    elif value not in ("", None, False):
        yield label if value is True else f"{label} {_describe_value(game, value)}"


def _describe_value(game: AnyGame, value: Any) -> str:
    return game.presentation.called(value).text if isinstance(value, str) else str(value)
