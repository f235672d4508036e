"""Cards on their way between a player's zones, as pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from domain.battalia.cards import CARDS, is_token
from domain.battalia.state import Player, changed


def at_hand(player: Player) -> tuple[str, ...]:
    """Every card that may lie in a line: the hand, what tents keep, and tokens."""
    if not player.tents:
        return player.hand + player.tokens
    kept = tuple(card for tent in player.tents for card in tent.kept)
    return player.hand + kept + player.tokens


def laid(player: Player, cards: Iterable[str]) -> tuple[Player, tuple[str, ...]]:
    """The player without these cards of `at_hand`, and which real cards left: no tokens, but tents that were emptied by it."""
    gone = frozenset(cards)
    real = tuple(card for card in cards if not is_token(card))
    hand = tuple(card for card in player.hand if card not in gone)
    tokens = tuple(card for card in player.tokens if card not in gone)
    if not player.tents:
        return changed(player, hand=hand, tokens=tokens), real
    tents = [replace(tent, kept=tuple(card for card in tent.kept if card not in gone)) for tent in player.tents]
    struck = tuple(tent.tent for tent in tents if not tent.kept and not is_token(tent.tent))
    left = tuple(tent for tent in tents if tent.kept)
    return changed(player, hand=hand, tokens=tokens, tents=left), real + struck


def played(player: Player, cards: Iterable[str]) -> Player:
    """TURN-03: the cards lie in play till the turn ends."""
    if not cards:
        return player
    player, real = laid(player, cards)
    return changed(player, played=player.played + real)


def discarded(player: Player, cards: Iterable[str]) -> Player:
    """From `at_hand` or from play to the discard pile."""
    player, real = laid(player, cards)
    gone = frozenset(cards)
    left = tuple(card for card in player.played if card not in gone)
    return changed(player, played=left, discard=player.discard + real)


def beneath(piles: Mapping[str, tuple[str, ...]], cards: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """TURN-07: each card under its pile."""
    after = dict(piles)
    for card in cards:
        pile = CARDS[card].pile
        after[pile] = (*after.get(pile, ()), card)
    return after
