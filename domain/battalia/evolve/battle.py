"""What events of artefacts, heroes and battles make of the state."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from domain.battalia import events as ev
from domain.battalia.cards import CARDS
from domain.battalia.evolve import zones
from domain.battalia.evolve.changes import acted, ask, spent, with_city, with_hero, with_player, with_tokens
from domain.battalia.state import NOBODY, Battle, Hero, Player, State, Tent, changed


def artefact(
    state: State,
    event: ev.AmuletRolled
    | ev.WishGranted
    | ev.CardsKept
    | ev.CardHidden
    | ev.WingsSpread
    | ev.HornSounded
    | ev.HandReached
    | ev.HeroJoined
    | ev.HeroLeft
    | ev.HeroReturned
    | ev.HeroFled,
) -> State:
    match event:
        case ev.AmuletRolled(seat, paid, _, tokens):
            return with_tokens(acted(state, seat, paid), seat, tokens)
        case ev.HornSounded(seat, paid, tokens) | ev.HandReached(seat, paid, tokens):
            return with_tokens(acted(state, seat, paid), seat, tokens)
        case ev.WingsSpread(seat, hero, paid, tokens):
            return with_hero(with_tokens(acted(state, seat, paid), seat, tokens), hero, winged=True)
        case ev.WishGranted(seat, token, _):
            return with_tokens(state, seat, (token,))
        case ev.CardsKept(seat, tent, kept, brief):
            state = acted(state, seat, ())
            return with_player(state, seat, lambda p: _pitched(p, Tent(tent, kept, brief)))
        case ev.CardHidden(seat, card):
            state = acted(state, seat, ())
            return with_player(state, seat, lambda p: _hidden(p, card))
        case ev.HeroJoined(seat, hero, square, native, returns):
            joined = Hero(hero, seat, square, native=native, returns=returns)
            return changed(state, heroes={**state.heroes, hero: joined})
        case ev.HeroLeft(_, hero):
            return changed(state, heroes={name: other for name, other in state.heroes.items() if name != hero})
        case ev.HeroReturned(_, hero, square, _):
            return with_hero(state, hero, square=square)
        case ev.HeroFled(_, hero, _, to, _):
            return with_hero(state, hero, square=to)
        case _:
            assert_never(event)


def _pitched(player: Player, tent: Tent) -> Player:
    player, real = zones.laid(player, (tent.tent, *tent.kept))
    struck = tuple(card for card in real if card != tent.tent and card not in tent.kept)
    return changed(player, tents=(*player.tents, tent), played=player.played + struck)


def _hidden(player: Player, card: str) -> Player:
    player, _ = zones.laid(player, (card,))
    return changed(player, hidden=(*player.hidden, card))


def battle(
    state: State,
    event: ev.BattleBegan
    | ev.LinePledged
    | ev.LineRevealed
    | ev.BattleFought
    | ev.HeroDisbanded
    | ev.HeroEntered
    | ev.CityTaken
    | ev.CityLevelled
    | ev.CityDestroyed
    | ev.RuinsBeaten
    | ev.SpoilsTaken,
) -> State:
    match event:
        case ev.BattleBegan(seat, hero, origin, square, defender, paid, steps):
            state = with_hero(acted(state, seat, paid), hero, fought=True, steps=steps)
            state = changed(state, battle=Battle(seat, defender, hero, origin, square))
            if defender == NOBODY:
                return state
            return ask(state, "defend", (defender,), "BAT-01", {"square": square, "attacker": seat}, "")
        case ev.LinePledged(_, cards, ambush):
            assert state.battle is not None
            return changed(state, battle=replace(state.battle, line=cards, ambush=ambush))
        case ev.LineRevealed(seat, cards, ambush, _, _):
            state = with_player(state, seat, lambda p: _revealed(p, cards, ambush))
            back = [card for card in ambush if CARDS[card].pile]
            great = tuple(card for card in ambush if not CARDS[card].pile)
            state = changed(state, piles=zones.beneath(state.piles, back), great=state.great + great)
            return spent(state, seat, cards + ambush)
        case ev.BattleFought():
            return changed(state, battle=None)
        case ev.HeroDisbanded(_, hero, _, _):
            return with_hero(state, hero, square="", steps=0)
        case ev.HeroEntered(_, hero, square):
            return with_hero(state, hero, square=square)
        case ev.CityTaken(seat, square, level, _):
            return with_city(state, square, seat, level)
        case ev.CityLevelled(square, level):
            return with_city(state, square, state.cities[square].owner, level)
        case ev.CityDestroyed(square, card, _):
            board = {name: tile for name, tile in state.board.items() if name != square}
            cities = {name: city for name, city in state.cities.items() if name != square}
            return changed(state, board=board, cities=cities, piles=zones.beneath(state.piles, (card,)))
        case ev.RuinsBeaten():
            return changed(state, turn=replace(state.turn, ruins=True))
        case ev.SpoilsTaken(seat, card, _):
            great = tuple(other for other in state.great if other != card)
            state = changed(state, great=great)
            return with_player(state, seat, lambda p: changed(p, discard=(*p.discard, card)))
        case _:
            assert_never(event)


def _revealed(player: Player, cards: tuple[str, ...], ambush: tuple[str, ...]) -> Player:
    player = zones.discarded(player, cards)
    if not ambush:
        return player
    return changed(player, hidden=tuple(card for card in player.hidden if card not in ambush))
