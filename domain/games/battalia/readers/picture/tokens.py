"""Pieces on the squares of Battalia's map: cities, heroes, modules' figures and marks, without overlaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.drawing.palette import BATTLE, WHITE
from domain.drawing.parts import badge
from domain.drawing.svg import Picture, SvgGroup
from domain.games.battalia.readers.picture import tones
from domain.games.battalia.readers.picture.places import PictureMark, Places, View, figures, marks

GAP, WIDE, TALL = 2, 26, 21
"""The size of a badge on a small map. It grows with the map."""
BADGE = 15
"""Font size of a badge that has enough room."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A hero or a module's figure on a square."""

    ref: str
    kind: str
    letters: str
    tip: str
    colour: Any
    round: bool
    seat: int | None = None


def draw(picture: Picture, view: View, places: Places) -> None:
    """Everything on the squares."""
    standing, put = _standing(view), _marks(view)
    group = picture.group()
    for name in places.names():
        there, above = standing.get(name, ()), put.get(name, ())
        foot = _figures(group, places, name, there)
        head, side = _put(group, places, name, above)
        city = view["squares"].get(name, {}).get("city")
        if city is not None:
            _city(group, view, places, name, city, (head, foot, side))


def _standing(view: View) -> Mapping[str, list[Figure]]:
    there: dict[str, list[Figure]] = {}
    for name, hero in sorted(view["heroes"].items()):
        if hero["square"]:
            own = tones.letter(view, hero["seat"]) + name[-1]
            letters = own if name[-1].isdecimal() else tones.figure_letters(name)
            colour = tones.colour_of(view, hero["seat"])
            figure = Figure(
                name, "hero", letters, f"{name} of seat {hero['seat']}", colour, round=True, seat=hero["seat"]
            )
            there.setdefault(hero["square"], []).append(figure)
    for key, square in figures(view):
        if view["heroes"].get(tones.hero_of(key), {}).get("square") == square:
            continue  # a figure in a seat's service is shown as its hero
        figure = Figure(key, "figure", tones.figure_letters(key), tones.module(key), tones.FIGURE, round=False)
        there.setdefault(square, []).append(figure)
    return there


def _marks(view: View) -> Mapping[str, list[PictureMark]]:
    found: dict[str, list[PictureMark]] = {}
    for mark in marks(view):
        found.setdefault(mark.square, []).append(mark)
    if view["battle"] is not None:
        mark = PictureMark(view["battle"]["square"], "!", "A battle takes place here", "battle", numbered=False)
        found.setdefault(mark.square, []).append(mark)
    return found


def _figures(group: SvgGroup, places: Places, name: str, there: Sequence[Figure]) -> float:
    """Heroes and figures in a row along the lower edge of a square. Returns their upper edge."""
    (x, y), cell = places.corner(name), places.cell
    wide = WIDE * max(1.0, cell / 84)
    in_row = max(1, int((cell - 6 + GAP) // (wide + GAP)))
    rows = -(-len(there) // in_row)
    tall = min(TALL * wide / WIDE, (cell * 0.62 - 4) / max(1, rows) - GAP)
    top = y + cell - 5 - rows * (tall + GAP) + GAP
    for place, figure in enumerate(there):
        row, column = divmod(place, in_row)
        here = min(in_row, len(there) - row * in_row)
        left = x + (cell - here * (wide + GAP) + GAP) / 2 + column * (wide + GAP)
        one = group.group(ref=figure.ref, kind=figure.kind, data_seat=figure.seat)
        rx, size = (tall / 2 if figure.round else 2), BADGE * tall / TALL
        badge(
            one, left, top + row * (tall + GAP), wide, tall, figure.letters, size, figure.colour, rx=rx, stroke=WHITE,
            tip=figure.tip,
        )  # fmt: skip
    return top if there else y + cell - 5


def _put(group: SvgGroup, places: Places, name: str, there: Sequence[PictureMark]) -> tuple[float, float]:
    """Marks in a row along the upper edge of a square. Returns their lower and right edges."""
    (x, y), side = places.corner(name), min(22.0, (places.cell - 8) / max(1, len(there)) - GAP)
    for place, mark in enumerate(there):
        mark_sign(group.group(ref=name, kind="square"), x + 5 + place * (side + GAP), y + 5, mark, side)
    return y + 5 + (side + GAP if there else 0), x + 5 + len(there) * (side + GAP)


def mark_sign(group: SvgGroup, x: float, y: float, mark: PictureMark, side: float) -> None:
    """The sign of a mark: round for a gate, square for a building, red for a battle."""
    colour = BATTLE if mark.what == "battle" else tones.GATE if mark.numbered else tones.BUILT
    rx = side / 2 if mark.numbered else 3
    badge(group, x, y, side, side, mark.letter, BADGE, colour, rx=rx, stroke=WHITE, tip=mark.tip or None)


def _city(
    group: SvgGroup, view: View, places: Places, name: str, city: Mapping[str, Any], room: tuple[float, ...]
) -> None:
    """Walls in the owner's color with the owner's letter and the level; next to the marks if space is tight."""
    (left, y), cell, (head, foot, side) = places.corner(name), places.cell, room
    x, wide = left + cell / 2, cell * 0.5
    if foot - head < 26:
        head, x = y + 5, (side + left + cell - 4) / 2
        wide = min(wide, left + cell - side - 8)
    tall = max(14.0, min(cell * 0.4, foot - head - 6))
    middle = min(max(y + cell / 2, head + tall / 2 + 1), foot - tall / 2 - 3)
    owner = "neutral" if city["owner"] == 0 else f"seat {city['owner']}"
    tip = f"{name}: city of level {city['level']}, {owner}"
    one = group.group(ref=name, kind="square", data_seat=city["owner"])
    city_sign(
        one, x, middle, min(wide, max(tall * 1.25, 34.0)), tall, f"{tones.letter(view, city['owner'])}{city['level']}",
        colour=tones.colour_of(view, city["owner"]), tip=tip,
    )  # fmt: skip


def city_sign(group: SvgGroup, x: float, y: float, wide: float, tall: float, letters: str, **look: Any) -> None:
    """A city centered on this point."""
    tooth, half = min(6.0, tall / 5), wide / 2
    top, step = y - tall / 2, wide / 5
    for place in (0, 2, 4):
        group.rectangle(x - half + place * step, top, step, tooth + 2, fill=look["colour"], stroke=WHITE)
    size = min(22.0, tall - tooth - 1)
    badge(
        group, x - half, top + tooth, wide, tall - tooth, letters, size, look["colour"], stroke=WHITE,
        tip=look.get("tip"),
    )  # fmt: skip
