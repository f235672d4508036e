"""Hints: how a client that does not know the rules can show a game. All are optional; a game without them is playable."""

from __future__ import annotations

from dataclasses import dataclass


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
