"""What the rules are made of as data: a value, the clause that it belongs to, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Ruling:
    """A number, a table of numbers, or a reading, which is a word for one of the ways in which a clause may be read."""

    value: Any
    clause: str
    """One or more ids of docs/rules, separated by commas."""
    mark: str
    """Who says so, by the marks of the game's page in docs/rules."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that one ruleset or scenario says as data, by name."""

    numbers: Mapping[str, Ruling]
    readings: Mapping[str, Ruling] = field(default_factory=dict)
    """How it reads clauses that have been read in more than one way; the value of each is a word."""
    tables: Mapping[str, Ruling] = field(default_factory=dict)
    """Numbers by the thing that they belong to, such as the areas of a map: plain JSON."""


NO_SHEETS: Mapping[str, Sheet] = {}
