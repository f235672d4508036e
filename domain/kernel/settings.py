"""The options that the creator of a game may choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Setting:
    """One option that the creator of a game may choose."""

    name: str
    text: str
    default: Any
    choices: tuple[Any, ...] = ()
    """The allowed values; empty for an integer from ``min`` to ``max``."""
    min: int | None = None
    max: int | None = None
    needs: tuple[str, ...] = ()
    """The modules that this option requires, even to name its default."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The default with a module, by the module's key."""

    def fault(self, value: Any) -> str:
        """A description of the allowed values if the value is wrong; empty if it is right."""
        if self.choices:
            fits = any(type(value) is type(choice) and value == choice for choice in self.choices)
            return "" if fits else f"one of {', '.join(map(_spelt, self.choices))}"
        assert self.min is not None
        assert self.max is not None
        fits = type(value) is int and self.min <= value <= self.max
        return "" if fits else f"a whole number from {self.min} to {self.max}"


def no_such_option(settings: Iterable[Setting]) -> str:
    names = ", ".join(setting.name for setting in settings)
    return f"there is no such option{f'; there are: {names}' if names else ''}"


def _spelt(choice: Any) -> str:
    """The value as in JSON, but text without quotes."""
    return str(choice).lower() if isinstance(choice, bool) else str(choice)
