"""The constant parts of a view: the scenario's map, nations, unit abilities and scoring rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import UNLIMITED, Area, Nation


@lru_cache(maxsize=16)
def areas(scenario: str) -> tuple[dict[str, Any], ...]:
    """The map, in the order of 6.2."""
    return tuple(
        {"id": area.id, **features(area), "adjacent": list(area.adjacent)}
        for area in SCENARIOS[scenario].areas.values()
    )


def features(area: Area) -> dict[str, Any]:
    """The properties of an area, without its neighbors."""
    return {
        "name": area.name,
        "terrain": area.terrain,
        "side": area.side,
        "bank": area.bank,
        "x": area.x,
        "y": area.y,
    }


@lru_cache(maxsize=16)
def nations(scenario: str) -> Mapping[str, dict[str, Any]]:
    """The constant data of each nation, with placeholders for the rest."""
    return {
        nation.id: {
            "id": nation.id,
            "name": nation.name,
            "colour": nation.colour,
            "seat": nation.seat,
            "kind": nation.kind,
            "lands": list(nation.lands),
            "values": dict(nation.points),
            "pool": {},
            "counters": dict(nation.counters),
            "areas": 0,
            "points": 0,
        }
        for nation in SCENARIOS[scenario].nations.values()
    }


@lru_cache(maxsize=16)
def scoring(scenario: str) -> list[int]:
    return [number for number, row in SCENARIOS[scenario].rounds.items() if row.scores]


@lru_cache(maxsize=16)
def kinds(scenario: str) -> dict[str, Any]:
    """Unit abilities by kind of nation, and how many units may stay in an area at the end of its turn (FRO-20)."""
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
    """Maxima by terrain, and ``own`` if a different number applies to a nation's own lands."""
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
