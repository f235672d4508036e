"""Creates a state that a seat cannot distinguish from the real one: everything hidden from it is dealt again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain.games.battalia.cards import CARDS, fights
from domain.games.battalia.evolve.zones import at_hand, unseen
from domain.games.battalia.module_api import registry
from domain.games.battalia.state import BattaliaState, Battle, PlayerState, changed
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat


def imagine(state: BattaliaState, seat: Seat | None, dice: Dice) -> BattaliaState:
    """The imagined state. Depends only on the dice and on what the seat may see.

    Cards are sorted before they are drawn again, so states that the seat cannot distinguish give the same result.
    """
    piles = {name: dice.shuffle(sorted(cards)) for name, cards in sorted(state.piles.items())}
    fight = state.battle
    players: dict[Seat, PlayerState] = {}
    for other in sorted(state.players):
        player = state.players[other]
        if other == seat:
            players[other] = changed(player, deck=dice.shuffle(sorted(player.deck)))
        else:
            players[other] = _dealt(player, dice, needs_unit=fight is not None and fight.attacker == other)
    if fight is not None and fight.attacker != seat:
        fight = _pledged(fight, players[fight.attacker], dice)
    imagined = changed(state, piles=piles, players=players, battle=fight)
    if state.orders:  # assume that the others have given no orders
        own = {seat: state.orders[seat]} if seat is not None and seat in state.orders else {}
        imagined = changed(imagined, orders=own)
    npcs = dict(imagined.npcs)
    for module in registry.playing(state.modules):
        npcs[module.key] = module.imagine(imagined, seat, dice)
    return changed(imagined, npcs=npcs) if npcs else imagined


def _dealt(player: PlayerState, dice: Dice, *, needs_unit: bool) -> PlayerState:
    """The player with the same unseen cards dealt again. Hand, tents, slots and deck keep their sizes."""
    cards = list(dice.shuffle(unseen(player)))
    at_hand_size = len(player.hand) + sum(len(tent.kept) for tent in player.tents)
    if needs_unit and not any(CARDS[card].rank for card in (*cards[:at_hand_size], *player.tokens)):
        place = next(place for place, card in enumerate(cards) if CARDS[card].rank)
        cards[0], cards[place] = cards[place], cards[0]
    hand, rest = _split(cards, len(player.hand))
    tents = []
    for tent in player.tents:
        kept, rest = _split(rest, len(tent.kept))
        tents.append(replace(tent, kept=kept))
    hidden, deck = _split(rest, len(player.hidden))
    return changed(player, hand=hand, tents=tuple(tents), hidden=hidden, deck=tuple(deck))


def _split(cards: Sequence[str], count: int) -> tuple[tuple[str, ...], Sequence[str]]:
    return tuple(cards[:count]), cards[count:]


def _pledged(fight: Battle, player: PlayerState, dice: Dice) -> Battle:
    """BAT-01: a legal line of the attacker."""
    held = [card for card in at_hand(player) if fights(card)]
    units = [card for card in held if CARDS[card].rank]
    support = [card for card in held if not CARDS[card].rank]
    ambush = [card for card in player.hidden if fights(card)]
    line = _some(units, 1, dice) + _some(support, 0, dice)
    return replace(fight, line=line, ambush=_some(ambush, 0, dice))


def _some(cards: Sequence[str], least: int, dice: Dice) -> tuple[str, ...]:
    size = least + dice.below(len(cards) - least + 1)
    return dice.shuffle(cards)[:size]
