"""DAY-03: the Oracle's wheel and the date."""

from __future__ import annotations

from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.games.battalia.state import BattaliaState


def lit(state: BattaliaState) -> str:
    """The illuminated type; empty before the first day."""
    wheel = RULESETS[state.ruleset].wheel
    return wheel[state.day % len(wheel)] if state.day >= 0 else ""


def matching(state: BattaliaState) -> str:
    """The matching type (DAY-07); empty before the first day."""
    rules = RULESETS[state.ruleset]
    return rules.wheel[rules.matching * state.day % len(rules.wheel)] if state.day >= 0 else ""


def date(day: int, rules: BattaliaNumbers) -> tuple[int, int]:
    """DAY-01: day of the week and week, counted from 1, of a day counted from 0."""
    days = len(rules.wheel)
    return day % days + 1, day // days + 1


def times(state: BattaliaState, artefact: str) -> int:
    """DAY-06: the number of times that an artefact of this type counts today."""
    return RULESETS[state.ruleset].lit if artefact == lit(state) else 1
