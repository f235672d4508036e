"""The commands about the Unbound Buff."""

from __future__ import annotations

from dataclasses import dataclass

from domain.kernel.shape import catalogue

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlaceBet:
    """Place a secret bet, which can be empty (BUF-01)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class ChooseEntrance:
    """Choose the square where Buff enters (BUF-03)."""

    square: str


@dataclass(frozen=True, slots=True)
class RollForBuff:
    """Roll for Buff's move at the end of a turn (BUF-06)."""


@dataclass(frozen=True, slots=True)
class MoveBuff:
    """Move Buff by one square (BUF-07)."""

    to: str


@dataclass(frozen=True, slots=True)
class LeaveBuff:
    """Stop Buff's move, or do not move him (BUF-06)."""


@dataclass(frozen=True, slots=True)
class PickVictim:
    """Choose which of several heroes Buff attacks (BUF-08)."""

    hero: str


@dataclass(frozen=True, slots=True)
class BribeBuff:
    """Bribe Buff (BUF-10)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class HireBuff:
    """Hire Buff (BUF-11). It is also an action if a hero is on his square (BUF-10)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class FightBuff:
    """Fight Buff with this line, which can be empty (BUF-12)."""

    units: Cards = ()
    support: Cards = ()
    ambush: Cards = ()


COMMANDS = catalogue(
    PlaceBet, ChooseEntrance, RollForBuff, MoveBuff, LeaveBuff, PickVictim, BribeBuff, HireBuff, FightBuff
)
