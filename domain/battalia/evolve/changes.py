"""The small changes that events are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from domain.battalia.cards import CARDS
from domain.battalia.evolve import zones
from domain.battalia.state import City, Frame, Player, State, Tile, changed
from domain.terms import SYSTEM, Seat


def ask(state: State, kind: str, seats: tuple[Seat, ...], clause: str, about: Mapping[str, Any], npc: str) -> State:
    serial = state.serial + 1
    return changed(state, serial=serial, asking=(*state.asking, Frame(kind, serial, seats, clause, about, npc)))


def with_player(state: State, seat: Seat, change: Callable[[Player], Player]) -> State:
    return changed(state, players={**state.players, seat: change(state.players[seat])})


def acted(state: State, seat: Seat, paid: tuple[str, ...]) -> State:
    """The state after a line of the seat's turn was played."""
    turn = replace(state.turn, fresh=False) if state.turn.fresh else state.turn
    players = {**state.players, seat: zones.played(state.players[seat], paid)}
    return changed(state, turn=turn, players=players)


def with_hero(state: State, name: str, **changes: Any) -> State:
    return changed(state, heroes={**state.heroes, name: changed(state.heroes[name], **changes)})


def without(piles: Mapping[str, tuple[str, ...]], pile: str, card: str) -> Mapping[str, tuple[str, ...]]:
    return {**piles, pile: tuple(other for other in piles[pile] if other != card)}


def with_card(state: State, square: str, card: str, exits: str) -> State:
    piles = without(state.piles, CARDS[card].pile, card)
    return changed(state, piles=piles, board={**state.board, square: Tile(card, exits)})


def with_city(state: State, square: str, owner: Seat, level: int) -> State:
    return changed(state, cities={**state.cities, square: City(owner, level)})


def with_tokens(state: State, seat: Seat, tokens: tuple[str, ...]) -> State:
    if not tokens:
        return state
    state = changed(state, tokens=state.tokens + len(tokens))
    return with_player(state, seat, lambda p: changed(p, tokens=p.tokens + tokens))


def spent(state: State, seat: Seat, cards: tuple[str, ...]) -> State:
    """TURN-06: remember who plays cards in another's turn."""
    if not cards or state.turn.seat in (SYSTEM, seat):
        return state
    return with_player(state, seat, lambda p: changed(p, spent=True))
