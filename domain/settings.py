"""What the creator of a game may choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that the creator of a game may choose."""

    name: str
    text: str
    default: Any
    choices: tuple[Any, ...] = ()
    """What it may be; empty for a whole number from ``min`` to ``max``."""
    min: int | None = None
    max: int | None = None
    needs: tuple[str, ...] = ()
    """The modules without which it may not be named, not even at its default."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """By the key of a module, the default with that module."""

    def fault(self, value: Any) -> str:
        """What would be right in place of this value; empty if it is."""
        if self.choices:
            fits = any(type(value) is type(choice) and value == choice for choice in self.choices)
            return "" if fits else f"one of {', '.join(map(_spelt, self.choices))}"
        assert self.min is not None
        assert self.max is not None
        fits = type(value) is int and self.min <= value <= self.max
        return "" if fits else f"a whole number from {self.min} to {self.max}"


def no_such_option(settings: Iterable[Setting]) -> str:
    """What is said of an option that is none of these."""
    names = ", ".join(setting.name for setting in settings)
    return f"there is no such option{f'; there are: {names}' if names else ''}"


def _spelt(choice: Any) -> str:
    """As JSON spells it, a text without its quotes."""
    return str(choice).lower() if isinstance(choice, bool) else str(choice)
