"""A hero who fights for one nation in one area in each combat phase of its turn (FRO-D51)."""

# ruff: noqa: ARG002 - questions do not need all their arguments

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.phases.battlefield import contested
from domain.games.fronela.state import FronelaState
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import OneOf, Option, Seat


@dataclass(frozen=True, slots=True)
class Rally:
    """Choose the area in which the hero fights in this combat phase."""

    area: str


class NoFightInArea(RuleViolation):
    """The nation has no fight in the area."""

    code = "no-fight"
    rule = "FRO-D51"


class Champion:
    """A hero, identified by the name of the person."""

    def __init__(self, name: str) -> None:
        self._name = name

    def accompanies(self, items: tuple[str, ...]) -> tuple[str, ...]:
        """The agenda with the hero's step before each combat phase."""
        agenda: list[str] = []
        for item in items:
            agenda += [self._name, item] if item == "combat" else [item]
        return tuple(agenda)

    def appear(self, decision: FronelaDecision, _: str) -> None:
        """At the start of the combat phase, ask for the area if there is more than one battle."""
        self.leave(decision)
        state = decision.state
        areas = list(contested(state))
        if len(areas) == 1:
            decision.happen(ev.PersonPlaced(self._name, areas[0]))
        elif areas:
            decision.ask(seat_of(state, state.turn), self._name, "FRO-D51", nation=state.turn)

    def leave(self, decision: FronelaDecision) -> None:
        """Remove the hero after the phase or the turn."""
        person = decision.state.persons.get(self._name)
        if person is not None and not person.gone:
            decision.happen(ev.PersonRemoved(self._name, person.area))

    def bonus(self, state: FronelaState, area: str) -> int:
        """The hero's bonus to each die of the nation there."""
        person = state.persons.get(self._name)
        return int(person is not None and not person.gone and person.area == area)


class Rallying(FronelaQuestionKind):
    """Choose the area where the hero fights."""

    commands = (Rally,)

    def __init__(self, name: str) -> None:
        self._name = name

    def legal(self, state: FronelaState, seat: Seat) -> Sequence[Option]:
        return [Option("rally", {}, (OneOf("area", tuple(contested(state))),))]

    def usual(self, state: FronelaState) -> Any:
        return Rally(next(iter(contested(state))))

    def answer(self, decision: FronelaDecision, seat: Seat, command: Any) -> None:
        areas = contested(decision.state)
        if command.area not in areas:
            raise NoFightInArea(
                "The hero can only fight in an area where the nation fights.", field="area", areas=list(areas)
            )
        decision.happen(ev.PersonPlaced(self._name, command.area))
        decision.close()
