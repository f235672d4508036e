"""What a reader of the table sees: everything, but the standing orders of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from domain.fronela.phases.battlefield import standing
from domain.fronela.phases.movement.naming import name
from domain.fronela.phases.scoring import area_points, totals
from domain.fronela.readers.naming import NAMES
from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import COLOURS, UNLIMITED, Nation
from domain.fronela.state import Orders, State
from domain.fronela.turn import orders
from domain.terms import Seat


@lru_cache(maxsize=16)
def _map(scenario: str) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "id": area.id,
            "name": area.name,
            "terrain": area.terrain,
            "side": area.side,
            "bank": area.bank,
            "x": area.x,
            "y": area.y,
            "adjacent": list(area.adjacent),
        }
        for area in SCENARIOS[scenario].areas.values()
    )


@lru_cache(maxsize=16)
def _kinds(scenario: str) -> dict[str, Any]:
    """By kind of nation what its units can do, and how many of them may stay in an area at the end of its turn (FRO-20)."""
    nations: dict[str, list[Nation]] = {}
    for nation in SCENARIOS[scenario].nations.values():
        nations.setdefault(nation.kind, []).append(nation)
    return {kind: {unit: _unit(scenario, alike, unit) for unit in alike[0].units} for kind, alike in nations.items()}


def _unit(scenario: str, nations: Sequence[Nation], name: str) -> dict[str, Any]:
    unit = nations[0].units[name]
    return {
        "dice": unit.dice,
        "modifier": unit.modifier,
        "defence": unit.defence,
        "hits": unit.hits,
        "steps": unit.steps,
        "maximum": {
            ground: None if number == UNLIMITED else number for ground, number in _maximum(scenario, nations, name)
        },
    }


def _maximum(scenario: str, nations: Sequence[Nation], name: str) -> Iterator[tuple[str, int]]:
    """By terrain, and ``own`` for a nation's own lands where another number holds there."""
    areas = SCENARIOS[scenario].areas
    most = {
        area.terrain: nation.maximum[name][area.id]
        for nation in nations
        for area in areas.values()
        if area.id not in nation.lands
    }
    yield from ((ground, number) for ground, number in most.items() if number)
    own = (
        nation.maximum[name][area]
        for nation in nations
        for area in nation.lands
        if nation.maximum[name][area] != most.get(areas[area].terrain, 0)
    )
    yield from (("own", number) for number in set(own))


def public(state: State) -> dict[str, Any]:
    """The board: areas with who stands there, nations, persons, honours, points, and who is asked what.

    What never changes in a game stands here too, once: the map, by kind of nation its units (``kinds``), by nation what
    areas are worth to it (``values``).
    """
    row = state.tables.rounds[state.round]
    return {
        "scenario": state.scenario,
        "round": state.round,
        "rounds": state.tables.last,
        "title": row.title,
        "years": row.years,
        "order": list(state.order),
        "place": state.place,
        "turn": state.turn,
        "phase": state.asking.kind if state.asking is not None else "",
        "scoring": _scoring(state),
        "areas": _areas(state),
        "groups": _groups(state),
        "nations": _nations(state),
        "kinds": _kinds(state.scenario),
        "arrivals": _arrivals(state),
        "persons": _persons(state),
        "tokens": [
            {"id": token, "name": NAMES.get(token, token), "nation": nation}
            for token, nation in sorted(state.tokens.items())
        ],
        "battle": _battle(state),
        "points": {str(seat): points for seat, points in totals(state).items()},
        "ledger": _ledger(state),
    }


def _areas(state: State) -> list[dict[str, Any]]:
    areas = []
    for fixed in _map(state.scenario):
        units: dict[str, dict[str, int]] = {}
        for nation, stack in sorted(state.board.get(fixed["id"], {}).items()):
            counts = units[nation] = {}
            for group in stack:
                counts[group.kind] = counts.get(group.kind, 0) + group.count
        areas.append({**fixed, "units": units})
    return areas


def _scoring(state: State) -> dict[str, Any]:
    """The rounds that score, and what each area would bring its holder if this one did now (FRO-D33)."""
    tables = state.tables
    rounds = [number for number, row in tables.rounds.items() if row.scores]
    coming = [number for number in rounds if number >= state.round and not state.ended]
    now = {}
    for area in tables.areas:
        garrison = state.board.get(area, {})
        if len(garrison) == 1 and (points := area_points(state, tables.nations[next(iter(garrison))], area)):
            now[area] = points
    return {"rounds": rounds, "next": coming[0] if coming else None, "now": now}


def _groups(state: State) -> list[dict[str, Any]]:
    """Units that can still go, came from elsewhere in this turn, or have retreated in this combat phase."""
    return [
        {
            "area": area,
            "nation": nation,
            "unit": name(state, group),
            "kind": group.kind,
            "count": group.count,
            "left": group.left,
            "came": group.came,
            "ferried": group.ferried,
            "fled": group.fled,
        }
        for area in state.tables.areas
        for nation, stack in sorted(state.board.get(area, {}).items())
        for group in stack
        if group.left or group.came or group.fled
    ]


def _arrivals(state: State) -> list[dict[str, Any]]:
    """Who is listed to come, from now on; ``@`` among the areas is the one where the nation has most units (FRO-D14)."""
    coming = state.order[state.place + 1 :]
    if state.asking is not None and "new_units" in state.asking.agenda:
        coming = (state.turn, *coming)
    return [
        {"round": number, "nation": row.nation, "units": dict(row.units), "where": list(row.where)}
        for number, rows in state.tables.arrivals.items()
        for row in rows
        if number > state.round or (number == state.round and row.nation in coming)
    ]


def _nations(state: State) -> list[dict[str, Any]]:
    areas = dict.fromkeys(state.tables.nations, 0)
    for garrison in state.board.values():
        for nation in garrison:
            areas[nation] += 1
    return [
        {
            "id": nation.id,
            "name": nation.name,
            "colour": nation.colour,
            "seat": nation.seat,
            "kind": nation.kind,
            "lands": list(nation.lands),
            "values": dict(nation.points),
            "pool": {kind: state.pool[nation.id][kind] for kind in nation.counters},
            "counters": dict(nation.counters),
            "areas": areas[nation.id],
            "points": state.points[nation.id],
        }
        for nation in state.tables.nations.values()
    ]


def _persons(state: State) -> list[dict[str, Any]]:
    return [
        {"id": key, "name": NAMES.get(key, key), "area": person.area}
        for key, person in sorted(state.persons.items())
        if not person.gone
    ]


def _battle(state: State) -> dict[str, Any] | None:
    """The newest battle round, as long as its area is not settled."""
    battle = state.battle
    if battle is None or not (standing(state) or battle.dealt or battle.suffered):
        return None
    return {
        "area": battle.area,
        "attacker": battle.attacker,
        "defender": battle.defender,
        "rounds": state.fought.get(battle.area, 0),
        "bends": [{"side": bend.side, "die": bend.die, "by": bend.by} for bend in battle.bends],
        "dealt": battle.dealt,
        "suffered": battle.suffered,
    }


def _ledger(state: State) -> list[dict[str, Any]]:
    """The ledger with the entries of one round, nation and reason as one line."""
    lines: dict[tuple[int, str, str, str], int] = {}
    for entry in state.ledger:
        key = (entry.round, entry.nation, entry.reason, entry.clause)
        lines[key] = lines.get(key, 0) + entry.points
    return [
        {"round": number, "nation": nation, "reason": reason, "clause": clause, "points": points}
        for (number, nation, reason, clause), points in lines.items()
    ]


def private(state: State, seat: Seat) -> dict[str, Any]:
    """The seat's colour and its standing orders."""
    nations = state.tables.seats.get(seat, ())
    return {
        "colour": COLOURS[seat - 1] if nations else "",
        "orders": {nation: orders.as_json(state.orders.get(nation, Orders())) for nation in nations},
    }
