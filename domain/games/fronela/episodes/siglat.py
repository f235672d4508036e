"""Prince Siglat and the faction that he joins (7.2, FRO-D24, FRO-D45)."""

from __future__ import annotations

from typing import ClassVar

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.control import leading
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.marks import SIGLAT
from domain.games.fronela.episode_api.registry import seat_of
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.phases.population import Placing, place
from domain.games.fronela.phases.scoring import score
from domain.games.fronela.state import FronelaState, areas_of


def gathers(decision: FronelaDecision, _: str) -> None:
    """Siglat's soldiers appear in an area of his faction."""
    state = decision.state
    areas = areas_of(state, state.turn)
    if not areas or not state.pool[state.turn]["soldier"]:
        return
    if len(areas) == 1:
        place(decision, areas[0], _soldiers(state))
    else:
        decision.ask(seat_of(state, state.turn), SIGLAT, "FRO-D45", nation=state.turn)


def _soldiers(state: FronelaState) -> dict[str, int]:
    return {"soldier": state.tables.episodes[SIGLAT]["soldiers"]}


class Gathering(Placing):
    """Choose the area of the faction in which the soldiers appear."""

    def units(self, state: FronelaState) -> dict[str, int]:
        return _soldiers(state)


class Siglat(Episode):
    key = SIGLAT
    clause = "FRO-D45"
    questions: ClassVar = {SIGLAT: Gathering()}
    steps: ClassVar = {SIGLAT: gathers}
    names: ClassVar = {SIGLAT: "Prince Siglat"}
    sentences: ClassVar = {"token_given.siglat": "Prince Siglat joins {nation:folk}."}

    def on_round_end(self, decision: FronelaDecision) -> None:
        """In the first of his rounds, Siglat joins the faction with the most clear areas in the north."""
        state = decision.state
        if state.round != self.facts(state)["rounds"][0]:
            return
        areas = state.tables.areas
        faction = leading(state, lambda area: areas[area].terrain == "clear" and areas[area].side == "N")
        if faction:
            decision.happen(ev.TokenGiven(SIGLAT, faction))
            decision.happen(score(state, faction, SIGLAT, "FRO-D34", self.facts(state)["points"]))

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        if state.round == self.facts(state)["rounds"][0] or state.tokens.get(SIGLAT) != slot:
            return items
        at = items.index("new_units") + 1
        return (*items[:at], SIGLAT, *items[at:])
