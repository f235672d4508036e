"""The greedy player with the one thing that it never learns: weak cards of a deck are better laid aside (ART-08)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.battalia.bots.greedy import greedy
from domain.battalia.cards import CARDS
from domain.battalia.rulebook.actions.artefacts import free_slots
from domain.battalia.state import State
from domain.dice import Dice
from domain.terms import Seat

WEAK = frozenset(("frimen", "chief"))
"""Units that are worth less in the hand than the card that is drawn in their place."""


def adept(state: State, seat: Seat, dice: Dice) -> Mapping[str, Any]:
    """What `greedy` says; but when that would end the turn, a weak unit that is left is hidden first, the weakest of all.

    It is out of the deck then, which draws better cards from now on, and still helps once in a battle.
    """
    said = greedy(state, seat, dice)
    if said["type"] != "end_turn" or not free_slots(state, seat):
        return said
    weak = [card for card in state.players[seat].hand if CARDS[card].kind in WEAK]
    return {"type": "hide_card", "card": min(weak, key=_rank)} if weak else said


def _rank(card: str) -> int:
    return CARDS[card].rank
