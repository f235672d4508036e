"""Lord Death on a Horse, and the Kingdom of War that the Ban creates (7.2, FRO-D47)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.marks import KINGDOM
from domain.games.fronela.episode_api.queries import Arrivals, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.scenarios.tables import ArrivingNation
from domain.games.fronela.state import FronelaState


class LordDeath(Episode):
    key = "lord_death"
    clause = "FRO-D47"
    queries: ClassVar = (Arrivals,)
    reacts: ClassVar = (ev.UnitsLost,)

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case Arrivals(nation) if nation == state.tokens.get(KINGDOM):
                facts = self.facts(state)
                units = {"soldier": facts["soldiers"], "lord_death": 1}
                return (*value, ArrivingNation(nation, units, (facts["area"],)))
        return value

    def react(self, state: FronelaState, event: Any) -> Iterable[Any]:
        """The Kingdom's kills of soldiers score one extra point."""
        if not event.by or event.by != state.tokens.get(KINGDOM):
            return
        nations = state.tables.nations
        if event.kind == "soldier" and nations[event.by].seat != nations[event.nation].seat:
            for _ in range(event.count):
                yield score(state, event.by, "kingdom-of-war", "FRO-D34", self.facts(state)["points"], event.area)
