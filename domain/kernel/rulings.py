"""Rules as data: a value, its clause, and its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Ruling:
    """A number, a table of numbers, or a reading: a word for one of the possible interpretations of a clause."""

    value: Any
    clause: str
    """One or more clause ids of docs/rules, separated by commas."""
    mark: str
    """The source, as a mark explained on the game's page in docs/rules."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All data of one ruleset or scenario, by name."""

    numbers: Mapping[str, Ruling]
    readings: Mapping[str, Ruling] = field(default_factory=dict)
    """The interpretation of clauses that have been read in more than one way; each value is a word."""
    tables: Mapping[str, Ruling] = field(default_factory=dict)
    """Numbers by their subject, such as the areas of a map: plain JSON."""


NO_SHEETS: Mapping[str, Sheet] = {}
