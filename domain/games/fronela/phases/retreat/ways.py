"""Retreats: the possible areas, their options, and the events (FRO-16 to FRO-18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Retreat
from domain.games.fronela.episode_api.decision import FronelaDecision
from domain.games.fronela.episode_api.ways import bar, named, no_way
from domain.games.fronela.phases.movement.naming import NoSuchUnits, by_name, called, enough, shared, some
from domain.games.fronela.state import NOBODY, FronelaState, Group, groups
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Integer, OneOf, Option

WayOut = Callable[[FronelaState, str, str, Group, Sequence[str]], list[str]]
"""The areas to which a group of a nation may retreat."""


class NoRefuge(RuleViolation):
    """These units cannot retreat to this area."""

    code = "no-refuge"
    rule = "FRO-D35"


def is_open(state: FronelaState, nation: str, area: str) -> bool:
    """Whether the area is empty or contains own units, even in battle (FRO-18)."""
    garrison = state.board.get(area, NOBODY)
    return not garrison or nation in garrison


def havens(state: FronelaState, nation: str, area: str) -> tuple[str, ...]:
    """The areas with own units that farmers of the area could join (FRO-D35)."""
    around = dict.fromkeys(state.tables.areas[area].adjacent)
    around |= dict.fromkeys(group.came for group in groups(state, area, nation) if group.came)
    return tuple(to for to in around if groups(state, to, nation))


def ways_out(state: FronelaState, nation: str, area: str, group: Group, safe: Sequence[str]) -> list[str]:
    """The areas to which the group may retreat: attackers the way they came, others to any open neighboring area."""
    if group.fled:
        return []
    if group.came:
        reach: Iterable[str] = (group.came,)
    else:
        tables = state.tables
        reach = (to for to in tables.nations[nation].ways[area] if tables.areas[to].terrain != "sea")
    return [
        to
        for to in reach
        if is_open(state, nation, to) and (group.kind != "farmer" or to in safe) and not bar(state, nation, area, to)
    ]


def special_ways(state: FronelaState, nation: str, area: str, group: Group, safe: Sequence[str]) -> list[str]:
    """As `ways_out`, for a special retreat. It may require an empty area of one terrain (FRO-D42)."""
    areas = ways_out(state, nation, area, group, safe)
    terrain = state.tables.nations[nation].wary_to
    if not terrain:
        return areas
    return [to for to in areas if state.tables.areas[to].terrain == terrain and to not in state.board]


def leave(decision: FronelaDecision, nation: str, area: str, group: Group, to: str, why: str) -> None:
    decision.happen(ev.UnitsRetreated(nation, area, group.kind, group.count, group.came, to, why))


def ways_of(state: FronelaState, kind: str, who: str, area: str, safe: Sequence[str]) -> list[tuple[Group, list[str]]]:
    ways = special_ways if kind == "special_retreat" else ways_out
    return [(group, to) for group in groups(state, area, who) if (to := ways(state, who, area, group, safe))]


def refuge(state: FronelaState, nation: str, reach: Sequence[str], safe: Sequence[str]) -> str:
    """The best of these areas: by standing orders, otherwise with own units, otherwise the first of 6.2."""
    wished = state.orders[nation].refuges if nation in state.orders else ()
    for area in (*wished, *safe):
        if area in reach:
            return area
    return reach[0]


def options(state: FronelaState, ways: Iterable[tuple[Group, Sequence[str]]]) -> list[Option]:
    reach = dict(ways)
    return [
        Option("retreat", {"unit": unit}, (OneOf("to", to), Integer("count", 1, number)))
        for unit, meant in by_name(state, reach).items()
        for number, to in shared([(group, reach[group]) for group in meant])
    ]


def some_leave(decision: FronelaDecision, nation: str, command: Retreat, ways: WayOut, why: str) -> None:
    """The named number of units leaves, from those that can. Raises the refusal that applies."""
    state, asking = decision.state, decision.state.asking
    assert asking is not None
    area = asking.area
    try:
        meant = called(state, groups(state, area, nation), command.unit, command.count)
        reach = {group: ways(state, nation, area, group, asking.havens) for group in meant}
        able = [group for group in meant if command.to in reach[group]]
        if not able:
            group = next((group for group in meant if not group.fled), meant[0])
            raise _refusal(state, nation, group, command.to, reach[group])
        enough(able, command.count)
    except NoSuchUnits as violation:
        violation.rule = "FRO-16"
        raise
    for group in some(able, command.count):
        leave(decision, nation, area, group, command.to, why)


def _refusal(state: FronelaState, nation: str, group: Group, to: str, reach: Sequence[str]) -> NoRefuge:
    if group.fled:
        sentence = "These units have retreated once in this combat phase already."
        return NoRefuge(sentence, rule="FRO-D36", field="unit")
    if group.came and to != group.came:
        sentence = f"Attackers go back only where they came from: to {named(state, group.came)}."
        return NoRefuge(sentence, rule="FRO-17", field="to", came=group.came)
    if group.kind == "farmer" and is_open(state, nation, to):
        return NoRefuge("Farmers only join units of yours.", rule="FRO-D17", field="to", areas=list(reach))
    assert state.asking is not None
    sentence = no_way(state, state.tables.nations[nation], state.asking.area, to)
    return NoRefuge(sentence, rule="FRO-18", field="to", areas=list(reach))
