"""Everything that players say about the Unbound Buff."""

from __future__ import annotations

from dataclasses import dataclass

from domain.shape import catalogue

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlaceBet:
    """BUF-01: in secret, maybe nothing."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class ChooseEntrance:
    """BUF-03."""

    square: str


@dataclass(frozen=True, slots=True)
class RollForBuff:
    """BUF-06: at the end of a turn."""


@dataclass(frozen=True, slots=True)
class MoveBuff:
    """BUF-07: one square."""

    to: str


@dataclass(frozen=True, slots=True)
class LeaveBuff:
    """BUF-06: he moves no further, or not at all."""


@dataclass(frozen=True, slots=True)
class PickVictim:
    """BUF-08: which of several heroes is attacked."""

    hero: str


@dataclass(frozen=True, slots=True)
class BribeBuff:
    """BUF-10."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class HireBuff:
    """BUF-11; with a hero on his square it is an action, too (BUF-10)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class FightBuff:
    """BUF-12: the line, which may be empty."""

    units: Cards = ()
    support: Cards = ()
    ambush: Cards = ()


COMMANDS = catalogue(
    PlaceBet, ChooseEntrance, RollForBuff, MoveBuff, LeaveBuff, PickVictim, BribeBuff, HireBuff, FightBuff
)
