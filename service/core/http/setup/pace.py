"""Validates the pace of a new game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.kernel.game import AnyGame
from service.core.http.problems import invalid_fields
from service.core.pace import calendar, working, zones

FIELDS = {
    "hours": ("per_question",),
    "bank_hours": ("per_question",),
    "increment_hours": ("per_question",),
    "day": ("calendar",),
    "at": ("calendar",),
    "zone": ("per_question", "calendar"),
    "weekends": ("per_question", "calendar"),
    "holidays": ("per_question", "calendar"),
}
"""The modes of pace that use each field."""

FREE = {"mode": "free"}


def checked(game: AnyGame, body: Mapping[str, Any]) -> dict[str, Any]:
    """The pace in a new game's body, free by default. Raises the problem with every wrong field."""
    pace: dict[str, Any] = body.get("pace", FREE)
    mode = pace["mode"]
    faults = {name: _for_others(modes) for name, modes in FIELDS.items() if name in pace and mode not in modes}
    if not faults.keys() & {"weekends", "holidays"}:
        faults |= working.faults(pace)
    if mode == "per_question" and "hours" not in pace:
        faults["hours"] = "The pace per_question needs the hours for each question."
    if "increment_hours" in pace and "bank_hours" not in pace and "increment_hours" not in faults:
        faults["increment_hours"] = "An increment needs a reserve. Set bank_hours."
    if mode == "per_question":
        faults |= _zone_of_days_off(pace)
    if mode == "calendar":
        faults |= calendar.faults(pace)
        if not game.rules.days:
            faults["mode"] = "This kind of game has no days. Use the pace free or per_question."
        elif body.get("sandbox", {}).get("position") is not None:
            faults["mode"] = "A game that starts from a position cannot have a calendar."
    if faults:
        raise invalid_fields([(f"/pace/{name}", what) for name, what in faults.items()])
    return pace


def _for_others(modes: Sequence[str]) -> str:
    return f"Only allowed with the pace{'s' if len(modes) > 1 else ''} {' and '.join(modes)}."


def _zone_of_days_off(pace: Mapping[str, Any]) -> dict[str, str]:
    """The fault in the zone of a pace that needs one only for its days off."""
    days_off = "weekends" in pace or "holidays" in pace
    if "zone" not in pace:
        return {"zone": "Weekends and holidays need a zone, such as Europe/Sofia."} if days_off else {}
    if not days_off:
        return {"zone": "Omit the zone for a pace without weekends or holidays."}
    try:
        zones.zone_of(pace["zone"])
    except ValueError as error:
        return {"zone": str(error)}
    return {}
