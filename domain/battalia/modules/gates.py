"""Where an NPC comes in (GATE-01, GATE-02)."""

from __future__ import annotations

from dataclasses import dataclass

from domain.battalia.modules import socket as npc
from domain.battalia.modules.decision import Flow


@dataclass(frozen=True, slots=True)
class Arrival:
    """A square to enter on, and how it was found."""

    square: str
    gate: int
    """0 for the centre square."""
    rolls: tuple[int, ...]
    """Every one of them, the last one stands."""


def arrival(flow: Flow) -> Arrival:
    """GATE-01: a random gate, rolled again while that gate is not in play; GATE-02: the centre where there is none."""
    squares = npc.adjusted(flow.state, npc.Gates()).squares
    if not squares:
        return Arrival(flow.state.centre, 0, ())
    rolls = [flow.dice.roll()]
    while rolls[-1] > len(squares):
        rolls.append(flow.dice.roll())
    return Arrival(squares[rolls[-1] - 1], rolls[-1], tuple(rolls))
