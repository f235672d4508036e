"""The answers that standing orders give, and the list of orders for their owner (FRO-16, FRO-D54, FRO-D61)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Done, Retreat
from domain.games.fronela.phases.battlefield import holds_out
from domain.games.fronela.phases.dice import DEFENCE
from domain.games.fronela.phases.losses import usual_loss
from domain.games.fronela.phases.movement.naming import name
from domain.games.fronela.phases.population import DECLINE, may_decline
from domain.games.fronela.phases.retreat.attacker import window, withdraws
from domain.games.fronela.phases.retreat.ways import refuge, ways_of
from domain.games.fronela.phases.wizards import automatic_bend
from domain.games.fronela.state import NO_ORDERS, Asking, FronelaState
from domain.kernel.terms import Seat


def told(state: FronelaState, seat: Seat) -> Iterator[Any]:
    """The orders of the seat's nations, as the events that would set them."""
    for nation in state.tables.seats[seat]:
        orders = state.orders.get(nation, NO_ORDERS)
        if orders.stance:
            yield ev.StanceSet(seat, nation, orders.stance)
        if orders.refuges:
            yield ev.RefugesSet(seat, nation, orders.refuges)
        if orders.own_losses or orders.enemy_losses:
            yield ev.LossesSet(seat, nation, orders.own_losses, orders.enemy_losses)
        if orders.wizards:
            yield ev.WizardsSet(seat, nation, orders.wizards)
        if orders.growth:
            yield ev.GrowthSet(seat, nation, orders.growth)
        if orders.withdrawal:
            yield ev.WithdrawalSet(seat, nation, orders.withdrawal)


def answer(state: FronelaState) -> Any | None:
    """The first command of the orders for the pending question; None if they do not cover it or cannot be followed."""
    asking = state.asking
    answers = None if asking is None else ANSWERS.get(asking.kind)
    return None if asking is None or answers is None else answers(state, asking)


def _leaving(state: FronelaState, asking: Asking) -> Any | None:
    stance, battle = state.orders.get(asking.nation, NO_ORDERS).stance, state.battle
    if not stance or battle is None:
        return None
    ways = ways_of(state, asking.kind, asking.nation, asking.area, asking.havens)
    if not ways or holds_out(state, battle, stance):
        return Done()
    group, reach = ways[0]
    return Retreat(name(state, group), refuge(state, asking.nation, reach, asking.havens), group.count)


def _losses(state: FronelaState, asking: Asking) -> Any | None:
    orders = state.orders.get(state.turn, NO_ORDERS)
    wish = orders.enemy_losses if asking.kind == "defender_losses" else orders.own_losses
    return usual_loss(state, asking.kind, wish) if wish else None


def _wizards(state: FronelaState, asking: Asking) -> Any | None:
    policy = state.orders.get(asking.nation, NO_ORDERS).wizards
    if not policy:
        return None
    return Done() if policy == "rest" else automatic_bend(state, DEFENCE, policy)


def _growth(state: FronelaState, asking: Asking) -> Any | None:  # noqa: ARG001
    declines = state.orders.get(state.turn, NO_ORDERS).growth == DECLINE
    return Done() if declines and may_decline(state, state.tables.nations[state.turn]) else None


def _withdrawal(state: FronelaState, asking: Asking) -> Any | None:
    ways = window(state)
    if not ways or not withdraws(state, state.orders.get(state.turn, NO_ORDERS)):
        return None
    group, reach = ways[0]
    return Retreat(name(state, group), refuge(state, state.turn, reach, asking.havens), group.count)


ANSWERS: Mapping[str, Callable[[FronelaState, Asking], Any | None]] = {
    "special_retreat": _leaving,
    "retreat": _leaving,
    "defender_losses": _losses,
    "attacker_losses": _losses,
    "defence_wizards": _wizards,
    "growth": _growth,
    "battle": _withdrawal,
}
"""Functions by kind of question. Orders answer no other kinds."""
