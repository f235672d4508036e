"""The map of Battalia: squares with terrain, roads, the ruins, ranges and the last moves."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from domain.drawing.palette import INK, MOVED, PALE
from domain.drawing.patterns import laid
from domain.drawing.svg import Picture, SvgGroup, star
from domain.games.battalia.readers.picture import tones
from domain.games.battalia.readers.picture.places import LEFT, STEP, Places, Point, View, reaches


def squares(picture: Picture, view: View, places: Places) -> None:
    """The grid with letters and numbers, and the cards with terrain and roads."""
    edge, cell = picture.group(fill=PALE), places.cell
    for column in range(view["map"]["columns"]):
        edge.text(LEFT + (column + 0.5) * cell, places.top - 7, chr(ord("A") + column), 16, anchor="middle")
    for row in range(view["map"]["rows"]):
        edge.text(LEFT - 9, places.top + (row + 0.5) * cell + 6, str(row + 1), 16, anchor="end")
    land, roads = picture.group(), picture.group(pointer_events="none")
    for name in places.names():
        _square(land.group(ref=name, kind="square"), view, places, name)
        _roads(roads, view, places, name)
    x, y = places.middle(view["map"]["ruins"])
    if view["map"]["ruins"] in view["squares"]:
        ruins = picture.group(ref=view["map"]["ruins"], kind="square", data_seat=0)
        ruins.polygon(star(x, y, cell * 0.3, cell * 0.15, 8), fill=tones.STONE, stroke=INK, tip="The ruins")


def _square(group: SvgGroup, view: View, places: Places, name: str) -> None:
    (x, y), cell, card = places.corner(name), places.cell, view["squares"].get(name)
    if card is None:
        start = name in view["map"]["starts"]
        tip = f"{name}: starting square" if start else f"{name}: empty"
        fill = tones.START if start else "transparent"
        group.rectangle(x + 1, y + 1, cell - 2, cell - 2, rx=6, fill=fill, stroke=tones.GRID, tip=tip)
        return
    ground = tones.GROUND.get(card["terrain"], tones.GROUND[""])
    tip = f"{name}: {card['card']}"
    group.rectangle(x + 1, y + 1, cell - 2, cell - 2, rx=6, fill=ground.fill, stroke=ground.mark, tip=tip)
    over = laid(card["terrain"] if card["terrain"] in tones.GROUND else "", ground)
    group.rectangle(x + 1, y + 1, cell - 2, cell - 2, rx=6, fill=over, pointer_events="none")


def _roads(group: SvgGroup, view: View, places: Places, name: str) -> None:
    card, cell = view["squares"].get(name), places.cell
    if card is None or not card["exits"]:
        return
    x, y = places.middle(name)
    for wide, colour in ((cell * 0.22, tones.KERB), (cell * 0.17, tones.ROAD)):
        for direction in card["exits"]:
            right, down = STEP[direction]
            end = cell / 2 - 1
            group.line(x, y, x + right * end, y + down * end, stroke=colour, stroke_width=wide)
        group.circle(x, y, wide / 2, fill=colour)


def ranges(picture: Picture, view: View, places: Places) -> None:
    """The ranges of modules' figures and buildings: an outline around the squares, in the owner's color."""
    group = picture.group(stroke_width=2.5, stroke_dasharray="6 5", stroke_linecap="round", pointer_events="none")
    for place, (tip, owner, within) in enumerate(reaches(view)):
        colour = tones.colour_of(view, owner) if owner else tones.RANGE
        _outline(group, places, within, 4 + place % 4 * 2.5, colour=colour, tip=tip)


def _outline(group: SvgGroup, places: Places, within: Collection[str], inset: float, **look: str) -> None:
    """The border of these squares, drawn slightly inside, so that adjacent outlines stay distinct."""
    course = []
    for name in within:
        (x, y), far = places.corner(name), places.cell - inset
        for direction, (right, down) in STEP.items():
            if f"{chr(ord(name[0]) + right)}{int(name[1:]) + down}" in within:
                continue
            ends = {"N": (inset, inset, far, inset), "S": (inset, far, far, far)} | {
                "E": (far, inset, far, far),
                "W": (inset, inset, inset, far),
            }
            x1, y1, x2, y2 = ends[direction]
            course.append(f"M{x + x1:.1f} {y + y1:.1f}L{x + x2:.1f} {y + y2:.1f}")
    if course:
        group.path("".join(course), fill="none", stroke=look["colour"], tip=look["tip"])


def last_moves(picture: Picture, places: Places, touched: Collection[str], ways: Sequence[tuple[str, str]]) -> None:
    """Frames around the squares touched by the last moves, and arrows for moves."""
    group = picture.group(pointer_events="none", stroke=MOVED, fill="none", stroke_width=4)
    for name in sorted(touched):
        x, y = places.corner(name)
        frame = (x + 2, y + 2, places.cell - 4, places.cell - 4)
        group.rectangle(*frame, rx=5, tip=f"{name}: changed by the last moves", kind="moved")
    for start, end in ways:
        _arrow(group, places, start, end)


def _arrow(group: SvgGroup, places: Places, start: str, end: str) -> None:
    """An arrow between two squares; between neighbors only across their border."""
    one, other = places.middle(start), places.middle(end)
    far = math.dist(one, other)
    right, down = (other[0] - one[0]) / far, (other[1] - one[1]) / far
    off = places.cell * (0.3 if far < places.cell * 1.1 else 0.22)
    tail: Point = (one[0] + right * off, one[1] + down * off)
    tip: Point = (other[0] - right * off, other[1] - down * off)
    neck = (tip[0] - right * 13, tip[1] - down * 13)
    group.line(*tail, *neck, stroke_width=5)
    barbs = [(neck[0] - down * 9 * side, neck[1] + right * 9 * side) for side in (1, -1)]
    group.polygon([tip, *barbs], fill=MOVED, stroke="none")
