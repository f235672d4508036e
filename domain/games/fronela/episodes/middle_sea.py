"""The Middle Sea Empire taxes the river (7.3 round 9)."""

from __future__ import annotations

from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.state import held


class MiddleSea(Episode):
    key = "middle_sea"
    clause = "FRO-D52"

    def on_round_end(self, decision: FronelaDecision) -> None:
        """One point for each clear bank area held, up to the maximum."""
        state = decision.state
        nation, areas = self.facts(state)["nation"], state.tables.areas
        taxed = [area for area in held(state, nation) if areas[area].bank and areas[area].terrain == "clear"]
        for area in taxed[: self.facts(state)["most"]]:
            decision.happen(score(state, nation, "river-tax", "FRO-D34", 1, area))
