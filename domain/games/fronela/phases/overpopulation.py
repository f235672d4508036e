"""Removes the units above an area's maximum (FRO-20, FRO-D19)."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.fronela import events as ev
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.queries import Maximum
from domain.games.fronela.episode_api.registry import adjusted, answering
from domain.games.fronela.scenarios.tables import Nation
from domain.games.fronela.state import FronelaState, Group, areas_of


def overpopulation(decision: FronelaDecision, _: str) -> None:
    """Remove the active nation's units above its maxima."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    for area, group, number in excess(state, nation):
        decision.happen(
            ev.UnitsLost(
                nation.id,
                area,
                group.kind,
                number,
                group.came,
                group.fled,
                "",
                "overpopulation",
                room=group.count - number,
            )
        )


def excess(state: FronelaState, nation: Nation) -> Iterator[tuple[str, Group, int]]:
    """The surplus units of a nation: the area, the group, and the number above the maximum."""
    adjusts = bool(answering(state, Maximum))
    for area in areas_of(state, nation.id):
        for group in state.board[area][nation.id]:
            most = nation.maximum[group.kind][area]
            if adjusts:
                most = adjusted(state, Maximum(nation.id, group.kind, area), most)
            if group.count > most:
                yield area, group, group.count - most
