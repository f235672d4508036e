"""The land of Fronela: areas as cells around their centers, borders and the Janube."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from domain.drawing.patterns import laid
from domain.drawing.svg import WIDTH, Picture
from domain.games.fronela.readers.picture import tones

View = Mapping[str, Any]
Point = tuple[float, float]
LEFT, RIGHT = 42, 46
EDGE = 8
DEEP = 17.4
"""Vertical scale from map to picture. Horizontally the map fills the width."""


def at(area: View, top: float) -> Point:
    """The center of an area on a map that begins at height ``top``."""
    return LEFT + area["x"] * (WIDTH - LEFT - RIGHT) / 98, top + 12 + area["y"] * DEEP


def bottom(areas: Sequence[View], top: float) -> float:
    return max(at(area, top)[1] for area in areas) + 78


def draw(picture: Picture, areas: Sequence[View], top: float) -> None:
    """Draw the land: areas, borders and the river."""
    places, floor = tuple(at(area, top) for area in areas), bottom(areas, top)
    land = picture.group(stroke=tones.SHORE, stroke_width=1.4, stroke_linejoin="round")
    for area, cell in zip(areas, _cells(places, top, floor), strict=True):
        ground = tones.ground_of(area["terrain"])
        one = land.group(ref=area["id"], kind="area")
        one.polygon(cell, fill=ground.fill, tip=f"{area['name']}: {area['terrain']}")
        one.polygon(cell, fill=laid(area["terrain"], ground), pointer_events="none")
    by_id = {area["id"]: area for area in areas}
    look = {"stroke": tones.BORDER, "stroke_width": 1.5, "stroke_dasharray": "2 5", "pointer_events": "none"}
    borders = picture.group(**look)
    for area in areas:
        for other in area["adjacent"]:
            if area["id"] < other:
                borders.line(*at(area, top), *at(by_id[other], top))
    _river(picture, areas, top)


@lru_cache(maxsize=8)
def _cells(places: tuple[Point, ...], top: float, floor: float) -> tuple[tuple[Point, ...], ...]:
    """The Voronoi cell of each place, clipped to the map."""
    right = float(WIDTH - EDGE)
    frame = ((float(EDGE), top), (right, top), (right, floor), (float(EDGE), floor))
    found = []
    for place in places:
        cell: tuple[Point, ...] = frame
        for other in places:
            if other != place:
                cell = _nearer(cell, place, other)
        found.append(cell)
    return tuple(found)


def _nearer(cell: tuple[Point, ...], place: Point, other: Point) -> tuple[Point, ...]:
    """The part of a cell that is nearer to ``place`` than to ``other``, cut along the bisector."""
    across = (other[0] - place[0], other[1] - place[1])
    half = ((other[0] + place[0]) / 2, (other[1] + place[1]) / 2)

    def beyond(point: Point) -> float:
        return (point[0] - half[0]) * across[0] + (point[1] - half[1]) * across[1]

    corners: list[Point] = []
    for one, next_one in zip(cell, (*cell[1:], *cell[:1]), strict=True):
        near, far = beyond(one), beyond(next_one)
        if near <= 0:
            corners.append(one)
        if (near < 0 < far) or (far < 0 < near):
            share = near / (near - far)
            corners.append((one[0] + share * (next_one[0] - one[0]), one[1] + share * (next_one[1] - one[1])))
    return tuple(corners)


def _river(picture: Picture, areas: Sequence[View], top: float) -> None:
    """The Janube between its banks, through the middle of every border that crosses it."""
    by_id = {area["id"]: area for area in areas}
    crossings = set()
    for area in areas:
        for other in map(by_id.__getitem__, area["adjacent"]):
            if area["bank"] and other["bank"] and area["side"] == "N" and other["side"] == "S":
                (x1, y1), (x2, y2) = at(area, top), at(other, top)
                crossings.add(((x1 + x2) / 2, (y1 + y2) / 2))
    course = sorted(crossings | _mouths([area for area in areas if area["bank"]], by_id, top))
    if len(course) > 1:
        group = picture.group(
            stroke=tones.RIVER, stroke_width=8, stroke_linejoin="round", stroke_linecap="round", pointer_events="none"
        )
        group.path(_smooth(course), fill="none", tip="The Janube")


def _mouths(banks: Sequence[View], by_id: Mapping[str, View], top: float) -> set[Point]:
    """The points where the outermost banks meet a sea: the river's two ends."""
    ends = set()
    for bank in (min(banks, key=lambda area: area["x"]), max(banks, key=lambda area: area["x"])) if banks else ():
        for other in map(by_id.__getitem__, bank["adjacent"]):
            if other["terrain"] == "sea":
                (x1, y1), (x2, y2) = at(bank, top), at(other, top)
                ends.add(((x1 + x2) / 2, (y1 + y2) / 2))
                break
    return ends


def _smooth(points: Sequence[Point]) -> str:
    first, *rest = points
    course = f"M{first[0]:.1f} {first[1]:.1f}"
    for one, next_one in itertools.pairwise(rest):
        course += f" Q{one[0]:.1f} {one[1]:.1f} {(one[0] + next_one[0]) / 2:.1f} {(one[1] + next_one[1]) / 2:.1f}"
    return course + f" L{rest[-1][0]:.1f} {rest[-1][1]:.1f}"
