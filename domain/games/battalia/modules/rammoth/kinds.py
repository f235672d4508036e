"""The Rammoth's command, refusal and events, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.kernel.draws import Draw, draws
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Seat

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiscardHalf:
    """Discard half the hand (RAM-18)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class SetDiscard:
    """Standing order: the kinds of cards to discard first (ORD-12)."""

    first: Cards


@draws(Draw("rolls[]", "die", 6))
@dataclass(frozen=True, slots=True)
class RammothEntered:
    """The Rammoth entered the map (RAM-01, RAM-20, RAM-21)."""

    square: str
    gate: int | None
    """None without gates (GATE-02)."""
    rolls: tuple[int, ...]
    day: int
    """Counted from 0. He does not move on that day (RAM-03)."""


@draws(Draw("direction", "die", 4, of=("N", "E", "S", "W")), Draw("steps", "die", 6))
@dataclass(frozen=True, slots=True)
class RammothMoved:
    """The Rammoth moved (RAM-04 to RAM-07)."""

    origin: str
    direction: str
    """The result of the D4."""
    steps: int
    """The result of the D6. Steps left when he reaches a city are lost."""
    path: Cards
    """The squares that he entered; he is on the last one."""


@draws(Draw("attack.die", "die", 6), Draw("defence.die", "die", 6))
@dataclass(frozen=True, slots=True)
class RammothAttacked:
    """The Rammoth attacked a city (RAM-09 to RAM-12). The strengths of both sides are given by parts, including the dice."""

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
    """The Rammoth destroyed all constructions of modules on the squares that were struck (ARM-09)."""

    square: str
    strikes: Cards


@dataclass(frozen=True, slots=True)
class RammothDrivenOff:
    """The Rammoth left the map (RAM-17)."""

    square: str


class NotHalf(RuleViolation):
    """The cards are not the required half of the hand."""

    code = "not-half"
    rule = "RAM-18"


SENTENCES: Mapping[str, str | Sequence[str]] = {
    "rammoth_entered": (
        "The Rammoth enters through gate {gate} on {square:square}, with a roll of {rolls:list}.",
        "The Rammoth enters on {square:square}.",
    ),
    "rammoth_moved": "The Rammoth's dice show {direction:direction} and a {steps}, and he walks from {origin:square}[ via {via:list}] to {to:square}.",
    "rammoth_moved.stopped": (
        "The Rammoth's dice show {direction:direction} and a {steps}, and he walks from {origin:square}[ via {via:list}] to "
        "{to:square}, where a city stops him."
    ),
    "rammoth_attacked": (
        "The Rammoth attacks {owner:seat}'s city on {square:square}, {strength}{attack:parts} to "
        "{against}{defence:parts}, and does {damage:number} {damage:level|levels} of damage."
    ),
    "rammoth_attacked.unowned": (
        "The Rammoth attacks the neutral city on {square:square}, {strength}{attack:parts} to {against}{defence:parts}, "
        "and does {damage:number} {damage:level|levels} of damage."
    ),
    "rammoth_attacked.repelled": (
        "The Rammoth attacks {owner:seat}'s city on {square:square}, {strength}{attack:parts} to "
        "{against}{defence:parts}, and is repelled."
    ),
    "rammoth_attacked.repelled-unowned": (
        "The Rammoth attacks the neutral city on {square:square}, {strength}{attack:parts} to {against}{defence:parts}, "
        "and is repelled."
    ),
    "rammoth_raged": "The Rammoth rolls a six, rages, and strikes at every Armamentum on {square:square} and around it.",
    "rammoth_driven_off": "The city rolls a six: the Rammoth is driven away from {square:square} until the next check-point.",
    "order_given.set_discard": "{seat:seat}'s standing order for the Rammoth's roar: discard {first:kinds} first.",
    "order_withdrawn.set_discard": "{seat:seat} withdraws the standing order for the Rammoth's roar.",
    "question_asked.discard": "The Rammoth rolls a six. His roar costs {seats:seats} half of their hand: {count:number} {count:card|cards}.",
}
ASKS: Mapping[str, str | Sequence[str]] = {
    "discard": "The Rammoth rolled a six at your city on {square:square}. Discard {count:number} {count:card|cards} from your hand.",
}
