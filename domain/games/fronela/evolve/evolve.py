"""Applies an event to the state. Uses no rules and no dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.evolve.board import merged, put, restacked, without
from domain.games.fronela.state import (
    NO_ORDERS,
    AreaBattle,
    Asking,
    Bend,
    Entry,
    FronelaState,
    Person,
    altered,
    areas_of,
    changed,
    grouped,
    start,
    unsettled,
)


def evolve(state: FronelaState | None, event: Any) -> FronelaState:
    """The state after the event. An episode's own events leave it unchanged."""
    change = _CHANGES.get(type(event))
    if state is None or change is None:
        return _begun(state, event)
    return change(state, event)


def _begun(state: FronelaState | None, event: Any) -> FronelaState:
    """The initial state, or the same state for an event that changes nothing."""
    if isinstance(event, ev.HistoryBegun):
        return start(event.ruleset)
    assert state is not None
    return state


# -- the board --------------------------------------------------------------------------------------------------------


def _pooled(state: FronelaState, nation: str, units: Mapping[str, int], sign: int) -> Mapping[str, Mapping[str, int]]:
    """The pools after counters were returned (+1) or taken (-1). Pieces without a counter have no pool."""
    own = dict(state.pool[nation])
    for kind, number in units.items():
        if kind in own:
            own[kind] += sign * number
    return {**state.pool, nation: own}


def _placed(state: FronelaState, event: ev.UnitsPlaced) -> FronelaState:
    # In the order of the tables, because the log keeps the order of keys.
    kinds = state.tables.nations[event.nation].units
    more = tuple(grouped(kind, event.units[kind]) for kind in kinds if kind in event.units)
    return changed(
        state,
        board=put(state.board, event.area, event.nation, *more),
        pool=_pooled(state, event.nation, event.units, -1),
        grown=tuple(a for a in state.grown if a != event.area) if event.why == "growth" else state.grown,
    )


def _lost(state: FronelaState, event: ev.UnitsLost) -> FronelaState:
    gone = grouped(event.kind, event.count, came=event.came, fled=event.fled)
    return changed(
        state,
        board=without(state.board, event.area, event.nation, gone),
        pool=_pooled(state, event.nation, {event.kind: event.count}, 1),
        battle=_with_hits_taken(state.battle, event.nation, event.hits),
    )


def _with_hits_taken(battle: AreaBattle | None, nation: str, hits: int) -> AreaBattle | None:
    if battle is None or not hits:
        return battle
    if nation == battle.defender:
        return altered(battle, dealt=battle.dealt - hits)
    return altered(battle, suffered=battle.suffered - hits)


def _taken(state: FronelaState, event: ev.FarmersTaken) -> FronelaState:
    board = state.board
    for group in board[event.area][event.nation]:  # the nation has no other units there (FRO-D06)
        board = without(board, event.area, event.nation, group)
    state = changed(state, board=board, pool=_pooled(state, event.nation, {"farmer": event.count}, 1))
    return changed(
        state,
        board=put(state.board, event.area, event.by, grouped("farmer", event.joined)),
        pool=_pooled(state, event.by, {"farmer": event.joined}, -1),
    )


def _readied(state: FronelaState, event: ev.UnitsReadied) -> FronelaState:
    stacks = {}
    for area in areas_of(state, event.nation):
        steps = event.steps.get(area, {})
        stack = state.board[area][event.nation]
        stacks[area] = merged([grouped(group.kind, group.count, steps.get(group.kind, 0)) for group in stack])
    return changed(state, board=restacked(state.board, event.nation, stacks))


def _marched(state: FronelaState, event: ev.UnitsMarched) -> FronelaState:
    before = grouped(event.kind, event.count, event.had, event.came, event.was_ferried)
    after = grouped(event.kind, event.count - event.halted, event.left, event.area, event.ferried)
    board = without(state.board, event.area, event.nation, before)
    halted = grouped(event.kind, event.halted, 0, event.area, event.ferried)
    board = put(board, event.to, event.nation, halted, after)
    return changed(state, board=board)


def _retreated(state: FronelaState, event: ev.UnitsRetreated) -> FronelaState:
    board = without(state.board, event.area, event.nation, grouped(event.kind, event.count, came=event.came))
    return changed(state, board=put(board, event.to, event.nation, grouped(event.kind, event.count, fled=True)))


def _moves_ended(state: FronelaState, event: ev.MovesEnded) -> FronelaState:
    stacks = {}
    for area in areas_of(state, event.nation):
        stack = state.board[area][event.nation]
        first = stack[0]
        if len(stack) > 1 or first.left or first.ferried or first.fled:
            stacks[area] = merged([grouped(g.kind, g.count, came=g.came) for g in stack])
    if not stacks:
        return changed(state, battle=None, fought={})
    return changed(state, board=restacked(state.board, event.nation, stacks), battle=None, fought={})


def _fighting_ended(state: FronelaState, _: ev.FightingEnded) -> FronelaState:
    board = dict(state.board)
    for area in unsettled(state):
        garrison = board[area]
        board[area] = {nation: merged([grouped(g.kind, g.count) for g in stack]) for nation, stack in garrison.items()}
    return changed(state, board=board, battle=None, fought={})


# -- everything else --------------------------------------------------------------------------------------------------


def _round_begun(state: FronelaState, event: ev.RoundBegun) -> FronelaState:
    return changed(state, round=event.round, order=(), place=-1)


def _round_ended(state: FronelaState, event: ev.RoundEnded) -> FronelaState:
    if event.last:
        return changed(state, ended=True, asking=None, order=(), place=-1)
    return changed(state, order=(), place=-1)


def _order_changed(state: FronelaState, event: ev.OrderChanged) -> FronelaState:
    return changed(state, order=event.order)


def _turn_begun(state: FronelaState, event: ev.TurnBegun) -> FronelaState:
    return changed(state, place=event.place, grown=(), battle=None, fought={})


def _asked(state: FronelaState, event: ev.Asked) -> FronelaState:
    serial = state.serial + 1
    asking = Asking(serial, event.seat, event.kind, event.clause, event.nation, event.area, event.havens, event.agenda)
    return changed(state, serial=serial, asking=asking)


def _rolled(state: FronelaState, event: ev.GrowthRolled) -> FronelaState:
    return changed(state, grown=(*state.grown, event.area)) if event.grows else state


def _growth_lost(state: FronelaState, event: ev.GrowthLost) -> FronelaState:
    return changed(state, grown=tuple(area for area in state.grown if area != event.area))


def _joined(state: FronelaState, event: ev.BattleJoined) -> FronelaState:
    battle = AreaBattle(event.area, event.attacker, event.defender)
    return changed(state, battle=battle)


def _bent(state: FronelaState, event: ev.DieBent) -> FronelaState:
    assert state.battle is not None
    bend = Bend(event.side, event.die, event.by)
    return changed(state, battle=altered(state.battle, bends=(*state.battle.bends, bend)))


def _battle_rolled(state: FronelaState, event: ev.BattleRolled) -> FronelaState:
    assert state.battle is not None
    return changed(
        state,
        battle=altered(state.battle, dealt=event.dealt, suffered=event.suffered),
        fought={**state.fought, event.area: state.fought.get(event.area, 0) + 1},
    )


def _hits_spent(state: FronelaState, event: ev.HitsSpent) -> FronelaState:
    assert state.battle is not None
    if event.nation == state.battle.defender:
        return changed(state, battle=altered(state.battle, dealt=0))
    return changed(state, battle=altered(state.battle, suffered=0))


def _person_placed(state: FronelaState, event: ev.PersonPlaced) -> FronelaState:
    return changed(state, persons={**state.persons, event.person: Person(event.area, "")})


def _person_moved(state: FronelaState, event: ev.PersonMoved) -> FronelaState:
    return changed(state, persons={**state.persons, event.person: Person(event.to, event.before)})


def _person_removed(state: FronelaState, event: ev.PersonRemoved) -> FronelaState:
    was = state.persons[event.person]
    gone = Person(was.area, was.before, gone=True)
    return changed(state, persons={**state.persons, event.person: gone})


def _token_given(state: FronelaState, event: ev.TokenGiven) -> FronelaState:
    return changed(state, tokens={**state.tokens, event.token: event.nation})


def _token_taken(state: FronelaState, event: ev.TokenTaken) -> FronelaState:
    return changed(state, tokens={token: who for token, who in state.tokens.items() if token != event.token})


def _scored(state: FronelaState, event: ev.PointsScored) -> FronelaState:
    entry = Entry(event.round, event.nation, event.reason, event.clause, event.points, event.area)
    points = {**state.points, event.nation: state.points[event.nation] + event.points}
    return changed(state, ledger=(*state.ledger, entry), points=points)


def _with_orders(state: FronelaState, nation: str, **changes: Any) -> FronelaState:
    old = state.orders.get(nation, NO_ORDERS)
    return changed(state, orders={**state.orders, nation: altered(old, **changes)})


def _stance(state: FronelaState, event: ev.StanceSet) -> FronelaState:
    return _with_orders(state, event.nation, stance=event.stance)


def _refuges(state: FronelaState, event: ev.RefugesSet) -> FronelaState:
    return _with_orders(state, event.nation, refuges=tuple(event.areas))


def _losses(state: FronelaState, event: ev.LossesSet) -> FronelaState:
    return _with_orders(state, event.nation, own_losses=event.own, enemy_losses=event.enemy)


def _wizards(state: FronelaState, event: ev.WizardsSet) -> FronelaState:
    return _with_orders(state, event.nation, wizards=event.policy)


def _growth_order(state: FronelaState, event: ev.GrowthSet) -> FronelaState:
    return _with_orders(state, event.nation, growth=event.growth)


def _withdrawal(state: FronelaState, event: ev.WithdrawalSet) -> FronelaState:
    return _with_orders(state, event.nation, withdrawal=event.withdrawal)


_CHANGES: dict[type[Any], Callable[[FronelaState, Any], FronelaState]] = {
    ev.RoundBegun: _round_begun,
    ev.RoundEnded: _round_ended,
    ev.OrderChanged: _order_changed,
    ev.TurnBegun: _turn_begun,
    ev.Asked: _asked,
    ev.GrowthRolled: _rolled,
    ev.GrowthLost: _growth_lost,
    ev.UnitsPlaced: _placed,
    ev.UnitsReadied: _readied,
    ev.UnitsMarched: _marched,
    ev.MovesEnded: _moves_ended,
    ev.BattleJoined: _joined,
    ev.DieBent: _bent,
    ev.BattleRolled: _battle_rolled,
    ev.UnitsLost: _lost,
    ev.HitsSpent: _hits_spent,
    ev.FarmersTaken: _taken,
    ev.UnitsRetreated: _retreated,
    ev.FightingEnded: _fighting_ended,
    ev.PersonPlaced: _person_placed,
    ev.PersonMoved: _person_moved,
    ev.PersonRemoved: _person_removed,
    ev.TokenGiven: _token_given,
    ev.TokenTaken: _token_taken,
    ev.PointsScored: _scored,
    ev.StanceSet: _stance,
    ev.RefugesSet: _refuges,
    ev.LossesSet: _losses,
    ev.WizardsSet: _wizards,
    ev.GrowthSet: _growth_order,
    ev.WithdrawalSet: _withdrawal,
}
