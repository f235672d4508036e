"""Pure functions that move cards between a player's zones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from domain.games.battalia.cards import CARDS, is_token
from domain.games.battalia.state import PlayerState, changed

Cards = tuple[str, ...]


def at_hand(player: PlayerState) -> Cards:
    """Every card that can be played in a line: the hand, cards in tents, and tokens."""
    if not player.tents:
        return player.hand + player.tokens if player.tokens else player.hand
    kept = tuple(card for tent in player.tents for card in tent.kept)
    return player.hand + kept + player.tokens


def unseen(player: PlayerState) -> list[str]:
    """Cards that the player is publicly known to have, at an unknown place: hand, deck, kept and face down."""
    kept = [card for tent in player.tents for card in tent.kept]
    return sorted((*player.hand, *player.deck, *kept, *player.hidden))


def _left(player: PlayerState, cards: Cards, gone: frozenset[str]) -> tuple[dict[str, Any], Cards]:
    """The changes when these cards of `at_hand` leave, and the real cards among them.

    Tokens are not real cards, but tents that become empty are.
    """
    real = tuple([card for card in cards if not is_token(card)])
    changes: dict[str, Any] = {"hand": tuple([card for card in player.hand if card not in gone])}
    if player.tokens:
        changes["tokens"] = tuple([card for card in player.tokens if card not in gone])
    if player.tents:
        tents = [replace(tent, kept=tuple(card for card in tent.kept if card not in gone)) for tent in player.tents]
        real += tuple(tent.tent for tent in tents if not tent.kept and not is_token(tent.tent))
        changes["tents"] = tuple(tent for tent in tents if tent.kept)
    return changes, real


def laid(player: PlayerState, cards: Cards, **also: Any) -> tuple[PlayerState, Cards]:
    """The player without these cards of `at_hand`, and the real cards among them; ``also`` are further changes."""
    changes, real = _left(player, cards, frozenset(cards))
    return changed(player, **changes, **also), real


def played(player: PlayerState, cards: Cards) -> PlayerState:
    """TURN-03: the cards stay in play until the turn ends."""
    if not cards:
        return player
    changes, real = _left(player, cards, frozenset(cards))
    return changed(player, played=player.played + real, **changes)


def discarded(player: PlayerState, cards: Cards) -> PlayerState:
    """Move the cards from `at_hand` or from play to the discard pile."""
    gone = frozenset(cards)
    changes, real = _left(player, cards, gone)
    left = tuple([card for card in player.played if card not in gone])
    return changed(player, played=left, discard=player.discard + real, **changes)


def beneath(piles: Mapping[str, Cards], cards: Iterable[str]) -> Mapping[str, Cards]:
    """TURN-07: put each card under its pile."""
    after = dict(piles)
    for card in cards:
        pile = CARDS[card].pile
        after[pile] = (*after.get(pile, ()), card)
    return after
