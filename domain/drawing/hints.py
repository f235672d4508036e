"""Hints: how a client that knows no game may show one. All of them can be left out, and what they are about is played as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Hint:
    """How a command is shown."""

    label: str
    """What its button says: ``Build a road``."""
    group: str = ""
    """What it stands together with, a heading: ``Build``."""
    icon: str = ""
    """A sign or two of Unicode before the label."""
    note: str = ""
    """What it comes to, in a few words."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """How a parameter of commands is asked for."""

    label: str
    """``Paid with``."""
    kind: str = ""
    """What it names, as the ``data-kind`` of the picture has it, where it is called otherwise: ``seat`` for ``against``."""


@dataclass(frozen=True, slots=True)
class Called:
    """What a choice is called, and what it looks like where it is drawn as a card."""

    text: str
    kind: str = ""
    """``card`` for what is drawn as one."""
    note: str = ""
    """What else is printed on it, in a few words."""
    colours: tuple[str, ...] = ()
    """Its colour on light and on dark grounds, each ``#rrggbb``; none if it has no colour of its own."""


class Hinting:
    """The part of a game (`domain.game.Game`) that says how it may be shown."""

    hints: Mapping[str, Hint] = {}
    """By the types of commands, in the order in which they are best shown; what is left out comes last, by its type."""
    parameters: Mapping[str, Parameter] = {}
    """By the names of parameters; ``step.cards`` is that of one type of command."""
    held: Mapping[str, str] = {}
    """The fields of `private` that list what a seat holds, such as cards, each with its heading: ``Your hand``."""

    def word(self, choice: str) -> str:
        """A choice of an option as somebody reads it at a terminal."""
        return choice

    def called(self, choice: str) -> Called:
        """A choice of an option as somebody reads it on a page."""
        return Called(self.word(choice))

    def holding(self, private: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
        """What a seat holds, by the headings of `held`, from its part of the view."""
        return {title: private[name] for name, title in self.held.items() if private.get(name)}
