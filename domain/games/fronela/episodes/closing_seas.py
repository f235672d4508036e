"""The seas close, and the wizards from beyond them become fewer (7.3 round 10, FRO-D52)."""

from __future__ import annotations

from typing import ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.control import factions
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.state import areas_of, count, groups


class ClosingSeas(Episode):
    key = "closing_seas"
    clause = "FRO-D52"
    sentences: ClassVar = {
        "units_lost.closing_seas": "The seas close, and {nation:folk} {nation_n:loses|lose} {units:units} in {area:place}.",
    }

    def on_round_end(self, decision: FronelaDecision) -> None:
        """Each faction loses half its wizards, rounded up, one by one from the area with the most."""
        for nation in factions(decision.state):
            areas = areas_of(decision.state, nation)
            wizards = {area: count(groups(decision.state, area, nation), "wizard") for area in areas}
            lost = (sum(wizards.values()) + 1) // 2
            for _ in range(lost):
                area = max(areas, key=lambda place: wizards[place])
                wizards[area] -= 1
                decision.happen(
                    ev.UnitsLost(nation, area, "wizard", 1, "", fled=False, by="", why="event", cause=self.key)
                )
