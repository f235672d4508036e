"""The changes between two views of a seat: areas, units and points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.fronela.scenarios.tables import COLOURS
from domain.kernel.game.knowledge import SeatView
from domain.kernel.terms import Seat

View = Mapping[str, Any]


def changes(before: SeatView, after: SeatView, seat: Seat) -> list[dict[str, Any]]:
    """Areas and units that the seat's nations lost or gained, points of all seats, and rounds that have passed."""
    old, new = before.public, after.public
    own = [nation["id"] for nation in new["nations"] if nation["seat"] == seat]
    found: list[dict[str, Any]] = []
    was, now = _held(old, own), _held(new, own)
    if lost := [{"area": area, "by": list(holders)} for area, holders in _holders(new).items() if area in was - now]:
        found.append({"type": "areas_lost", "areas": lost})
    if won := [area for area in _holders(new) if area in now - was]:
        found.append({"type": "areas_won", "areas": won})
    if units := [change for nation in own if (change := _units(nation, old, new))]:
        found.append({"type": "units_changed", "nations": units})
    if old["points"] != new["points"]:
        found.append({"type": "points_changed", "scores": _scores(old, new)})
    if old["round"] != new["round"]:
        found.append({"type": "rounds_passed", **{name: new[name] for name in ("round", "years", "title")}})
    return found


def _holders(view: View) -> dict[str, tuple[str, ...]]:
    return {area["id"]: tuple(area["units"]) for area in view["areas"]}


def _held(view: View, own: list[str]) -> set[str]:
    return {area for area, holders in _holders(view).items() if any(nation in own for nation in holders)}


def _units(nation: str, old: View, new: View) -> dict[str, Any] | None:
    was, now = _count(nation, old), _count(nation, new)
    more = {kind: number - was.get(kind, 0) for kind, number in now.items() if number > was.get(kind, 0)}
    fewer = {kind: number - now.get(kind, 0) for kind, number in was.items() if number > now.get(kind, 0)}
    return {"nation": nation, "more": more, "fewer": fewer} if more or fewer else None


def _count(nation: str, view: View) -> dict[str, int]:
    counts: dict[str, int] = {}
    for area in view["areas"]:
        for kind, number in area["units"].get(nation, {}).items():
            counts[kind] = counts.get(kind, 0) + number
    return counts


def _scores(old: View, new: View) -> list[dict[str, Any]]:
    return [
        {
            "colour": colour.title(),
            "points": new["points"][str(seat)],
            "more": new["points"][str(seat)] - old["points"][str(seat)],
        }
        for seat, colour in enumerate(COLOURS, 1)
    ]
