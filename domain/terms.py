"""The words every game shares: seats, questions, options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NewType

Seat = NewType("Seat", int)
"""A chair at the table, 1 to n in the game's own numbering."""

SYSTEM = Seat(0)
"""The seat of time and chance: it is asked like any other, and answers by itself."""

GameId = NewType("GameId", str)
"""The id of a game in the store; never the rules, which are a `domain.game.Game`."""

PlayerId = NewType("PlayerId", str)
"""The id of an account. A player holds seats; a bot that holds one has no account."""

QuestionId = NewType("QuestionId", str)
"""``<seq of the commit that asked>:<place on the stack>:<seat>``, unique within its game."""

Seq = NewType("Seq", int)
"""The number of a commit in its game, counted from 1; the one cursor of all that is read."""

HOUR, DAY = 3_600_000, 86_400_000
"""Milliseconds, as are all lengths of time."""

Scalar = int | str | bool | None
"""What a choice of an Option may be."""


@dataclass(frozen=True, slots=True)
class Question:
    """What one seat is asked; a question to several seats is one of these for each."""

    serial: int
    """Counted up by the game each time it asks; never used again, so that a repeated question is a new one."""
    place: int
    """Where it lies on the game's stack, 0 at the bottom."""
    seat: Seat
    kind: str
    """A word of the game's own: ``turn``, ``defend``, ``day``."""
    clause: str
    """The rule that asks, such as ``BAT-01``."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What everybody may know of it, such as the square of a battle."""


def _setters(frozen: type[Any]) -> Iterator[Callable[[Any, Any], None]]:
    """What sets each slot of a frozen dataclass, in the order of its fields.

    The `__init__` that a frozen dataclass is given looks for the slot by name each time, and takes twice as long. What is made by
    the dozen for every command (`OneOf`, `Option`) sets its slots by these.
    """
    return (frozen.__dict__[slot.name].__set__ for slot in fields(frozen))


@dataclass(frozen=True, slots=True, init=False)
class OneOf:
    """An open parameter that takes one of the choices."""

    name: str
    choices: tuple[Scalar, ...]

    def __init__(self, name: str, choices: tuple[Scalar, ...]) -> None:
        _set_name(self, name)
        _set_choices(self, choices)


_set_name, _set_choices = _setters(OneOf)


@dataclass(frozen=True, slots=True)
class SubsetOf:
    """An open parameter that takes a list of different choices, ``min`` to ``max`` of them, in any order."""

    name: str
    choices: tuple[Scalar, ...]
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Integer:
    """An open parameter that takes a whole number from ``min`` to ``max``."""

    name: str
    min: int
    max: int


Open = OneOf | SubsetOf | Integer


@dataclass(frozen=True, slots=True, init=False)
class Option:
    """A template of legal commands: every combination of the open parts' choices is legal.

    Where several `SubsetOf` have the same name, that parameter is the list of what is chosen of all of them together;
    no two of them share a choice.
    """

    type: str
    fixed: Mapping[str, Any]
    """Empty by default."""
    open: tuple[Open, ...]
    """Nothing by default."""

    def __init__(
        self,
        type: str,  # noqa: A002 - the fields' own names
        fixed: Mapping[str, Any] | None = None,
        open: tuple[Open, ...] = (),  # noqa: A002
    ) -> None:
        _set_type(self, type)
        _set_fixed(self, {} if fixed is None else fixed)
        _set_open(self, open)


_set_type, _set_fixed, _set_open = _setters(Option)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: why, who won, and what each seat scored."""

    reason: str
    """A stable word, such as ``cities`` or ``full-map``."""
    clause: str
    winners: tuple[Seat, ...]
    scores: Mapping[Seat, int]
