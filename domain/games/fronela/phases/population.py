"""Growth rolls and arrivals: the two phases that bring new units (FRO-04 to FRO-06)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Done, Grow, Place
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.queries import ArrivalAreas, Arrivals, GrowthBonus
from domain.games.fronela.episode_api.registry import adjusted, answering, shares
from domain.games.fronela.phases.malkioni import castes
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import ArrivingNation, Nation
from domain.games.fronela.state import (
    NO_ORDERS,
    FronelaState,
    areas_of,
    biggest,
    count,
    groups,
    orders_in_silence,
    others,
)
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import OneOf, Option, Seat

GROWS_ON = 5
DECLINE = "decline"
"""The order of a nation that does not grow (FRO-D54)."""


class CannotGrow(RuleViolation):
    """No new unit of this kind can be placed in the area now."""

    code = "cannot-grow"
    rule = "FRO-D08"


# -- population -------------------------------------------------------------------------------------------------------


def growth_areas(state: FronelaState, nation: Nation) -> list[str]:
    """The areas for which the nation rolls (FRO-05, FRO-D41), without those that cannot get a new unit (FRO-D40)."""
    match nation.growth:
        case "everywhere":
            areas = list(areas_of(state, nation.id))
        case "lands":
            areas = [area for area in areas_of(state, nation.id) if area in nation.lands]
        case "once":
            stands = [area for area in areas_of(state, nation.id) if area in nation.growth_areas]
            areas = [next((area for area in stands if area in nation.lands), stands[0])] if stands else []
        case _:
            areas = []
    return [area for area in areas if growths(state, nation, area)]


def growths(state: FronelaState, nation: Nation, area: str) -> tuple[str, ...]:
    """The kinds of unit that a successful roll could add there (FRO-D08)."""
    pool = state.pool[nation.id]
    if nation.kind == "malkioni":
        return tuple(kind for kind in castes(state, nation, area) if pool[kind])
    return tuple(kind for kind in nation.counters if pool[kind])


def population(decision: FronelaDecision, _: str) -> None:
    """Roll for all areas before any choice (FRO-D40). An order of the owner can skip the rolls (FRO-D54)."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    if state.orders.get(nation.id, NO_ORDERS).growth == DECLINE:
        return
    adjusts = bool(answering(state, GrowthBonus))
    for area in growth_areas(state, nation):
        farmers = count(groups(state, area, nation.id), "farmer")
        because = {"farmers": farmers} if farmers else {}
        if adjusts:
            because |= shares(state, GrowthBonus(nation.id, area), farmers)
        modifier = sum(because.values())
        face = decision.dice.roll(6)
        result = face + modifier
        decision.happen(ev.GrowthRolled(nation.id, area, face, modifier, result, result >= GROWS_ON, because))
    decision.first("growth")


def growth(decision: FronelaDecision, _: str) -> None:
    """Place the new units. Asks for Malkioni, and if there are too few counters."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    if not state.grown:
        return
    if nation.kind != "malkioni" and sum(state.pool[nation.id].values()) >= len(state.grown):
        for area in state.grown:
            decision.happen(ev.UnitsPlaced(nation.id, area, {growths(state, nation, area)[0]: 1}, "growth"))
        return
    decision.ask(nation.seat, "growth", "FRO-D08", nation=nation.id)


def may_decline(state: FronelaState, nation: Nation) -> bool:
    """Whether the owner may refuse a unit after a successful roll (FRO-D08, FRO-D54)."""
    return nation.kind == "malkioni" or state.tables.reads("growth_declined") == "by-everybody"


class Growth(FronelaQuestionKind):
    """Choose the unit for each area. Nations that may decline can refuse the rest."""

    commands = (Grow, Done)
    several = True

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        nation = state.tables.nations[state.turn]
        options = [
            Option("grow", {"area": area}, (OneOf("kind", kinds),))
            for area in state.grown
            if (kinds := growths(state, nation, area))
        ]
        return [*options, Option("done")] if may_decline(state, nation) else options

    def usual(self, state: FronelaState) -> Any:
        nation = state.tables.nations[state.turn]
        if orders_in_silence(state, nation.id).growth == DECLINE and may_decline(state, nation):
            return Done()
        return Grow(state.grown[0], growths(state, nation, state.grown[0])[0])

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        state = decision.state
        nation = state.tables.nations[state.turn]
        if isinstance(command, Done):
            if not may_decline(state, nation):
                raise CannotGrow("Only Malkioni can decline a new unit.", rule="FRO-04")
            for area in state.grown:
                decision.happen(ev.GrowthLost(nation.id, area, "declined"))
        else:
            if command.area not in state.grown:
                raise CannotGrow("No growth roll of this turn succeeded there.", field="area", areas=list(state.grown))
            kinds = growths(state, nation, command.area)
            if command.kind not in kinds:
                raise CannotGrow(
                    f"This cannot grow there; what can: {', '.join(kinds) or 'nothing'}.",
                    field="kind",
                    kinds=list(kinds),
                )
            decision.happen(ev.UnitsPlaced(nation.id, command.area, {command.kind: 1}, "growth"))
            for area in decision.state.grown:
                if not growths(decision.state, nation, area):
                    decision.happen(ev.GrowthLost(nation.id, area, "no-counter"))
        if not decision.state.grown:
            decision.close()


# -- new units --------------------------------------------------------------------------------------------------------


def arrivals(state: FronelaState, nation: str) -> tuple[ArrivingNation, ...]:
    listed = _listed(state.scenario, state.round, nation)
    return adjusted(state, Arrivals(nation), listed) if answering(state, Arrivals) else listed


@lru_cache(maxsize=2048)
def _listed(scenario: str, number: int, nation: str) -> tuple[ArrivingNation, ...]:
    return tuple(row for row in SCENARIOS[scenario].arrivals.get(number, ()) if row.nation == nation)


def new_units(decision: FronelaDecision, _: str) -> None:
    """Place all arrivals listed for the round (FRO-06)."""
    for arrival in arrivals(decision.state, decision.state.turn):
        arrive(decision, arrival)


def arrive(decision: FronelaDecision, arrival: ArrivingNation) -> None:
    """Place an arrival, limited by the available counters (FRO-D14)."""
    state = decision.state
    nation = state.tables.nations[arrival.nation]
    pool = state.pool[nation.id]
    units = {
        kind: min(arrival.units[kind], pool.get(kind, arrival.units[kind]))
        for kind in nation.units
        if kind in arrival.units
    }
    units = {kind: number for kind, number in units.items() if number}
    area = arrival_area(state, arrival, any(nation.units[kind].dice for kind in units))
    if units and area:
        decision.happen(ev.UnitsPlaced(nation.id, area, units, "arrival"))


def arrival_area(state: FronelaState, arrival: ArrivingNation, armed: bool) -> str:
    """The area of an arrival: the first listed one without other nations.

    Without such an area: the first listed one for armed units, otherwise the area with most of the nation's units; empty if
    the nation has none.
    """
    own = biggest(state, arrival.nation)
    listed: tuple[str, ...] = adjusted(state, ArrivalAreas(arrival), arrival.where)
    if "@" in listed:
        listed = (own,) if own else tuple(area for area in listed if area != "@")
    for area in listed:
        if not others(state, area, arrival.nation):
            return area
    return listed[0] if armed else own


class Placing(FronelaQuestionKind):
    """Choose one of the nation's areas for the unit of an event."""

    commands = (Place,)

    def units(self, state: FronelaState) -> dict[str, int]:
        """The units that appear, by kind."""
        return {"unit": 1}

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("place", {}, (OneOf("area", areas_of(state, state.turn)),))]

    def usual(self, state: FronelaState) -> Any:
        return Place(biggest(state, state.turn))

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        state = decision.state
        if command.area not in areas_of(state, state.turn):
            sentence = "This unit comes only to an area where the nation has units."
            raise CannotGrow(sentence, field="area", areas=list(areas_of(state, state.turn)))
        place(decision, command.area, self.units(state))
        decision.close()


def place(decision: FronelaDecision, area: str, units: dict[str, int]) -> None:
    """Place the units of an event, limited by the available counters."""
    nation = decision.state.turn
    pool = decision.state.pool[nation]
    available = {kind: min(number, pool[kind]) for kind, number in units.items() if pool[kind]}
    if available:
        decision.happen(ev.UnitsPlaced(nation, area, available, "event"))
