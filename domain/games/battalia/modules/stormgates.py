"""Stormgates: two more factions, up to six players, gates for NPCs, level-0 markers (GATE)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from domain.games.battalia.cards import FACTIONS
from domain.games.battalia.module_api.adjustments import Adjustable, Gates, TablePlan
from domain.games.battalia.module_api.socket import Npc
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import Seat


class Stormgates(Npc):
    """GATE-03: the module only enables content of the core's tables."""

    key = "stormgates"
    title = "Stormgates: Wolfsclan and Sunblessed, 5 and 6 players, gates, level-0 markers."
    order = 10
    seats = (5, 6)
    adjusts = (TablePlan, Gates)
    opens = frozenset(("neutral_strength", "ruins_strength"))

    def adjust(self, state: BattaliaState | None, subject: Adjustable) -> Adjustable:
        if isinstance(subject, TablePlan):
            return replace(subject, factions=FACTIONS, markers=subject.rules.modules["level_0_markers"])
        if isinstance(subject, Gates):
            assert state is not None
            return replace(subject, squares=state.starts)  # GATE-01
        return subject

    def view(self, state: BattaliaState) -> Any:
        return {
            "gates": {str(number): square for number, square in enumerate(state.starts, 1)},
            "markers": {str(seat): state.markers - _ruined(state, seat) for seat in sorted(state.players)},
        }

    def faults(self, state: BattaliaState) -> list[str]:
        return [
            f"seat {s} has more ruined cities than markers" for s in state.order if _ruined(state, s) > state.markers
        ]


def _ruined(state: BattaliaState, seat: Seat) -> int:
    """The player's level-0 markers in use (MAP-07)."""
    return sum([state.cities[name].level == 0 for name in roads.cities_of(state.cities, seat)])
