"""In the long winter the Trolls move farther (7.3 round 7)."""

from __future__ import annotations

from typing import Any, ClassVar

from domain.games.fronela.episode_api.queries import Query, Steps
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.state import FronelaState


class LongWinter(Episode):
    key = "long_winter"
    clause = "FRO-D32"
    queries: ClassVar = (Steps,)

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        match query:
            case Steps(nation, _) if nation == self.facts(state)["nation"]:
                return self.facts(state)["steps"]
        return value
