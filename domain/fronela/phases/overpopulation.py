"""What an area cannot feed goes away (FRO-20, FRO-D19)."""

from __future__ import annotations

from domain.fronela import events as ev
from domain.fronela.episode.decision import Decision
from domain.fronela.episode.queries import Maximum
from domain.fronela.episode.registry import adjusted
from domain.fronela.state import areas_of


def overpopulation(decision: Decision, _: str) -> None:
    """Remove the active nation's units above its maxima."""
    state = decision.state
    nation = state.tables.nations[state.turn]
    for area in areas_of(state, nation.id):
        for group in state.board[area][nation.id]:
            most = adjusted(state, Maximum(nation.id, group.kind, area), nation.maximum[group.kind][area])
            excess = group.count - most
            if excess > 0:
                decision.happen(
                    ev.UnitsLost(nation.id, area, group.kind, excess, group.came, group.fled, "", "overpopulation")
                )
