"""Hints: how a client that does not know the rules can show a game. All are optional; a game without them is playable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Hint:
    """How to show a command."""

    label: str
    """Text of the button: ``Build a road``."""
    group: str = ""
    """Heading of the group of buttons: ``Build``."""
    icon: str = ""
    """One or two Unicode symbols before the label."""
    note: str = ""
    """The effect of the command, in a few words."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """How to show a parameter of commands."""

    label: str
    """Text before the value: ``Paid with``."""
    kind: str = ""
    """The ``data-kind`` in the picture, if it differs from the parameter's name: ``seat`` for ``against``."""


@dataclass(frozen=True, slots=True)
class Called:
    """How to show a choice, as text or as a card."""

    text: str
    kind: str = ""
    """``card`` for a choice that is drawn as a card."""
    note: str = ""
    """Other text on the card, in a few words."""
    colours: tuple[str, ...] = ()
    """Color on light and on dark backgrounds, each ``#rrggbb``; empty if the choice has no color."""


class Hinting:
    """The part of a game (`domain.game.Game`) that describes how clients can show it."""

    hints: Mapping[str, Hint] = {}
    """Hints by command type, in display order. Types without a hint come last and are shown by their name."""
    parameters: Mapping[str, Parameter] = {}
    """Hints by parameter name; ``step.cards`` applies to one type of command only."""
    held: Mapping[str, str] = {}
    """The fields of `private` that list what a seat holds, such as cards, and the heading of each: ``Your hand``."""

    def word(self, choice: str) -> str:
        """The text for a choice of an option in a terminal."""
        return choice

    def called(self, choice: str) -> Called:
        """The text and card for a choice of an option on a web page."""
        return Called(self.word(choice))

    def holding(self, private: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
        """The things a seat holds, by the headings of `held`, from its private view. Empty fields are left out."""
        return {title: private[name] for name, title in self.held.items() if private.get(name)}
