"""What only leads from one turn to the next: after it the board stands as it stood for who has planned a turn."""

from __future__ import annotations

from typing import Any

from domain.battalia import events as ev
from domain.terms import Seat

_NOTHING: frozenset[type[Any]] = frozenset(
    (
        ev.DayAnnounced,
        ev.DayEnded,
        ev.MomentCame,
        ev.MomentsAdded,
        ev.TurnBegan,
        ev.TurnEnded,
        ev.QuestionAsked,
        ev.QuestionAnswered,
        ev.OrderGiven,
        ev.OrderWithdrawn,
        ev.OrderFollowed,
    )
)
_OF_OTHERS: frozenset[type[Any]] = frozenset((ev.HandMulliganed, ev.CardsDrawn, ev.CardsDiscarded, ev.DeckShuffled))
"""What passes through another's hand at the end of a turn is none of the board; one's own hand is what a plan is made of."""


def passes(event: Any, seat: Seat) -> bool:
    """Whether the board, and the seat's own hand, are the same after the event (TURN-06, DAY-02)."""
    return type(event) in _NOTHING or (type(event) in _OF_OTHERS and event.seat != seat)
