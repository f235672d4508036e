"""What a reader of the table sees: everything, but the standing orders of others."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from domain.fronela.phases.battlefield import standing
from domain.fronela.phases.scoring import totals
from domain.fronela.readers.naming import NAMES
from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import COLOURS
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


def public(state: State) -> dict[str, Any]:
    """The board: areas with who stands there, nations, persons, honours, points, and who is asked what."""
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
        "areas": _areas(state),
        "nations": _nations(state),
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
