"""Drawing and clearing the hand."""

from __future__ import annotations

from domain.games.battalia.events import CardsDiscarded, CardsDrawn, DeckShuffled
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.kernel.terms import Seat


def draw(decision: BattaliaDecision, seat: Seat, count: int) -> None:
    """Draw cards, shuffling the discard pile when the deck is empty; fewer if both are empty."""
    while count > 0 and not decision.over:
        player = decision.state.players[seat]
        if not player.deck:
            if not player.discard:
                return
            decision.happen(DeckShuffled(seat, decision.dice.shuffle(sorted(player.discard))))
            player = decision.state.players[seat]
        drawn = player.deck[:count]
        decision.happen(CardsDrawn(seat, drawn))
        count -= len(drawn)


def refill(decision: BattaliaDecision, seat: Seat) -> None:
    """Draw up to a full hand."""
    draw(decision, seat, decision.rules.hand - len(decision.state.players[seat].hand))


def clear(decision: BattaliaDecision, seat: Seat) -> None:
    """TURN-06: discard hand and played cards, and cards kept only by a transformed tent (ART-07)."""
    player = decision.state.players[seat]
    brief = [tent for tent in player.tents if tent.brief]
    kept = tuple(card for tent in brief for card in tent.kept)
    cards = player.hand + player.played + kept
    if cards:
        decision.happen(CardsDiscarded(seat, cards))
