"""Dormal opens the seas to one faction (7.2, FRO-D22, FRO-D24)."""

from __future__ import annotations

from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.control import leading
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.queries import Crossings, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.state import FronelaState

DORMAL = "dormal"


class Dormal(Episode):
    key = DORMAL
    clause = "FRO-D22"
    queries: ClassVar = (Crossings,)
    names: ClassVar = {DORMAL: "Dormal"}
    sentences: ClassVar = {"token_given.dormal": "Dormal opens the seas to {nation:folk}."}

    def coast(self, state: FronelaState) -> tuple[str, ...]:
        """The land areas next to Dormal's seas."""
        seas = self.facts(state)["seas"]
        areas = state.tables.areas
        return tuple(area for area in state.tables.land if any(sea in areas[area].adjacent for sea in seas))

    def on_round_start(self, decision: FronelaDecision) -> None:
        state = decision.state
        coast = self.coast(state)
        faction = leading(state, lambda area: area in coast, least=1)
        if faction:
            decision.happen(ev.TokenGiven(DORMAL, faction))
            decision.happen(score(state, faction, DORMAL, "FRO-D34", self.facts(state)["points"]))

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case Crossings(nation, area, group) if nation == state.tokens.get(DORMAL):
                coast = self.coast(state)
                # Units with steps left in their start area have a Lord there (FRO-D10): the crossing must come first.
                if not group.came and area in coast:
                    return (*value, *(to for to in coast if to != area))
        return value
