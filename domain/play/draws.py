"""Which fields of an event hold chance: declared beside each event, so that anyone can draw them again from the dice key.

The draws of a commit are those of its events in their order, and of an event those it declares, in the order in which they are
declared. Nothing else draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T", bound=type[Any])


@dataclass(frozen=True, slots=True)
class Draw:
    """One field, or a run of fields, and what was drawn into it (docs/audit.md, section 2)."""

    field: str
    """A path: ``a.b`` is the key ``b`` of the object ``a``; ``a[]`` each item of the list or object ``a``, in order."""
    how: Literal["die", "number", "choice", "shuffle"]
    faces: int = 0
    """Of a die its faces; of a number how many there are, from 0."""
    of: tuple[Any, ...] = ()
    """What the faces of a die say, from 1; what a shuffle begins with. Empty where ``text`` says it."""
    text: str = ""
    """When it is drawn, and how the field holds it."""


_DRAWS: dict[type[Any], tuple[Draw, ...]] = {}


def draws(*declared: Draw) -> Callable[[T], T]:
    """Declare what is drawn into the fields of an event."""

    def of_the_event(event: T) -> T:
        _DRAWS[event] = declared
        return event

    return of_the_event


def draws_of(events: Mapping[str, type[Any]]) -> Mapping[str, tuple[Draw, ...]]:
    """What is drawn into the events of a game, by their type names; those without chance are left out."""
    return {name: _DRAWS[event] for name, event in events.items() if event in _DRAWS}
