"""The words that history is told with besides a game's own: another language is another table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.play.parts import around

Sentences = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class Words:
    """What a game says of itself, in a language that is not its own."""

    sentences: Sentences = field(default_factory=dict)
    remarks: Sentences = field(default_factory=dict)
    asks: Sentences = field(default_factory=dict)
    openings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Language:
    """The words that templates are filled with, and the templates themselves where they are not the game's own."""

    system: str
    seat: str
    bot: str
    side: str
    """A bot that plays a side: the side, and the bot."""
    twin: str
    """Two seats with the same name are told apart by it."""
    unit: str
    """A name that could be taken for more than a name stands in it."""
    nobody: str
    nothing: str
    joint: str
    """Between the last two things of a list."""
    then: str
    """Between two things that the same seat does, the seat being named once."""
    due: str
    """By when a question is to be answered."""
    table: Sentences
    asked: Sentences = field(default_factory=dict)
    """What the table asks, by the kind of the question."""
    games: Mapping[str, Words] = field(default_factory=dict)
    """By the key of the game; a game that is not here tells its own (English) words."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What keys are called, by how a field is told; one that is not here is told by the game's own (English) name."""


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
        then="; ",
        due="Deadline: {}.",
        table=around.SENTENCES,
        asked=around.ASKS,
        names=around.NAMES,
    )
}
