"""Events that only lead from one turn to the next and leave a planned turn valid."""

from __future__ import annotations

from typing import Any

from domain.games.battalia import events as ev
from domain.kernel.terms import Seat

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
"""Another player's hand at the end of a turn does not affect a plan; the seat's own hand does."""


def passes(event: Any, seat: Seat) -> bool:
    """Whether the board and the seat's own hand are unchanged after the event (TURN-06, DAY-02)."""
    return type(event) in _NOTHING or (type(event) in _OF_OTHERS and event.seat != seat)
