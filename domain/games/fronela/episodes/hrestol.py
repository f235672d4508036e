"""Hrestol the prophet wanders through the first round (7.2, FRO-D49)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.marks import HRESTOL
from domain.games.fronela.episode_api.queries import ArrivalAreas, DieBonus, GrowthBonus, Query
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import FronelaState, Person, others, total
from domain.kernel.errors import RuleViolation
from domain.kernel.shape import catalogue
from domain.kernel.terms import OneOf, Option, Seat

GROUND = ("clear", "rough", "mountain", "elfwood", "city")


@dataclass(frozen=True, slots=True)
class Guide:
    """Choose where the active nation leads Hrestol."""

    to: str


class TooFar(RuleViolation):
    """Hrestol can move at most two areas, and neither onto ice nor to sea."""

    code = "too-far"
    rule = "FRO-D49"


def reach(state: FronelaState) -> tuple[str, ...]:
    """The areas within Hrestol's steps. Other units do not stop him."""
    return _around(state.scenario, state.persons[HRESTOL].area)


@lru_cache(maxsize=256)
def _around(scenario: str, area: str) -> tuple[str, ...]:
    tables = SCENARIOS[scenario]
    return tuple(tables.near(area, tables.episodes[HRESTOL]["steps"], GROUND))


def guide(decision: FronelaDecision, _: str) -> None:
    """Every nation with units moves Hrestol once, before its growth."""
    state = decision.state
    if total(state, state.turn):
        decision.ask(seat_of(state, state.turn), HRESTOL, "FRO-D49", nation=state.turn, area=_walks(state).area)


def _walks(state: FronelaState) -> Person:
    return state.persons[HRESTOL]


class Guiding(FronelaQuestionKind):
    commands = (Guide,)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("guide", {}, (OneOf("to", reach(state)),))]

    def usual(self, state: FronelaState) -> Any:
        return Guide(_walks(state).area)

    def idle(self, state: FronelaState) -> Any:
        return self.usual(state)

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        area = _walks(decision.state).area
        if command.to not in (areas := reach(decision.state)):
            raise TooFar(
                "Hrestol goes at most two areas, and neither onto ice nor to sea.", field="to", areas=list(areas)
            )
        if command.to != area:
            decision.happen(ev.PersonMoved(HRESTOL, area, command.to, area))
        decision.close()


class Hrestol(Episode):
    key = HRESTOL
    clause = "FRO-D49"
    queries: ClassVar = (GrowthBonus, DieBonus, ArrivalAreas)
    commands: ClassVar = catalogue(Guide)
    questions: ClassVar = {HRESTOL: Guiding()}
    steps: ClassVar = {HRESTOL: guide}
    names: ClassVar = {HRESTOL: "Hrestol"}
    sentences: ClassVar = {
        "person_placed.hrestol": "Hrestol the prophet appears in {area:place}.",
        "person_moved.hrestol": "Hrestol the prophet goes from {area:place} to {to:place}.",
        "person_removed.hrestol": "Hrestol the prophet disappears from {area:place}.",
    }
    lasting: ClassVar = (HRESTOL,)

    def on_round_start(self, decision: FronelaDecision) -> None:
        if decision.state.round == self.facts(decision.state)["rounds"][0]:
            decision.happen(ev.PersonPlaced(HRESTOL, self.facts(decision.state)["area"]))

    def on_round_end(self, decision: FronelaDecision) -> None:
        if not _walks(decision.state).gone:
            decision.happen(ev.PersonRemoved(HRESTOL, _walks(decision.state).area))

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        return items if _walks(state).gone else (HRESTOL, *items)

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        prophet = _walks(state)
        match query:
            case GrowthBonus(_, area) if not prophet.gone and prophet.area == area:
                return value + 1
            case DieBonus(fighter, area, 1) if not prophet.gone and prophet.area == area and fighter == state.turn:
                return value + 1
            case ArrivalAreas(arrival) if prophet.gone and arrival.nation == self.facts(state)["heirs"]:
                clear = state.tables.areas[prophet.area].terrain == "clear"
                if clear and not others(state, prophet.area, arrival.nation):
                    return (prophet.area, *value)
        return value
