"""Standing orders: the allowed orders, and their answers to a question (ORD-01 to ORD-03)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.cards import UNBOUND
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import PLACES, OrderType, is_offered, order_key, whole
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.rulebook.map.roads import Memo
from domain.games.battalia.rulebook.refusals import NoSuchOrder
from domain.games.battalia.rulebook.turn.kinds import QUESTIONS, kind_of
from domain.games.battalia.state import BattaliaState
from domain.kernel.errors import RuleViolation
from domain.kernel.options import offers
from domain.kernel.shape import as_document, build
from domain.kernel.terms import Option, Seat

Order = Mapping[str, Any]

_OPTIONS = Memo(256)
"""Every possible order, cached by parts of the game that never change, so that similar games share it."""
_ALL = ""


@registry.forgettable
@cache
def of_modules(modules: tuple[str, ...]) -> Mapping[str, OrderType]:
    """The standing orders in a game with these modules, by type of command."""
    kinds = [*QUESTIONS.values(), *(kind for npc in registry.playing(modules) for kind in npc.questions.values())]
    found = [kind.standing for kind in kinds if kind.standing is not None]
    return {standing.type: standing for standing in found}


@registry.forgettable
@cache
def commands() -> frozenset[type[Any]]:
    """The commands that give orders, whatever the modules."""
    return frozenset(standing.command for standing in of_modules(tuple(registry.registered())).values())


def _options(state: BattaliaState) -> Mapping[str, tuple[Option, ...]]:
    """The Options of each type of order, and under `_ALL` all of them."""
    standing = of_modules(state.modules)
    never_changes = state.ruleset, state.factions, len(state.players), UNBOUND in state.piles
    return _OPTIONS.get((standing,), never_changes, lambda: _work_out(standing, state))


def _work_out(standing: Mapping[str, OrderType], state: BattaliaState) -> Mapping[str, tuple[Option, ...]]:
    by_type = {type_: tuple(each.options(state)) for type_, each in standing.items()}
    return {**by_type, _ALL: tuple(option for options in by_type.values() for option in options)}


def kinds(modules: Iterable[Npc]) -> Collection[str]:
    """The kinds of questions that standing orders can answer, including those of these modules."""
    tables = (QUESTIONS, *(module.questions for module in modules))
    return {name for table in tables for name, kind in table.items() if kind.standing is not None}


def told(state: BattaliaState, seat: Seat) -> list[Order]:
    """The seat's orders as lines of history."""
    return [{"type": "order_given", "seat": seat, "order": order} for order in state.orders.get(seat, {}).values()]


# -- giving -----------------------------------------------------------------------------------------------------------


def legal(state: BattaliaState, seat: Seat) -> Sequence[Option]:
    """Every order that the seat may give; the same at any time (ORD-01)."""
    return _options(state)[_ALL] if seat in state.order and not state.ending else ()


def give(state: BattaliaState, seat: Seat, command: Any) -> list[Any]:
    """The event for the given or withdrawn order. Raises `NoSuchOrder`."""
    order = as_document(command)
    standing = of_modules(state.modules).get(order["type"])
    if standing is None:
        raise NoSuchOrder("This game has no use for such a standing order.", field="type")
    if seat not in state.order:
        raise NoSuchOrder("You are out of the game.", rule="END-06")
    options = _options(state)[standing.type]
    if not is_offered(options, command):
        raise _refused(options, order, whole(command))
    if standing.lapses(command):
        return [ev.OrderWithdrawn(seat, standing.type, getattr(command, "place", 1))]
    return [ev.OrderGiven(seat, {"type": standing.type, **whole(command)})]


def _refused(options: Sequence[Option], order: Order, full: Order) -> NoSuchOrder:
    """The refusal, naming the parameter that is wrong or does not fit the others."""
    for name in full:
        parts = [part for option in options for part in option.open if part.name == name]
        fixed = [option.fixed[name] for option in options if name in option.fixed]
        fits = any(offers(Option(_ALL, {}, (part,)), _ALL, {name: full[name]}) for part in parts)
        if not fits and full[name] not in fixed:
            words = [str(word) for part in parts for word in getattr(part, "choices", ())] + list(map(str, fixed))
            few = f"; there are: {', '.join(words)}" if 0 < len(words) <= _FEW else ""
            return NoSuchOrder(f"There is no such order{few}.", field=name)
    named = next((name for name in order if name not in ("type", "place", "how")), "how")
    return NoSuchOrder(f"An order to {full.get('how', 'do so')} says nothing of this.", field=named)


_FEW = 16


def faults(state: BattaliaState) -> Iterator[str]:
    """Contradictions in the orders that cannot arise by play."""
    standing = of_modules(state.modules)
    for seat, orders in state.orders.items():
        if seat not in state.players:
            yield f"seat {seat} has orders, and nobody sits there"
        for key, order in orders.items():
            each = standing.get(order.get("type", ""))
            if each is None or not _stands(state, each, key, order):
                yield f"seat {seat} cannot have given the order {key}"


def _stands(state: BattaliaState, standing: OrderType, key: str, order: Order) -> bool:
    try:
        command = build({standing.type: standing.command}, order)
    except RuleViolation:
        return False
    as_given = order_key(standing.type, getattr(command, "place", 1)) == key and whole(command).keys() < order.keys()
    return as_given and not standing.lapses(command) and is_offered(_options(state)[standing.type], command)


# -- following --------------------------------------------------------------------------------------------------------


def ordered(state: BattaliaState, seat: Seat) -> Any | None:
    """The answer of the seat's standing orders to the top question. None if they have none.

    The first order that gives a legal answer is used (ORD-03).
    """
    given = state.orders.get(seat)
    kind = kind_of(state.asking[-1]) if given else None
    standing = None if kind is None else kind.standing
    if not given or kind is None or standing is None:
        return None
    found = [order for place in PLACES if (order := given.get(order_key(standing.type, place))) is not None]
    legal_ = list(kind.legal(state, seat)) if found else []
    for order in found:
        for answer in standing.answers(state, seat, build({standing.type: standing.command}, order)):
            if is_offered(legal_, answer):
                return answer
    return None


def follow(decision: BattaliaDecision) -> bool:
    """ORD-02: let standing orders answer the top question. Returns whether they did."""
    state = decision.state
    if not state.orders:
        return False
    frame = state.asking[-1]
    for seat in frame.seats:
        answer = ordered(state, seat)
        if answer is not None:
            kind = kind_of(frame)
            assert kind is not None
            decision.happen(ev.OrderFollowed(seat, frame.kind))
            kind.answer(decision, seat, answer)
            return True
    return False
