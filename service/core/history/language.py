"""The language tables of the history: the words that a game does not define itself. Add a language by adding a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.table import features

Sentences = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class GameTemplates:
    """A game's templates in a language other than its own."""

    sentences: Sentences = field(default_factory=dict)
    remarks: Sentences = field(default_factory=dict)
    asks: Sentences = field(default_factory=dict)
    openings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Language:
    """Words to fill into templates, and templates that do not belong to a game."""

    system: str
    seat: str
    bot: str
    side: str
    """A bot that plays a side. Filled with the side and the bot."""
    twin: str
    """Distinguishes seats that have the same name. Filled with the name and the seat."""
    unit: str
    """Quotation for a name that could be read as part of the sentence."""
    nobody: str
    nothing: str
    joint: str
    """Joins the last two items of a list."""
    then: str
    """Joins two clauses about the same seat, when the seat is named once."""
    due: str
    """The deadline of a question."""
    table: Sentences
    asked: Sentences = field(default_factory=dict)
    """Questions of the table, by kind of question."""
    games: Mapping[str, GameTemplates] = field(default_factory=dict)
    """Templates by game key. A game that is missing here uses its own (English) texts."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Names of keys, by form. A key that is missing here uses the game's own (English) name."""


LANGUAGES = {
    "en": Language(
        system="The game",
        seat="Seat {}",
        bot="the {} bot",
        side="{} ({} bot)",
        twin="{} ({})",
        unit="\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}",
        nobody="no one",
        nothing="nothing",
        joint=" and ",
        then=", then ",
        due="Deadline: {}.",
        table=features.SENTENCES,
        asked=features.ASKS,
        names=features.NAMES,
    )
}
