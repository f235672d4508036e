"""The terms that all games share: seats, questions, options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NewType

Seat = NewType("Seat", int)
"""A place at the table, 1 to n in the game's own numbering."""

SYSTEM = Seat(0)
"""The seat of time and chance. It gets questions like any other seat and answers automatically."""

GameId = NewType("GameId", str)
"""The id of a game in the store; never the rules, which are a `domain.kernel.game.Game`."""

PlayerId = NewType("PlayerId", str)
"""The id of an account. A player holds seats; a bot in a seat has no account."""

QuestionId = NewType("QuestionId", str)
"""``<seq of the commit that asked>:<place on the stack>:<seat>``, unique within its game."""

Seq = NewType("Seq", int)
"""The number of a commit in its game, counted from 1: the only cursor for reading."""

HOUR, DAY = 3_600_000, 86_400_000
"""Milliseconds, like all durations."""

Scalar = int | str | bool | None
"""Possible choices of an Option."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one seat. A question to several seats is one object for each."""

    serial: int
    """Counted up by the game for each question and never reused, so that a repeated question is a new one."""
    place: int
    """The question's place on the game's stack, 0 at the bottom."""
    seat: Seat
    kind: str
    """The kind of question, as the game calls it: ``turn``, ``defend``, ``day``."""
    clause: str
    """The rule that asks, such as ``BAT-01``."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Public details, such as the square of a battle."""


def _setters(frozen: type[Any]) -> Iterator[Callable[[Any, Any], None]]:
    """Setters for the slots of a frozen dataclass, in the order of its fields.

    The generated `__init__` of a frozen dataclass looks up each slot by name, which takes twice as long. Classes with
    dozens of instances for every command (`OneOf`, `Option`) use these setters.
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
    """An open parameter that takes a list of ``min`` to ``max`` different choices, in any order."""

    name: str
    choices: tuple[Scalar, ...]
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Integer:
    """An open parameter that takes an integer from ``min`` to ``max``."""

    name: str
    min: int
    max: int


Open = OneOf | SubsetOf | Integer


@dataclass(frozen=True, slots=True, init=False)
class Option:
    """A template of legal commands: every combination of the open parts' choices is legal.

    If several `SubsetOf` have the same name, the parameter is the combined list of all their choices. No two of them
    share a choice.
    """

    type: str
    fixed: Mapping[str, Any]
    """Parameters with a fixed value; empty by default."""
    open: tuple[Open, ...]
    """Parameters to choose; empty by default."""

    def __init__(
        self,
        type: str,  # noqa: A002 - the names of the fields
        fixed: Mapping[str, Any] | None = None,
        open: tuple[Open, ...] = (),  # noqa: A002
    ) -> None:
        _set_type(self, type)
        _set_fixed(self, {} if fixed is None else fixed)
        _set_open(self, open)


_set_type, _set_fixed, _set_open = _setters(Option)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game: reason, winners, and the score of each seat."""

    reason: str
    """A stable word, such as ``cities`` or ``full-map``."""
    clause: str
    winners: tuple[Seat, ...]
    scores: Mapping[Seat, int]
