"""Declares which fields of an event are random, so that anyone can draw them again from the dice key.

The draws of a commit are those of its events, in order. The draws of an event are those it declares, in the order of
their declaration. Nothing else draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T", bound=type[Any])


@dataclass(frozen=True, slots=True)
class Draw:
    """One field, or a run of fields, and its random value (docs/audit.md, section 2)."""

    field: str
    """A path: ``a.b`` is the key ``b`` of the object ``a``; ``a[]`` is each item of the list or object ``a``, in order.
    """
    how: Literal["die", "number", "choice", "shuffle"]
    faces: int = 0
    """The number of faces of a die, or the number of possible numbers, which start at 0."""
    of: tuple[Any, ...] = ()
    """The meaning of a die's faces, from 1; for a shuffle, the initial order. Empty if ``text`` gives it."""
    text: str = ""
    """The condition of the draw, and the format of the field."""


_DRAWS: dict[type[Any], tuple[Draw, ...]] = {}


def draws(*declared: Draw) -> Callable[[T], T]:
    def of_the_event(event: T) -> T:
        _DRAWS[event] = declared
        return event

    return of_the_event


def draws_of(events: Mapping[str, type[Any]]) -> Mapping[str, tuple[Draw, ...]]:
    """The draws of a game's events by type name, without events that draw nothing."""
    return {name: _DRAWS[event] for name, event in events.items() if event in _DRAWS}
