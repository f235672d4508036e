"""Builds a battle line that is just strong enough, for bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.battalia.cards import CARDS, fights
from domain.games.battalia.evolve.zones import at_hand
from domain.games.battalia.rulebook.battle import strength
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.terms import Option, Seat


def to_reach(
    state: BattaliaState, seat: Seat, option: Option, role: str, square: str, hero: str, goal: int
) -> Mapping[str, Any] | None:
    """The units and support of a line of at least this strength against a module's figure; None if the hand is too weak.

    Amulets stay in the hand, because their result is uncertain.
    """
    held = [card for card in at_hand(state.players[seat]) if fights(card) and CARDS[card].kind != "amulet"]
    line: list[str] = []
    reached = 0
    for card in sorted(held, key=lambda card: (not CARDS[card].rank, -CARDS[card].rank)):
        line.append(card)
        reached = strength.side(state, seat, role, NOBODY, square, (hero,), line, ()).strength
        if reached >= goal:
            break
    if reached < goal:
        return None
    parts = {"units": [card for card in line if CARDS[card].rank], "support": [c for c in line if not CARDS[c].rank]}
    return {part.name: parts.get(part.name, []) for part in option.open if part.name != "hero"}
