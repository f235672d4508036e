"""The Syndics' Ban: three factions, each on its own side of the river (7.2, FRO-D45, FRO-D46)."""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.control import factions, ranked
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.marks import KINGDOM, SIGLAT
from domain.games.fronela.episode_api.queries import Barred, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.scenarios.tables import Nation
from domain.games.fronela.state import FronelaState, areas_of, groups, others


def ranks(state: FronelaState) -> list[str]:
    """The four factions: Siglat's, the one with the most clear areas in the south, then by number of areas."""
    areas = state.tables.areas
    left = factions(state)
    first = [state.tokens[SIGLAT]] if SIGLAT in state.tokens else []
    left = [nation for nation in left if nation not in first]
    southern = ranked(state, left, lambda area: areas[area].terrain == "clear" and areas[area].side == "S")[0]
    left.remove(southern)
    return [*first, southern, *ranked(state, left, lambda _: True)]


def closed(nation: Nation, area: str) -> bool:
    """Whether the area is the home of a people that is not a Malkioni faction."""
    if nation.kind == "malkioni":
        return False
    return area in (nation.growth_areas if nation.growth == "once" else nation.lands)


class SyndicsBan(Episode):
    key = "syndics_ban"
    clause = "FRO-D46"
    queries: ClassVar = (Barred,)
    names: ClassVar = {KINGDOM: "The Kingdom of War"}
    sentences: ClassVar = {
        "token_given.kingdom_of_war": "The Syndics' Ban falls on {nation:folk}. They leave Fronela and will return.",
        "units_lost.syndics_ban": "The Syndics' Ban takes {units:units} of {nation:folk} from {area:place}.",
    }

    def on_round_start(self, decision: FronelaDecision) -> None:
        """The fourth faction leaves the board."""
        fourth = ranks(decision.state)[-1]
        decision.happen(ev.TokenGiven(KINGDOM, fourth))
        for area in areas_of(decision.state, fourth):
            for group in groups(decision.state, area, fourth):
                decision.happen(
                    ev.UnitsLost(
                        fourth, area, group.kind, group.count, "", fled=False, by="", why="event", cause=self.key
                    )
                )

    def order(self, state: FronelaState, slots: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(nation for nation in ranks(state) if nation != state.tokens[KINGDOM])

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case Barred(nation, area, to) if self.forbids(state, nation, area, to):
                return self.clause
        return value

    def forbids(self, state: FronelaState, nation: str, area: str, to: str) -> str:
        areas, nations = state.tables.areas, state.tables.nations
        if areas[area].side != areas[to].side:
            return f"Under the Syndics' Ban, no one crosses the Janube, and {areas[to].name} is on the other side."
        if any(closed(nations[other], to) for other in others(state, to, nation)):
            return f"Under the Syndics' Ban, {areas[to].name} is closed, because its own people are there."
        return ""
