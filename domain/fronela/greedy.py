"""A player that takes what is worth most now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.dice import Dice
from domain.fronela.legal import default
from domain.fronela.state import State
from domain.shape import as_document
from domain.terms import Seat


def greedy(state: State, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    return as_document(default(state, seat))
