"""Checks the pace that a game's creator asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.game import AnyGame
from service.api.http.problems import invalid
from service.pace import calendar

FIELDS = {"free": (), "per_question": ("hours",), "calendar": ("day", "at", "zone")}
"""The fields that each mode of pace needs."""

FREE = {"mode": "free"}


def checked(game: AnyGame, body: Mapping[str, Any]) -> dict[str, Any]:
    """The pace in a new game's body, free by default; raises the problem that names every field of it that is wrong."""
    pace: dict[str, Any] = body.get("pace", FREE)
    mode = pace["mode"]
    faults = {
        name: f"This is for the pace {other} alone."
        for other, names in FIELDS.items()
        for name in names
        if name in pace and other != mode
    }
    if mode == "per_question" and "hours" not in pace:
        faults["hours"] = "This pace needs the hours for each question."
    if mode == "calendar":
        faults |= calendar.faults(pace)
        if not game.days:
            faults["mode"] = "This kind of game has no days; it is played free or per_question."
        elif body.get("sandbox", {}).get("position") is not None:
            faults["mode"] = "A calendar begins with the game: one that starts from a position has none."
    if faults:
        raise invalid([(f"/pace/{name}", what) for name, what in faults.items()])
    return pace
