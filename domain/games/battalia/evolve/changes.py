"""Small state changes that events consist of.

Callers pass further changed fields as ``also``, so that one event copies the state once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain.games.battalia.cards import CARDS
from domain.games.battalia.state import BattaliaState, City, Frame, Hero, PlayerState, Tile, Turn, changed
from domain.kernel.terms import SYSTEM, Seat

Becomes = Mapping[type[Any], Callable[[BattaliaState, Any], BattaliaState]]
"""The effect of each event type on the state."""


def unchanged(state: BattaliaState, event: Any) -> BattaliaState:  # noqa: ARG001
    """The effect of an event that only reports something."""
    return state


def ask(
    state: BattaliaState,
    kind: str,
    seats: tuple[Seat, ...],
    clause: str,
    about: Mapping[str, Any],
    npc: str,
    **also: Any,
) -> BattaliaState:
    serial = state.serial + 1
    return changed(state, serial=serial, asking=(*state.asking, Frame(kind, serial, seats, clause, about, npc)), **also)


def with_player(state: BattaliaState, seat: Seat, change: Callable[[PlayerState], PlayerState]) -> BattaliaState:
    return changed(state, players={**state.players, seat: change(state.players[seat])})


def seated(state: BattaliaState, seat: Seat, player: PlayerState) -> Mapping[Seat, PlayerState]:
    """The players with this one in the seat."""
    players = state.players
    return players if player is players[seat] else {**players, seat: player}


def acted(state: BattaliaState, seat: Seat, player: PlayerState, **also: Any) -> BattaliaState:
    """The state after an action of the seat's turn, with the changed player (TURN-01)."""
    turn = state.turn
    if turn.fresh:
        turn = Turn(turn.seat, fresh=False, ruins=turn.ruins)
    return changed(state, turn=turn, players=seated(state, seat, player), **also)


def with_hero(state: BattaliaState, name: str, **changes: Any) -> BattaliaState:
    return changed(state, heroes=heroes_with(state, name, **changes))


def heroes_with(state: BattaliaState, name: str, **changes: Any) -> Mapping[str, Hero]:
    return {**state.heroes, name: changed(state.heroes[name], **changes)}


def without(piles: Mapping[str, tuple[str, ...]], pile: str, card: str) -> Mapping[str, tuple[str, ...]]:
    cards = piles[pile]
    left = cards[1:] if cards and cards[0] == card else tuple([other for other in cards if other != card])
    return {**piles, pile: left}


def laid(state: BattaliaState, square: str, card: str, exits: str) -> dict[str, Any]:
    """The changed fields when a terrain card moves from its pile to a square: piles and board."""
    piles = without(state.piles, CARDS[card].pile, card)
    return {"piles": piles, "board": {**state.board, square: Tile(card, exits)}}


def cities_with(state: BattaliaState, square: str, owner: Seat, level: int) -> Mapping[str, City]:
    return {**state.cities, square: City(owner, level)}


def spent(state: BattaliaState, seat: Seat, cards: tuple[str, ...]) -> BattaliaState:
    """TURN-06: mark a player who played cards in another player's turn."""
    if not cards or state.turn.seat in (SYSTEM, seat):
        return state
    return with_player(state, seat, lambda p: changed(p, spent=True))
