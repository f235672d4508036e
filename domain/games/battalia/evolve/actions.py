"""The effect of a turn's events on the state: cards drawn, paid and taken, roads and cities, steps, artefacts."""

from __future__ import annotations

from domain.games.battalia import events as ev
from domain.games.battalia.evolve import zones
from domain.games.battalia.evolve.changes import (
    Becomes,
    acted,
    cities_with,
    heroes_with,
    laid,
    seated,
    spent,
    unchanged,
    with_player,
    without,
)
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import STOPS
from domain.games.battalia.state import BattaliaState, Hero, PlayerState, Tent, changed
from domain.kernel.terms import Seat

# -- cards ------------------------------------------------------------------------------------------------------------


def _drawn(state: BattaliaState, event: ev.CardsDrawn) -> BattaliaState:
    player = state.players[event.seat]
    player = changed(player, hand=player.hand + event.cards, deck=player.deck[len(event.cards) :])
    return changed(state, players=seated(state, event.seat, player))


def _shuffled(state: BattaliaState, event: ev.DeckShuffled) -> BattaliaState:
    return with_player(state, event.seat, lambda p: changed(p, deck=event.order, discard=()))


def _discarded(state: BattaliaState, event: ev.CardsDiscarded) -> BattaliaState:
    state = with_player(state, event.seat, lambda p: zones.discarded(p, event.cards))
    return spent(state, event.seat, event.cards)


def _mulliganed(state: BattaliaState, event: ev.HandMulliganed) -> BattaliaState:
    return acted(state, event.seat, zones.discarded(state.players[event.seat], event.cards))


def _shown(state: BattaliaState, event: ev.CohortShown) -> BattaliaState:
    return acted(state, event.seat, state.players[event.seat])


def _paying(state: BattaliaState, seat: Seat, paid: tuple[str, ...]) -> PlayerState:
    return zones.played(state.players[seat], paid)


def _paid(state: BattaliaState, event: ev.LinePaid) -> BattaliaState:
    if event.seat == state.turn.seat:
        return acted(state, event.seat, _paying(state, event.seat, event.cards))
    state = with_player(state, event.seat, lambda p: zones.discarded(p, event.cards))
    return spent(state, event.seat, event.cards)


def _laid_down(state: BattaliaState, event: ev.CardsLaid) -> BattaliaState:
    return changed(state, players=seated(state, event.seat, _paying(state, event.seat, event.cards)))


def _taken(state: BattaliaState, event: ev.CardTaken) -> BattaliaState:
    player = _paying(state, event.seat, event.paid)
    player = changed(player, discard=(*player.discard, event.card))
    return acted(state, event.seat, player, piles=without(state.piles, event.pile, event.card))


# -- the map ----------------------------------------------------------------------------------------------------------


def _road(state: BattaliaState, event: ev.RoadBuilt) -> BattaliaState:
    player = _paying(state, event.seat, event.paid)
    return acted(state, event.seat, player, **laid(state, event.square, event.card, event.exits))


def _founded(state: BattaliaState, event: ev.CityFounded) -> BattaliaState:
    cities = cities_with(state, event.square, event.seat, event.level)
    player = _paying(state, event.seat, event.paid)
    return acted(state, event.seat, player, cities=cities, **laid(state, event.square, event.card, event.exits))


def _raised(state: BattaliaState, event: ev.CityUpgraded | ev.CityRebuilt) -> BattaliaState:
    cities = cities_with(state, event.square, event.seat, event.level)
    return acted(state, event.seat, _paying(state, event.seat, event.paid), cities=cities)


def _stepped(state: BattaliaState, event: ev.HeroStepped) -> BattaliaState:
    heroes = heroes_with(state, event.hero, square=event.to, steps=event.steps)
    return acted(state, event.seat, _paying(state, event.seat, event.paid), heroes=heroes)


def _step_paid(state: BattaliaState, event: ev.StepPaid) -> BattaliaState:
    stops = {"fought": True} if RULESETS[state.ruleset].reads("after_meeting") == STOPS else {}  # BUF-09
    heroes = heroes_with(state, event.hero, steps=0, **stops)
    return acted(state, event.seat, _paying(state, event.seat, event.paid), heroes=heroes)


# -- artefacts --------------------------------------------------------------------------------------------------------


def _rolled(
    state: BattaliaState, event: ev.AmuletRolled | ev.HornSounded | ev.HandReached | ev.WingsSpread
) -> BattaliaState:
    player = _with_tokens(_paying(state, event.seat, event.paid), event.tokens)
    heroes = heroes_with(state, event.hero, winged=True) if isinstance(event, ev.WingsSpread) else state.heroes
    return acted(state, event.seat, player, tokens=state.tokens + len(event.tokens), heroes=heroes)


def _with_tokens(player: PlayerState, tokens: tuple[str, ...]) -> PlayerState:
    return changed(player, tokens=player.tokens + tokens) if tokens else player


def _granted(state: BattaliaState, event: ev.WishGranted) -> BattaliaState:
    player = _with_tokens(state.players[event.seat], (event.token,))
    return changed(state, tokens=state.tokens + 1, players=seated(state, event.seat, player))


def _kept(state: BattaliaState, event: ev.CardsKept) -> BattaliaState:
    player, real = zones.laid(state.players[event.seat], (event.tent, *event.kept))
    struck = tuple(card for card in real if card != event.tent and card not in event.kept)
    tent = Tent(event.tent, event.kept, event.brief)
    return acted(state, event.seat, changed(player, tents=(*player.tents, tent), played=player.played + struck))


def _hidden(state: BattaliaState, event: ev.CardHidden) -> BattaliaState:
    player = state.players[event.seat]
    player, _ = zones.laid(player, (event.card,), hidden=(*player.hidden, event.card))
    return acted(state, event.seat, player)


# -- heroes ----------------------------------------------------------------------------------------------------------


def _joined(state: BattaliaState, event: ev.HeroJoined) -> BattaliaState:
    hero = Hero(event.hero, event.seat, event.square, native=event.native, returns=event.returns)
    return changed(state, heroes={**state.heroes, event.hero: hero})


def _gone(state: BattaliaState, event: ev.HeroLeft) -> BattaliaState:
    return changed(state, heroes={name: hero for name, hero in state.heroes.items() if name != event.hero})


def _back(state: BattaliaState, event: ev.HeroReturned | ev.HeroEntered) -> BattaliaState:
    return changed(state, heroes=heroes_with(state, event.hero, square=event.square))


def _fled(state: BattaliaState, event: ev.HeroFled) -> BattaliaState:
    return changed(state, heroes=heroes_with(state, event.hero, square=event.to))


BECOMES: Becomes = {
    ev.CardsDrawn: _drawn,
    ev.DeckShuffled: _shuffled,
    ev.CardsDiscarded: _discarded,
    ev.HandMulliganed: _mulliganed,
    ev.CohortShown: _shown,
    ev.LinePaid: _paid,
    ev.CardsLaid: _laid_down,
    ev.CardTaken: _taken,
    ev.RoadBuilt: _road,
    ev.CityFounded: _founded,
    ev.CityUpgraded: _raised,
    ev.CityRebuilt: _raised,
    ev.HeroStepped: _stepped,
    ev.StepPaid: _step_paid,
    ev.AmuletRolled: _rolled,
    ev.HornSounded: _rolled,
    ev.HandReached: _rolled,
    ev.WingsSpread: _rolled,
    ev.WishGranted: _granted,
    ev.CardsKept: _kept,
    ev.CardHidden: _hidden,
    ev.HeroJoined: _joined,
    ev.HeroLeft: _gone,
    ev.HeroReturned: _back,
    ev.HeroEntered: _back,
    ev.HeroFled: _fled,
    ev.FigureFought: unchanged,
}
