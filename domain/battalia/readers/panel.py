"""Beside the map of Battalia: the date, the Oracle's wheel, who stands how, and what there is to say of the modules."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.svg import Group, Picture, shortened

COLOUR = {
    "barfolk": "#2f6b2f",
    "islanders": "#1d5c97",
    "emberians": "#b3322a",
    "cloudborn": "#b08a12",
    "wolfsclan": "#6b7784",
    "sunblessed": "#d0731c",
    None: "#5c5346",
}
INK = "#33291c"

View = Mapping[str, Any]


def name_of(seats: Mapping[str, str], seat: object) -> str:
    """The name of a seat's player, or its number."""
    return seats.get(str(seat), f"seat {seat}")


def words(key: str) -> str:
    """A key as words."""
    return key.replace("_", " ").replace("-", " ").capitalize()


def panel(picture: Picture, view: View, seats: Mapping[str, str], x: float) -> None:
    """Everything beside the map, from this x on."""
    group = picture.group(fill=INK)
    group.text(x, 38, f"Week {view['week']}, day {view['day']}", 17, font_weight="bold")
    _wheel(picture, view, x + 100, 138)
    y = 258
    for number in map(str, view["order"]):
        _seat(group, view, seats, number, x, y)
        y += 54
    for note in notes(view, seats):
        for line in textwrap.wrap(note, 37, subsequent_indent="   "):
            group.text(x, y, line, 11)
            y += 15


def notes(view: View, seats: Mapping[str, str]) -> Iterator[str]:
    """What there is to say of each module besides what lies on the board: figures, duties and their end, who has what."""
    for key, npc in view["npcs"].items():
        found = [phrase for what, value in npc.items() if (phrase := _phrase(what, value, seats))]
        if found:
            yield f"{words(key)}: {', '.join(found)}"


def _phrase(what: str, value: Any, seats: Mapping[str, str]) -> str:
    """A few words for a figure, an owner, an instant, or what seats have; nothing for all else."""
    match value:
        case bool() | None:
            return ""
        case int() if what == "owner":
            return f"serves {name_of(seats, value)}"
        case int():
            return f"{what} {value}"
        case {"week": int(week), "day": int(day)}:
            return f"{what} week {week}, day {day}"
        case Mapping() if value and all(seat.isdecimal() for seat in value):
            holders = [f"{name_of(seats, seat)} ({had})" for seat, of in value.items() if (had := _had(of))]
            return f"{what} of {', '.join(holders)}" if holders else ""
        case _:
            return ""


def _had(value: Any) -> str:
    """How many things, or since or until when; nothing for all else."""
    match value:
        case {"week": int(week), "day": int(day)}:
            return f"week {week}, day {day}"
        case [_, *_]:
            return str(len(value))
        case _:
            return ""


def _wheel(picture: Picture, view: View, x: float, y: float) -> None:
    """The Oracle: seven places, the lit one filled, the matching one ringed."""
    group = picture.group(stroke=INK)
    group.circle(x, y, 84, fill="#fffaf0", stroke_width=2, tip="The Oracle")
    places = view["wheel"]["places"]
    for number, name in enumerate(places):
        turn = 2 * math.pi * number / len(places) - math.pi / 2
        left, top = x + 56 * math.cos(turn), y + 56 * math.sin(turn)
        lit, matching = name == view["wheel"]["lit"], name == view["wheel"]["matching"]
        fill, width = ("#f2c230" if lit else "#e8dfca"), (4 if matching else 1)
        group.circle(
            left,
            top,
            24,
            fill=fill,
            stroke_width=width,
            tip=f"{name}{', lit' if lit else ''}{', matching' if matching else ''}",
        )
        group.text(left, top + 4, name, 11, anchor="middle", fill=INK, stroke="none")
    group.text(x, y + 4, f"day {view['day']}", 13, anchor="middle", fill=INK, stroke="none")


def _seat(group: Group, view: View, seats: Mapping[str, str], number: str, x: float, y: float) -> None:
    seat = view["seats"][number]
    colour, moving = COLOUR[seat["faction"]], str(view["turn"]["seat"]) == number
    group.rectangle(x - 6, y - 18, 214, 46, rx=6, fill="#fffaf0", stroke=colour, stroke_width=3 if moving else 1)
    keys = list(_keys(view, number))
    group.text(x + 2, y, shortened(name_of(seats, number), 22 - 2 * len(keys)), 14, fill=colour, font_weight="bold")
    for place, faction in enumerate(reversed(keys)):
        group.circle(x + 168 - 11 * place, y - 5, 4.5, fill=COLOUR.get(faction, INK), stroke=INK, tip=f"key: {faction}")
    group.text(x + 200, y, str(seat["points"]), 18, anchor="end", font_weight="bold", fill=colour)
    state = (
        "out of the game"
        if seat["out"]
        else f"{len(seat['cities'])} cities · {seat['hand']} in hand · {seat['deck']} in deck"
    )
    group.text(x + 2, y + 18, state, 11)


def _keys(view: View, number: str) -> Iterator[str]:
    """The factions of the things that modules say a seat holds."""
    for npc in view["npcs"].values():
        for holders in npc.values():
            held = holders.get(number) if isinstance(holders, Mapping) else None
            if isinstance(held, Sequence):
                yield from (thing["faction"] for thing in held if isinstance(thing, Mapping) and "faction" in thing)
