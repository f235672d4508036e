"""The castes of the Malkioni, which depend on each other (FRO-D29)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domain.games.fronela.scenarios.tables import Nation
from domain.games.fronela.state import FronelaState, Group, count, groups, lords


def castes(state: FronelaState, nation: Nation, area: str) -> Iterable[str]:
    """The kinds of unit that growth may add in an area (FRO-D08)."""
    stack = groups(state, area, nation.id)
    led, farmers = lords(stack) > 0, count(stack, "farmer")
    if led or state.tables.areas[area].terrain == "city":
        yield "soldier"
        yield "wizard"
    if not led and farmers >= 2:
        yield "lord"
    if farmers < nation.maximum["farmer"][area]:
        yield "farmer"


def may_move(kind: str, stack: Sequence[Group]) -> bool:
    """Whether a unit that starts in this stack may move: lords always, others only with a lord (FRO-D10, FRO-D53)."""
    return kind in ("lord", "lord_death") or lords(stack) > 0


def only_farmers(stack: Sequence[Group]) -> bool:
    for group in stack:  # a loop, because this runs at every step of a battle round and a generator would be slower
        if group.kind != "farmer":
            return False
    return bool(stack)


LOSS_ORDERS = ("soldier", "farmer", "wizard", "lord")
"""Default order of own losses. The last soldier is lost last of all (FRO-D18)."""
KILL_ORDER = ("soldier", "wizard", "lord", "farmer")
"""Default order of enemy losses."""
