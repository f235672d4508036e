"""Every Beast People gains a unit as the tribes fill the land (7.3 round 4, FRO-D52)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from typing import ClassVar

from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.population import Placing, place
from domain.games.fronela.state import FronelaState, areas_of

BEASTS = "eleven_beasts"


def extra(decision: FronelaDecision, _: str) -> None:
    """Add a unit in one of the nation's areas, before the listed arrivals."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    areas = areas_of(state, nation.id)
    if nation.kind != "beast" or not areas or not any(state.pool[nation.id].values()):
        return
    if len(areas) == 1:
        place(decision, areas[0], {"unit": 1})
    else:
        decision.ask(seat_of(state, nation.id), BEASTS, "FRO-D52", nation=nation.id)


class ElevenBeasts(Episode):
    key = BEASTS
    clause = "FRO-D52"
    questions: ClassVar = {BEASTS: Placing()}
    steps: ClassVar = {BEASTS: extra}

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        at = items.index("new_units")
        return (*items[:at], BEASTS, *items[at:])
