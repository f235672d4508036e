"""The effect of calendar and setup events on the state: days, turns, questions, seats."""

from __future__ import annotations

from dataclasses import replace

from domain.games.battalia import events as ev
from domain.games.battalia.evolve.changes import Becomes, ask, cities_with, laid, seated, unchanged, with_player
from domain.games.battalia.module_api.orders import order_key
from domain.games.battalia.module_api.questions import DAY, TURN
from domain.games.battalia.state import NOBODY, BattaliaState, Hero, PlayerState, Turn, changed
from domain.kernel.terms import SYSTEM

# -- days and turns ---------------------------------------------------------------------------------------------------


def _turn_began(state: BattaliaState, event: ev.TurnBegan) -> BattaliaState:
    seat, heroes, players = event.seat, state.heroes, state.players
    if any(hero.seat == seat and (hero.steps or hero.fought or hero.winged) for hero in heroes.values()):
        heroes = {
            name: changed(hero, steps=0, fought=False, winged=False) if hero.seat == seat else hero
            for name, hero in heroes.items()
        }
    if any(player.spent for player in players.values()):
        players = {other: changed(p, spent=False) if p.spent else p for other, p in players.items()}
    return ask(state, TURN, (seat,), "TURN-03", {}, "", turn=Turn(seat), heroes=heroes, players=players)


def _turn_ended(state: BattaliaState, event: ev.TurnEnded) -> BattaliaState:
    player = state.players[event.seat]
    if player.tokens:
        player = changed(player, tokens=())
    return changed(state, agenda=event.agenda + state.agenda, players=seated(state, event.seat, player))


def _day_announced(state: BattaliaState, event: ev.DayAnnounced) -> BattaliaState:
    asking = tuple([frame for frame in state.asking if frame.kind != DAY])
    return changed(state, day=state.day + 1, agenda=event.agenda, asking=asking)


def _day_ended(state: BattaliaState, event: ev.DayEnded) -> BattaliaState:  # noqa: ARG001
    return ask(state, DAY, (SYSTEM,), "DAY-02", {}, "", turn=Turn())


def _moment_came(state: BattaliaState, event: ev.MomentCame) -> BattaliaState:  # noqa: ARG001
    return changed(state, agenda=state.agenda[1:])


def _moments_added(state: BattaliaState, event: ev.MomentsAdded) -> BattaliaState:
    return changed(state, agenda=event.agenda + state.agenda)


def _asked(state: BattaliaState, event: ev.QuestionAsked) -> BattaliaState:
    return ask(state, event.kind, event.seats, event.clause, event.about, event.npc)


def _order_given(state: BattaliaState, event: ev.OrderGiven) -> BattaliaState:
    own = {**state.orders.get(event.seat, {}), order_key(event.order["type"], event.order.get("place", 1)): event.order}
    return changed(state, orders={**state.orders, event.seat: dict(sorted(own.items()))})


def _order_withdrawn(state: BattaliaState, event: ev.OrderWithdrawn) -> BattaliaState:
    gone = order_key(event.order, event.place)
    own = {key: order for key, order in state.orders.get(event.seat, {}).items() if key != gone}
    return changed(state, orders={**state.orders, event.seat: own})


def _end(state: BattaliaState, event: ev.EndReached) -> BattaliaState:
    return changed(state, ending=event.reason, clause=event.clause, asking=(), agenda=(), battle=None)


# -- seats ------------------------------------------------------------------------------------------------------------


def _chosen(state: BattaliaState, event: ev.FactionChosen) -> BattaliaState:
    return with_player(state, event.seat, lambda p: changed(p, faction=event.faction))


def _placed(state: BattaliaState, event: ev.StartPlaced) -> BattaliaState:
    seat, square = event.seat, event.square
    heroes = {**state.heroes, **{name: Hero(name, seat, square) for name in event.heroes}}
    cities = cities_with(state, square, seat, event.level)
    players = seated(state, seat, changed(state.players[seat], home=square))
    return changed(state, heroes=heroes, cities=cities, players=players, **laid(state, square, event.card, event.exits))


def _out(state: BattaliaState, event: ev.SeatOut) -> BattaliaState:
    seat = event.seat
    p = state.players[seat]
    tents = tuple(card for tent in p.tents for card in (tent.tent, *tent.kept))
    cards = p.hand + p.deck + p.discard + p.played + p.hidden + tents
    gone = tuple(card for card in cards if "~" not in card)
    cities = {n: replace(c, owner=NOBODY) if c.owner == seat else c for n, c in state.cities.items()}
    empty = PlayerState(seat, faction=p.faction, home=p.home, out=True)
    return changed(
        state,
        players={**state.players, seat: empty},
        gone=state.gone + gone,
        cities=cities,
        # A figure that only served the player is released by its module.
        heroes={name: hero for name, hero in state.heroes.items() if hero.seat != seat or not hero.returns},
        order=tuple(other for other in state.order if other != seat),
    )


BECOMES: Becomes = {
    ev.TurnBegan: _turn_began,
    ev.TurnEnded: _turn_ended,
    ev.DayAnnounced: _day_announced,
    ev.DayEnded: _day_ended,
    ev.MomentCame: _moment_came,
    ev.MomentsAdded: _moments_added,
    ev.QuestionAsked: _asked,
    ev.QuestionAnswered: unchanged,
    ev.OrderGiven: _order_given,
    ev.OrderWithdrawn: _order_withdrawn,
    ev.OrderFollowed: unchanged,
    ev.EndReached: _end,
    ev.FactionChosen: _chosen,
    ev.StartPlaced: _placed,
    ev.SeatOut: _out,
}
