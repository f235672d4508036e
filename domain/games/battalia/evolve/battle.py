"""The effect of battle events on the state."""

from __future__ import annotations

from dataclasses import replace

from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.games.battalia.evolve import zones
from domain.games.battalia.evolve.changes import (
    Becomes,
    acted,
    ask,
    cities_with,
    heroes_with,
    seated,
    spent,
    with_player,
)
from domain.games.battalia.state import NOBODY, BattaliaState, Battle, changed
from domain.kernel.terms import Seat


def _began(state: BattaliaState, event: ev.BattleBegan) -> BattaliaState:
    heroes = heroes_with(state, event.hero, fought=True, steps=event.steps)
    battle = Battle(event.seat, event.defender, event.hero, event.origin, event.square)
    player = zones.played(state.players[event.seat], event.paid)
    state = acted(state, event.seat, player, heroes=heroes, battle=battle)
    if event.defender == NOBODY:
        return state
    return ask(state, "defend", (event.defender,), "BAT-01", {"square": event.square, "attacker": event.seat}, "")


def _pledged(state: BattaliaState, event: ev.LinePledged) -> BattaliaState:
    assert state.battle is not None
    return changed(state, battle=replace(state.battle, line=event.cards, ambush=event.ambush))


def _revealed(state: BattaliaState, event: ev.LineRevealed) -> BattaliaState:
    ambush = event.ambush
    player = zones.discarded(state.players[event.seat], event.cards)
    if ambush:
        player = changed(player, hidden=tuple(card for card in player.hidden if card not in ambush))
    back = [card for card in ambush if CARDS[card].pile]
    great = tuple(card for card in ambush if not CARDS[card].pile)
    piles = zones.beneath(state.piles, back) if back else state.piles
    state = changed(state, players=seated(state, event.seat, player), piles=piles, great=state.great + great)
    return spent(state, event.seat, event.cards + ambush)


def _fought(state: BattaliaState, event: ev.BattleFought) -> BattaliaState:  # noqa: ARG001
    return changed(state, battle=None)


def _disbanded(state: BattaliaState, event: ev.HeroDisbanded) -> BattaliaState:
    return changed(state, heroes=heroes_with(state, event.hero, square="", steps=0))


def _taken(state: BattaliaState, event: ev.CityTaken) -> BattaliaState:
    return changed(state, cities=cities_with(state, event.square, event.seat, event.level))


def _levelled(state: BattaliaState, event: ev.CityLevelled) -> BattaliaState:
    return changed(state, cities=cities_with(state, event.square, state.cities[event.square].owner, event.level))


def _destroyed(state: BattaliaState, event: ev.CityDestroyed) -> BattaliaState:
    board = {name: tile for name, tile in state.board.items() if name != event.square}
    cities = {name: city for name, city in state.cities.items() if name != event.square}
    return changed(state, board=board, cities=cities, piles=zones.beneath(state.piles, (event.card,)))


def _beaten(state: BattaliaState, event: ev.RuinsBeaten) -> BattaliaState:  # noqa: ARG001
    return changed(state, turn=replace(state.turn, ruins=True))


def _spoils(state: BattaliaState, event: ev.SpoilsTaken) -> BattaliaState:
    state = changed(state, great=tuple(card for card in state.great if card != event.card))
    return with_player(state, Seat(event.seat), lambda p: changed(p, discard=(*p.discard, event.card)))


BECOMES: Becomes = {
    ev.BattleBegan: _began,
    ev.LinePledged: _pledged,
    ev.LineRevealed: _revealed,
    ev.BattleFought: _fought,
    ev.HeroDisbanded: _disbanded,
    ev.CityTaken: _taken,
    ev.CityLevelled: _levelled,
    ev.CityDestroyed: _destroyed,
    ev.RuinsBeaten: _beaten,
    ev.SpoilsTaken: _spoils,
}
