"""The God Learner fleet lands (7.2, FRO-D22, FRO-D48)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.invasion import twice
from domain.games.fronela.episode_api.queries import Maximum, Query
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.movement.steps import NotAdjacent, guarded
from domain.games.fronela.state import FronelaState, groups
from domain.kernel.shape import catalogue
from domain.kernel.terms import OneOf, Option, Seat

FLEET = "landing"


@dataclass(frozen=True, slots=True)
class Land:
    """Land the whole fleet here, as its one step."""

    to: str


def _sea(state: FronelaState) -> str:
    return str(state.tables.episodes["god_learners"]["sea"])


def shores(state: FronelaState) -> tuple[str, ...]:
    """The areas where the fleet can land. Occupied areas need a unit with dice."""
    nation = state.tables.nations[state.turn]
    fleet = groups(state, _sea(state), nation.id)
    if not fleet:
        return ()
    armed = any(nation.units[group.kind].dice for group in fleet)
    return tuple(
        to
        for to in nation.ways[_sea(state)]
        if armed or all(to not in guarded(state, nation.id, group.kind) for group in fleet)
    )


def landing(decision: FronelaDecision, _: str) -> None:
    """Ask where the fleet lands after the other moves of the phase, if it can land."""
    state = decision.state
    if shores(state):
        decision.ask(seat_of(state, state.turn), FLEET, "FRO-D48", nation=state.turn, area=_sea(state))


class Landing(FronelaQuestionKind):
    commands = (Land,)

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("land", {}, (OneOf("to", shores(state)),))]

    def usual(self, state: FronelaState) -> Any:
        free = [to for to in shores(state) if not set(state.board.get(to, ())) - {state.turn}]
        return Land((free or list(shores(state)))[0])

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        state = decision.state
        if command.to not in (areas := shores(state)):
            raise NotAdjacent("The fleet cannot land there.", rule="FRO-D48", field="to", areas=list(areas))
        sea = _sea(state)
        for g in groups(state, sea, state.turn):
            decision.happen(
                ev.UnitsMarched(
                    state.turn, g.kind, g.count, sea, command.to, g.count, 0, g.came, g.left, g.ferried, ferried=False
                )
            )
        decision.close()


class GodLearners(Episode):
    key = "god_learners"
    clause = "FRO-D48"
    queries: ClassVar = (Maximum,)
    commands: ClassVar = catalogue(Land)
    questions: ClassVar = {FLEET: Landing()}
    steps: ClassVar = {FLEET: landing}

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        if slot != self.facts(state)["nation"]:
            return items
        agenda: list[str] = []
        for item in twice(items):
            agenda += [item, FLEET] if item == "move" else [item]
        return tuple(agenda)

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case Maximum(nation, "lord" | "wizard", _) if nation == self.facts(state)["nation"] == state.turn:
                return max(value, self.facts(state)["maximum"]) if value else value
        return value
