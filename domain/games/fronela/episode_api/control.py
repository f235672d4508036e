"""Comparisons of control, which decide honors, and their ties (FRO-D23, FRO-D24)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from domain.games.fronela.state import FronelaState, held, total

Which = Callable[[str], bool]


def ranked(state: FronelaState, nations: Iterable[str], which: Which) -> list[str]:
    """The nations by number of matching areas, then by units, then in the normal order. Nations without units are last."""
    return sorted(
        nations,
        key=lambda nation: (
            total(state, nation) == 0,
            -sum(which(area) for area in held(state, nation)),
            -total(state, nation),
        ),
    )


def factions(state: FronelaState) -> list[str]:
    """The Malkioni factions in the normal order."""
    return [nation.id for nation in state.tables.nations.values() if nation.kind == "malkioni"]


def leading(state: FronelaState, which: Which, among: Collection[str] | None = None, least: int = 0) -> str:
    """The nation that holds the most matching areas, at least ``least``. Empty if all are dead or hold fewer."""
    order = ranked(state, factions(state) if among is None else among, which)
    if not order or not total(state, order[0]) or sum(which(area) for area in held(state, order[0])) < least:
        return ""
    return order[0]
