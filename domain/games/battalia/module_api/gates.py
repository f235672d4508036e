"""Entrances of NPCs (GATE-01, GATE-02)."""

from __future__ import annotations

from dataclasses import dataclass

from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Gates
from domain.games.battalia.module_api.decision import BattaliaDecision


@dataclass(frozen=True, slots=True)
class GateRoll:
    """A square to enter on, and how it was determined."""

    square: str
    gate: int
    """0 for the center square."""
    rolls: tuple[int, ...]
    """Every roll; the last one is the gate. Empty without gates."""


def arrival(decision: BattaliaDecision) -> GateRoll:
    """GATE-01: roll for a gate until one in play comes up. GATE-02: the center square if there are no gates."""
    squares = registry.adjusted(decision.state, Gates()).squares
    if not squares:
        return GateRoll(decision.state.centre, 0, ())
    rolls = [decision.dice.roll()]
    while rolls[-1] > len(squares):
        rolls.append(decision.dice.roll())
    return GateRoll(squares[rolls[-1] - 1], rolls[-1], tuple(rolls))
