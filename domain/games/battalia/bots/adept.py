"""The greedy bot with one addition: it hides weak cards to improve the deck (ART-08)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.battalia.bots.greedy import greedy
from domain.games.battalia.cards import CARDS
from domain.games.battalia.rulebook.actions.artefacts import free_slots
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat

WEAK = frozenset(("frimen", "chief"))
"""Units that are worth less in the hand than the card drawn in their place."""


def adept(state: BattaliaState, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    """The command of `greedy`. Instead of ending the turn, it first hides the weakest remaining weak unit.

    That removes it from the deck, which then draws better cards, and it can still help once in a battle.
    """
    said = greedy(state, seat, dice)
    if said["type"] != "end_turn" or not free_slots(state, seat):
        return said
    weak = [card for card in state.players[seat].hand if CARDS[card].kind in WEAK]
    return {"type": "hide_card", "card": min(weak, key=_rank)} if weak else said


def _rank(card: str) -> int:
    return CARDS[card].rank
