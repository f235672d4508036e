"""Drawing and clearing the hand."""

from __future__ import annotations

from domain.battalia.events import CardsDiscarded, CardsDrawn, DeckShuffled
from domain.battalia.modules.decision import Flow
from domain.terms import Seat


def draw(flow: Flow, seat: Seat, count: int) -> None:
    """Draw, shuffling the discard pile when the deck is empty; fewer if both are."""
    while count > 0 and not flow.over:
        player = flow.state.players[seat]
        if not player.deck:
            if not player.discard:
                return
            flow.happen(DeckShuffled(seat, flow.dice.shuffle(sorted(player.discard))))
            player = flow.state.players[seat]
        drawn = player.deck[:count]
        flow.happen(CardsDrawn(seat, drawn))
        count -= len(drawn)


def refill(flow: Flow, seat: Seat) -> None:
    """Draw up to a full hand."""
    draw(flow, seat, flow.rules.hand - len(flow.state.players[seat].hand))


def clear(flow: Flow, seat: Seat) -> None:
    """TURN-06: hand and played cards are discarded, and what only a transformed tent kept (ART-07)."""
    player = flow.state.players[seat]
    brief = [tent for tent in player.tents if tent.brief]
    kept = tuple(card for tent in brief for card in tent.kept)
    cards = player.hand + player.played + kept
    if cards:
        flow.happen(CardsDiscarded(seat, cards))
