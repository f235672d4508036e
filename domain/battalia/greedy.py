"""A player that takes the best-looking command at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.battalia.legal import legal
from domain.battalia.state import State
from domain.dice import Dice
from domain.options import pick
from domain.terms import Seat


def greedy(state: State, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    return pick(legal(state, seat), dice)
