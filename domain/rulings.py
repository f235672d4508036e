"""What the rules are made of as data: a value, the clause that it belongs to, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ruling:
    """A number, a table of numbers, or a reading, which is a word for one of the ways in which a clause may be read."""

    value: Any
    clause: str
    """One or more ids of docs/rules, separated by commas."""
    mark: str
    """Who says so, by the marks of the game's page in docs/rules."""
