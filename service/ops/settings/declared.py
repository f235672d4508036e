"""How settings are declared, named and written in the environment."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.ops.settings.reading import PREFIX


def setting(
    default: Any,
    meaning: str,
    *,
    name: str | None = None,
    choices: tuple[str, ...] = (),
    least: int | None = None,
    most: int | None = None,
    secret: bool = False,
) -> Any:
    """A field of `service.ops.settings.Settings` for one setting."""
    known = {"name": name, "choices": choices, "least": least, "most": most, "secret": secret}
    return field(default=default, metadata={"meaning": meaning, **known}, repr=not secret)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Known:
    """One setting as `oraclewheel settings` shows it."""

    name: str
    meaning: str
    default: str
    text: str | None
    """The given value; None if the default applies."""
    source: str
    """``environment``, ``.env`` or ``default``."""
    choices: tuple[str, ...]
    secret: bool

    @property
    def shown(self) -> str:
        """The value, or ``(set)`` for a secret."""
        value = self.default if self.text is None else self.text
        return "(set)" if self.secret and value else value


def name_of(each: dataclasses.Field[Any]) -> str:
    return each.metadata["name"] or PREFIX + each.name.upper()


def written(value: Any) -> str:
    """The value as text for the environment."""
    match value:
        case bool():
            return "1" if value else ""
        case tuple():
            return ",".join(value)
        case Path():
            return "" if value == Path() else str(value)
        case _:
            return str(value)
