"""The Moon Boats carry one Barbarian nation along the Janube (7.2, FRO-D22, FRO-D24)."""

from __future__ import annotations

from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.control import leading
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.queries import Crossings, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.state import FronelaState

BOATS = "moon_boats"


class MoonBoats(Episode):
    key = BOATS
    clause = "FRO-D22"
    queries: ClassVar = (Crossings,)
    names: ClassVar = {BOATS: "The Moon Boats"}
    sentences: ClassVar = {"token_given.moon_boats": "The Moon Boats carry {nation:folk} along the Janube."}

    def on_round_start(self, decision: FronelaDecision) -> None:
        state = decision.state
        tribes = [nation.id for nation in state.tables.nations.values() if nation.kind == "barbarian"]
        tribe = leading(state, lambda area: state.tables.areas[area].bank, tribes, least=1)
        if tribe:
            decision.happen(ev.TokenGiven(BOATS, tribe))

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case Crossings(nation, area, group) if nation == state.tokens.get(BOATS) and not group.ferried:
                areas = state.tables.areas
                if areas[area].bank:
                    return (*value, *(to for to in state.tables.land if areas[to].bank and to != area))
        return value
