"""A scenario as data: areas, nations, units, maxima, growth, arrivals, rounds, points and episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from domain.games.fronela.scenarios.outline import features
from domain.games.fronela.scenarios.tables import COLOURS, HARD, STEEP, UNLIMITED, Nation, Scenario
from domain.kernel.rulings import Ruling, Sheet


def sheet(scenario: Scenario) -> Sheet:
    """Numbers, tables and readings, with clauses and marks as docs/rules/fronela.md explains them."""
    nations = scenario.nations.values()
    scoring = [number for number, row in scenario.rounds.items() if row.scores]
    return Sheet(
        numbers={
            "rounds": Ruling(scenario.last, "FRO-01", "C"),
            "scoring_rounds": Ruling(scoring, "FRO-D32", "P"),
            "colours": Ruling(list(COLOURS), "FRO-D27", "C"),
            "leaving_ends_the_move": Ruling(list(HARD), "FRO-09", "C"),
            "attack_dice_have_minus_one": Ruling(list(STEEP), "FRO-13", "C"),
        },
        readings=scenario.readings,
        tables={
            "areas": Ruling(_areas(scenario), "FRO-D39", "P"),
            "nations": Ruling({nation.id: _nation(nation) for nation in nations}, "FRO-D28", "C, P"),
            "units": Ruling(_each(nations, _units), "FRO-D29, FRO-D30", "C, P"),
            "maxima": Ruling(_each(nations, _maxima), "FRO-D29, FRO-D30", "C, P"),
            "ways": Ruling(_each(nations, lambda nation: sorted(set().union(*nation.ways.values()))), "FRO-D39", "P"),
            "growth": Ruling(_each(nations, _growth), "FRO-05", "C, P"),
            "points": Ruling(_each(nations, lambda nation: dict(nation.points)), "FRO-D33", "P"),
            "kills": Ruling([asdict(kill) for kill in scenario.kills], "FRO-D34", "P"),
            "arrivals": Ruling(_arrivals(scenario), "FRO-D32", "P"),
            "rounds": Ruling({number: asdict(row) for number, row in scenario.rounds.items()}, "FRO-D32", "P"),
            "history": Ruling(dict(scenario.episodes), "FRO-D31", "P"),
        },
    )


def _each(nations: Iterable[Nation], of: Any) -> dict[str, Any]:
    return {nation.id: of(nation) for nation in nations}


def _areas(scenario: Scenario) -> dict[str, Any]:
    """Areas in the order of 6.2, which breaks ties."""
    return {area.id: {**features(area), "borders": list(area.adjacent)} for area in scenario.areas.values()}


def _nation(nation: Nation) -> dict[str, Any]:
    return {
        "name": nation.name,
        "colour": nation.colour,
        "seat": nation.seat,
        "kind": nation.kind,
        "counters": dict(nation.counters),
        "lands": list(nation.lands),
        "setup": {area: dict(units) for area, units in nation.setup.items()},
    }


def _units(nation: Nation) -> dict[str, Any]:
    return {name: asdict(unit) for name, unit in nation.units.items()}


def _maxima(nation: Nation) -> dict[str, Any]:
    """Maxima by kind of unit and area. Areas with a maximum of zero are omitted; null means no limit (FRO-20)."""
    return {kind: {area: _most(most) for area, most in row.items() if most} for kind, row in nation.maximum.items()}


def _most(most: int) -> int | None:
    return None if most == UNLIMITED else most


def _growth(nation: Nation) -> dict[str, Any]:
    return {"where": nation.growth, "areas": list(nation.growth_areas)}


def _arrivals(scenario: Scenario) -> Mapping[int, Any]:
    """Arrivals by round.

    ``@`` is the area with most of the nation's units. If several areas are listed, the first free one counts.
    """
    return {number: [asdict(row) for row in rows] for number, rows in scenario.arrivals.items()}
