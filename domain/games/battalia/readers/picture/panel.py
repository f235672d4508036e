"""Below the map of Battalia: the Oracle's wheel, the players and the modules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.lettering import isolated, width
from domain.drawing.palette import INK, LINE, PALE, PAPER, TURN
from domain.drawing.parts import EDGE, ROOM, badge, listed, name_of
from domain.drawing.svg import WIDTH, Picture, SvgGroup, Tone
from domain.games.battalia.readers.picture import tones
from domain.games.battalia.readers.picture.tones import COLOUR, module
from domain.games.battalia.readers.words.forms import NAMES

View = Mapping[str, Any]
LIT, UNLIT = Tone("#f2c230", "#725700"), Tone("#e8dfca", "#3b3528")
WHEEL = 256
"""Width of the wheel's part."""
SEAT = 64
_NUMBERS = {"help": "each helps by {}", "stock": "{} left to build", "cities": "needs {} cities of the highest level"}
"""Labels of modules' numbers whose keys are not clear enough."""
_HOLDERS = {"bribes": "bribed by"}
"""Labels of possessions by seat whose keys are not clear enough."""


def panel(picture: Picture, view: View, seats: Mapping[str, str], y: float) -> float:
    """Everything between the map and the piles, from height ``y``. Returns the lower edge."""
    _wheel(picture.group(), view, EDGE + WHEEL / 2 - 6, y + 118)
    group, top = picture.group(fill=INK), y
    for number in map(str, view["order"]):
        _seat(group.group(ref=number, kind="seat"), view, seats, number, top)
        top += SEAT
    y = max(y + 262, top) + 6
    for note in notes(view, seats):
        y += group.lines(EDGE, y + 16, note, 16, ROOM) + 4
    return y


def notes(view: View, seats: Mapping[str, str]) -> Iterator[str]:
    """A note for each module about what is not on the board: figures, duties with their end, and possessions."""
    for key, npc in view["npcs"].items():
        found = [words for what, value in npc.items() if (words := phrase(what, value, seats))]
        if found:
            yield f"{module(key)}: {', '.join(found)}"


def phrase(what: str, value: Any, seats: Mapping[str, str]) -> str:
    """A phrase for a figure, an owner, a date, or possessions by seat; empty for everything else."""
    match value:
        case bool() | None:
            return ""
        case int() if what == "owner":
            return f"serves {isolated(name_of(seats, value))}"
        case int():
            return _NUMBERS.get(what, f"{what} {{}}").format(value)
        case {"week": int(week), "day": int(day)}:
            return f"{what} week {week}, day {day}"
        case Mapping() if value and all(seat.isdecimal() for seat in value):
            holders = [f"{isolated(name_of(seats, seat))} ({had})" for seat, of in value.items() if (had := _had(of))]
            return f"{_HOLDERS.get(what, f'{what} of')} {', '.join(holders)}" if holders else ""
        case [{"seats": _, "points": _}, *_]:
            return ", ".join(
                f"{listed([isolated(name_of(seats, seat)) for seat in team['seats']])} {team['points']}"
                for team in value
            )
        case _:
            return ""


def _had(value: Any) -> str:
    """The text of a count or a date; empty for everything else."""
    match value:
        case {"week": int(week), "day": int(day)}:
            return f"until week {week}, day {day}"
        case [_, *_]:
            return str(len(value))
        case _:
            return ""


def _wheel(group: SvgGroup, view: View, x: float, y: float) -> None:
    """The Oracle: its places in a ring, the lit one filled, the matching one outlined, both named below."""
    group.circle(x, y, 114, fill=PAPER, stroke=LINE, stroke_width=2, tip="The Oracle")
    places, lit, matching = view["wheel"]["places"], view["wheel"]["lit"], view["wheel"]["matching"]
    for number, name in enumerate(places):
        turn = 2 * math.pi * number / len(places) - math.pi / 2
        left, top = x + 78 * math.cos(turn), y + 78 * math.sin(turn)
        fill, wide = (LIT if name == lit else UNLIT), (5 if name == matching else 1)
        tip = f"{name}{', lit' if name == lit else ''}{', matching' if name == matching else ''}"
        group.circle(left, top, 32, fill=fill, stroke=INK, stroke_width=wide, tip=tip)
        group.text(left, top + 5, name, 14, anchor="middle", fill=INK, fit=56)
    group.text(x, y + 6, f"day {view['day']}", 17, anchor="middle", fill=INK)
    if lit:
        group.text(x, y + 138, f"lit: {lit} · matches: {matching}", 15, anchor="middle", fill=INK, fit=WHEEL - 16)


def _seat(group: SvgGroup, view: View, seats: Mapping[str, str], number: str, y: float) -> None:
    seat, left = view["seats"][number], EDGE + WHEEL
    right, colour = WIDTH - EDGE, tones.colour_of(view, number)
    moving = str(view["turn"]["seat"]) == number and not view["ending"]
    edge, wide = (TURN, 4) if moving else (colour, 1.5)
    group.rectangle(left, y + 2, right - left, SEAT - 8, rx=8, fill=PAPER, stroke=edge, stroke_width=wide)
    badge(group, left + 8, y + 9, 30, 30, tones.letter(view, number), 20, colour, rx=15)
    points = str(seat["points"])
    group.text(right - 12, y + 32, points, 26, anchor="end", font_weight="bold", fill=colour)
    room = right - left - 70 - width(points, 26)
    group.text(left + 48, y + 26, name_of(seats, number), 19, fill=colour, font_weight="bold", fit=room)
    keys = list(_keys(view, number))
    for place, faction in enumerate(keys):
        at = right - 34 - width(points, 26) - 23 * (len(keys) - place) + 10
        initial = NAMES["faction"].get(faction, faction)[0].upper()
        badge(group, at, y + 33, 20, 20, initial, 14, COLOUR.get(faction, COLOUR[None]), rx=10, tip=f"key: {faction}")
    state = f"{_cities(seat)} · {seat['hand']} in hand · {seat['deck']} in deck"
    line = "out of the game" if seat["out"] else state
    group.text(left + 48, y + 48, line, 15, fill=PALE, fit=room - 23 * len(keys) - 4)


def _cities(seat: View) -> str:
    number = len(seat["cities"])
    return "1 city" if number == 1 else f"{number} cities"


def _keys(view: View, number: str) -> Iterator[str]:
    """The factions of the things that a seat holds according to modules."""
    for npc in view["npcs"].values():
        for holders in npc.values():
            held = holders.get(number) if isinstance(holders, Mapping) else None
            if isinstance(held, Sequence):
                yield from (thing["faction"] for thing in held if isinstance(thing, Mapping) and "faction" in thing)
