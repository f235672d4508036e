"""The reasons why a nation cannot reach an area, with their refusal texts.

Either an episode blocks the way, or nations of this kind never enter the area.
"""

from __future__ import annotations

from domain.games.fronela.episode_api.queries import Barred
from domain.games.fronela.episode_api.registry import adjusted, answering, live
from domain.games.fronela.scenarios.tables import GROUND, Nation
from domain.games.fronela.state import FronelaState


def bar(state: FronelaState, nation: str, area: str, to: str) -> str:
    """The clause of an episode that forbids a step or retreat; empty if none does."""
    return adjusted(state, Barred(nation, area, to), "") if answering(state, Barred) else ""


def forbidden(state: FronelaState, nation: str, area: str, to: str) -> str:
    """The refusal text of the episode that blocks the step or retreat."""
    return next(text for episode in live(state) if (text := episode.forbids(state, nation, area, to)))


def closed(state: FronelaState, nation: Nation, area: str) -> str:
    """The text for an area that the nation's kind never enters, with the terrain (FRO-D39)."""
    verb = "enters" if nation.is_one else "enter"
    sentence = f"{nation.folk} never {verb} {named(state, area)}, which is {GROUND[state.tables.areas[area].terrain]}."
    return sentence[:1].upper() + sentence[1:]


def named(state: FronelaState, area: str) -> str:
    """The area's name, or a phrase for an id that is not on the map."""
    return state.tables.areas[area].name if area in state.tables.areas else "an area that is on no map"


def no_way(state: FronelaState, nation: Nation, area: str, to: str) -> str:
    """The reason why no units of the nation can retreat from one area to the other (FRO-18, FRO-D35, FRO-D42)."""
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
