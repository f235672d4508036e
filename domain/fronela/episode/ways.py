"""Why a nation does not get to an area: history bars it, its kind never goes there; and the sentence that says so."""

from __future__ import annotations

from domain.fronela.episode.queries import Barred
from domain.fronela.episode.registry import adjusted, answering, live
from domain.fronela.scenarios.tables import GROUND, Nation
from domain.fronela.state import State


def bar(state: State, nation: str, area: str, to: str) -> str:
    """The clause by which history forbids a step or retreat; empty if none does."""
    return adjusted(state, Barred(nation, area, to), "") if answering(state, Barred) else ""


def forbidden(state: State, nation: str, area: str, to: str) -> str:
    """Why history bars the step or retreat, in the words of the episode that does."""
    return next(text for episode in live(state) if (text := episode.forbids(state, nation, area, to)))


def closed(state: State, nation: Nation, area: str) -> str:
    """That the nation's kind never enters the area, and what terrain it is (FRO-D39)."""
    verb = "enters" if nation.is_one else "enter"
    sentence = f"{nation.folk} never {verb} {named(state, area)}, which is {GROUND[state.tables.areas[area].terrain]}."
    return sentence[:1].upper() + sentence[1:]


def named(state: State, area: str) -> str:
    """The area's name; what is on no map is said to be none."""
    return state.tables.areas[area].name if area in state.tables.areas else "an area that is on no map"


def no_way(state: State, nation: Nation, area: str, to: str) -> str:
    """Why none of these units of the nation retreats from the area to the other (FRO-18, FRO-D35, FRO-D42)."""
    there = state.board.get(to, {})
    if there and nation.id not in there:
        return f"Others hold {named(state, to)}."
    if to not in state.tables.areas[area].adjacent:
        return f"There is no way from {named(state, area)} to {named(state, to)}."
    if to not in nation.ways[area]:
        return closed(state, nation, to)
    if state.tables.areas[to].terrain == "sea":
        return "Units cannot retreat to the sea."
    if bar(state, nation.id, area, to):
        return forbidden(state, nation.id, area, to)
    ground = GROUND.get(nation.wary_to, "an area next to theirs")
    verb = "slips" if nation.is_one else "slip"
    return f"Before the first roll {nation.folk} only {verb} away to {ground} where nobody stands."
