"""Validates the settings of a new tournament that depend on each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_PLACES = 64
MOST_ROUNDS = 20
MOST_GROUPS = 16
MOST_SEASONS = 12
MOST_GAMES = 2500
"""Most games of a tournament with all places taken."""

USED_BY: Mapping[str, tuple[str, ...]] = {
    "rounds": ("swiss",),
    "groups": ("groups", "league"),
    "advance": ("groups", "league"),
    "seasons": ("league",),
    "late_rounds": ("swiss", "league"),
}
"""The formats that use each setting."""
_REQUIRED = ("rounds", "groups", "advance")


def find_faults(body: Mapping[str, Any], seats: int, now: int) -> list[tuple[str, str]]:
    """The faults of a body, each with its JSON pointer; empty if there are none."""
    found = list(_format_faults(body))
    if not found:
        found += _size_faults(body, seats)
    found += _time_faults(body, now)
    lowest, highest = body.get("min_rating"), body.get("max_rating")
    if lowest is not None and highest is not None and lowest > highest:
        found.append(("/max_rating", "Must not be below min_rating."))
    return found


def _format_faults(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    form = body["format"]
    for name, formats in USED_BY.items():
        if name in body and form not in formats:
            yield f"/{name}", f"Only allowed with the format{'s' if len(formats) > 1 else ''} {' and '.join(formats)}."
        elif name in _REQUIRED and form in formats and name not in body:
            yield f"/{name}", f"The format {form} needs this setting."
    if form == "elimination" and body["round_start"] == "calendar":
        yield "/round_start", "Rounds of the format elimination begin when all games are over."
    if (body["round_start"] == "calendar") != ("round_days" in body):
        yield "/round_days", "Required with round_start calendar, and only allowed with it."


def _size_faults(body: Mapping[str, Any], seats: int) -> Iterator[tuple[str, str]]:
    form, places, groups = body["format"], body["places"], body.get("groups", 1)
    if places < seats * groups:
        yield "/places", f"Must be at least {seats * groups}, so that each group can fill a table."
    elif body["min_entries"] > places:
        yield "/min_entries", "Must not be above places."
    elif form == "groups" and groups * body["advance"] < seats:
        yield "/advance", f"Too few for a final: at least {seats} entries must advance from all groups."
    elif count_games(body, seats) > MOST_GAMES:
        yield (
            "/places",
            f"The tournament would have more than {MOST_GAMES} games. Choose fewer places, rounds or seasons.",
        )


def _time_faults(body: Mapping[str, Any], now: int) -> Iterator[tuple[str, str]]:
    opens, starts = body.get("opens_at"), body.get("starts_at")
    if starts is not None and starts <= now:
        yield "/starts_at", "Must be in the future."
    if opens is not None and starts is not None and opens >= starts:
        yield "/opens_at", "Must be before starts_at."


def count_games(body: Mapping[str, Any], seats: int) -> int:
    """About how many games the tournament has if all places are taken."""
    form, places, groups = body["format"], body["places"], body.get("groups", 1)
    if form == "swiss":
        return int(body["rounds"] * (places // seats))
    if form == "elimination":
        return int(places)
    size = -(-places // groups)
    one_group = -(-size * (size - 1) // (seats * (seats - 1)))
    final = groups * body["advance"] if form == "groups" else 0
    cycles = 2 if form == "double_round_robin" else body.get("seasons", 1)
    return int(cycles * groups * one_group + -(-final * final // (seats * (seats - 1))))
