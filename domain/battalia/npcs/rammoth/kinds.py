"""The Rammoth's command and its refusal, and his events with the sentences that tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.errors import RuleViolation
from domain.play.draws import Draw, draws
from domain.terms import Seat

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiscardHalf:
    """RAM-18."""

    cards: Cards


@draws(Draw("rolls[]", "die", 6))
@dataclass(frozen=True, slots=True)
class RammothEntered:
    """RAM-01, RAM-20, RAM-21."""

    square: str
    gate: int | None
    """None without gates (GATE-02)."""
    rolls: tuple[int, ...]
    day: int
    """Counted from 0: he does not move on it (RAM-03)."""


@draws(Draw("direction", "die", 4, of=("N", "E", "S", "W")), Draw("steps", "die", 6))
@dataclass(frozen=True, slots=True)
class RammothMoved:
    """RAM-04 to RAM-07."""

    origin: str
    direction: str
    """What the D4 says."""
    steps: int
    """What the D6 says; what is left when he hits a city is lost."""
    path: Cards
    """The squares he stepped onto, the last of which he is on."""


@draws(Draw("attack.die", "die", 6), Draw("defence.die", "die", 6))
@dataclass(frozen=True, slots=True)
class RammothAttacked:
    """RAM-09 to RAM-12: both sides by their parts, the dice among them."""

    square: str
    owner: Seat
    """0 for a neutral city."""
    attack: Mapping[str, int]
    defence: Mapping[str, int]
    strength: int
    against: int
    damage: int


@dataclass(frozen=True, slots=True)
class RammothRaged:
    """ARM-09: what modules have built on the struck squares is destroyed."""

    square: str
    strikes: Cards


@dataclass(frozen=True, slots=True)
class RammothDrivenOff:
    """RAM-17."""

    square: str


class NotHalf(RuleViolation):
    """Not the half of the hand that is due."""

    code = "not-half"
    rule = "RAM-18"


SENTENCES: Mapping[str, str | Sequence[str]] = {
    "rammoth_entered": (
        "The Rammoth enters through gate {gate} on {square:square}; dice: {rolls:list}.",
        "The Rammoth enters on {square:square}.",
    ),
    "rammoth_moved": (
        "The Rammoth sets out from {origin:square}: {direction}, {steps} {steps:step|steps}; his way: {path:list}."
    ),
    "rammoth_attacked": "The Rammoth hits the city on {square:square}: {strength} against {against}, damage {damage}.",
    "rammoth_raged": "The Rammoth strikes every weapon in range of {square:square}.",
    "rammoth_driven_off": "The Rammoth is driven off from {square:square} until the next check-point.",
}
