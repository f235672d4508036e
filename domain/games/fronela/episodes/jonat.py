"""Jonat Bigbear leads the Brown Barbarians to conquest (7.2, FRO-D48, FRO-D51)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from typing import Any, ClassVar

from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.invasion import twice
from domain.games.fronela.episode_api.queries import DieBonus, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.champion import Champion, Rally, Rallying
from domain.games.fronela.state import FronelaState
from domain.kernel.shape import catalogue

JONAT = "jonat"


class Jonat(Episode):
    key = JONAT
    clause = "FRO-D51"
    queries: ClassVar = (DieBonus,)
    commands: ClassVar = catalogue(Rally)
    questions: ClassVar = {JONAT: Rallying(JONAT)}
    steps: ClassVar = {JONAT: Champion(JONAT).appear}
    names: ClassVar = {JONAT: "Jonat Bigbear"}
    sentences: ClassVar = {
        "person_placed.jonat": "Jonat Bigbear fights in {area:place}.",
        "person_removed.jonat": "Jonat Bigbear leaves {area:place}.",
    }

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        if slot != self.facts(state)["nation"]:
            return items
        return Champion(JONAT).accompanies(twice(items))

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case DieBonus(who, area, _) if who == state.turn == self.facts(state)["nation"]:
                return value + Champion(JONAT).bonus(state, area)
        return value

    def after_turn(self, decision: FronelaDecision, slot: str) -> None:
        Champion(JONAT).leave(decision)
