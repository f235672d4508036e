"""Text for a terminal: any view field by field, and colored text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "white": 37}
"""ANSI color numbers."""
INTERNAL = frozenset(("kind", "ruleset", "options", "modules", "table"))
"""Fields of a view that the summary of a game already shows."""


def coloured(words: str, colour: str, weight: Literal["bold", "normal"] = "normal") -> str:
    """The text in one of `COLOURS`. The caller that writes it removes the color if the output is not a terminal."""
    return f"\033[{COLOURS[colour]}m\033[{1 if weight == 'bold' else 22}m{words}\033[0m"


def fields(public: Mapping[str, Any], private: Any) -> Iterator[str]:
    """Both parts of any view, one line for each field."""
    yield from _lines({name: value for name, value in public.items() if name not in INTERNAL}, "")
    if private:
        yield "You:"
        yield from _lines(private, "  ")


def inline(value: Any) -> str:
    """Any JSON on one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_readable(name)} {inline(each)}" for name, each in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(map(inline, value)) or "-"
    return "-" if value is None else str(value)


def _lines(value: Any, margin: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            if isinstance(each, Mapping | list) and each and not _flat(each):
                yield f"{margin}{_readable(name)}:"
                yield from _lines(each, margin + "  ")
            else:
                yield f"{margin}{_readable(name)}: {inline(each)}"
    elif isinstance(value, list):
        for each in value:
            yield f"{margin}- {inline(each)}"


def _readable(name: Any) -> str:
    return str(name).replace("_", " ")


def _flat(value: Any) -> bool:
    inside = value.values() if isinstance(value, Mapping) else value
    return len(value) <= 12 and not any(isinstance(each, Mapping | list) for each in inside)
