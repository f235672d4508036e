"""What a state of Fronela is made of: units, persons, battles, the question that stands, standing orders, the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from domain.terms import Seat

T = TypeVar("T")


def altered(thing: T, **new: Any) -> T:
    """As `dataclasses.replace`, in an eighth of the time, for classes without slots: what it is made of is copied in one go."""
    after: T = thing.__class__.__new__(thing.__class__)
    parts = after.__dict__
    parts.update(thing.__dict__)
    parts.update(new)
    return after


@dataclass(frozen=True, slots=True)
class Group:
    """Units of one nation in one area that are alike in everything."""

    kind: str
    count: int
    left: int = 0
    """Steps left in this move phase."""
    came: str = ""
    """The area before its last step of this turn (FRO-D16); empty if it did not move."""
    ferried: bool = False
    """Has crossed by Dormal's or the Moon Boats' help this turn (FRO-D22)."""
    fled: bool = False
    """Has retreated in this combat phase (FRO-D36)."""


@lru_cache(maxsize=16_384)
def grouped(
    kind: str,
    count: int,
    left: int = 0,
    came: str = "",
    ferried: bool = False,
    fled: bool = False,
) -> Group:
    """The group of these, which is made once and then kept, because to make one costs more than to look it up."""
    return Group(kind, count, left, came, ferried, fled)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody or something on the map that is no unit: they hold no area and block nobody."""

    area: str
    """The area where they are, or were when they left."""
    before: str
    """The area before their last step."""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Bend:
    """A wizard's change of one die."""

    side: str
    """``attack`` or ``defence``: whose die it is."""
    die: int
    """1 for the first of that side."""
    by: int


@dataclass(frozen=True)  # as they are `altered`
class Battle:
    """The newest battle round of a combat phase."""

    area: str
    attacker: str
    """A nation, or a person."""
    defender: str
    bends: tuple[Bend, ...] = ()
    dealt: int = 0
    """Hits on the defender that are still to be taken."""
    suffered: int = 0
    """Hits on the attacker that are still to be taken."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The question that stands, and what happens when it is answered."""

    serial: int
    seat: Seat
    kind: str
    clause: str
    nation: str
    area: str
    havens: tuple[str, ...]
    """Areas where farmers may retreat to: own units stood there when it was asked (FRO-D35)."""
    agenda: tuple[str, ...]
    """The rest of the turn: what follows the answer."""


@dataclass(frozen=True)  # as they are `altered`
class Orders:
    """Standing orders of one nation, which answer for its player. Where a field is empty, the player is asked."""

    stance: str = ""
    refuges: tuple[str, ...] = ()
    own_losses: str = ""
    enemy_losses: str = ""
    wizards: str = ""
    growth: str = ""
    """``decline``, or empty for a nation that grows where it can (FRO-D54)."""
    withdrawal: str = ""
    """When it goes back as an attacker (FRO-D61)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger."""

    round: int
    nation: str
    reason: str
    clause: str
    points: int
    area: str
