"""The map of Fronela: areas by terrain, borders, the Janube, units by nation in their player's colour, persons, points."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from domain.drawing.chart import Course, Sample
from domain.drawing.svg import Group, Picture, counted, shortened

LAND = {
    "clear": "#cfe0a8",
    "rough": "#d8c39a",
    "mountain": "#b9a99a",
    "elfwood": "#86b383",
    "glacier": "#e9f1f6",
    "city": "#e5a6a0",
    "sea": "#9cc3de",
}
COLOUR = {"black": "#26262b", "grey": "#75777d", "azure": "#1773b8", "brown": "#86511f"}
INK, RIVER = "#33291c", "#4d8fc0"
WIDTH, MAP_HEIGHT, HEIGHT = 800, 560, 640
SCALE = 7.6
LEFT, TOP = 16, 12

View = Mapping[str, Any]
Point = tuple[float, float]


def board(view: View, seats: Mapping[str, str]) -> str:
    """The public part of a view, 800 pixels wide; ``seats`` names who sits where."""
    picture = Picture(WIDTH, HEIGHT, _title(view), _description(view, seats))
    areas = view["areas"]
    _land(picture, areas)
    _river(picture, areas)
    _names(picture, areas)
    _units(picture, view)
    _standing(picture, view, seats)
    return picture.document()


def _sample(view: View) -> Sample:
    """The points of every player in a round, and of each of their nations."""
    colours = {str(nation["seat"]): COLOUR[nation["colour"]] for nation in view["nations"]}
    parts = {(str(nation["seat"]), nation["name"]): nation["points"] for nation in view["nations"]}
    return Sample(view["round"], view["points"], colours, parts)


COURSE = Course("round", _sample)


def _title(view: View) -> str:
    return f"History of Fronela, round {view['round']} of {view['rounds']}: {view['title']}"


def _description(view: View, seats: Mapping[str, str]) -> str:
    colours = {str(nation["seat"]): nation["colour"] for nation in view["nations"]}
    sentences = [
        f"{seats.get(number, 'seat ' + number)} ({colours.get(number, '')}) has {counted(points, 'point')}."
        for number, points in view["points"].items()
    ]
    names = {nation["id"]: nation["name"] for nation in view["nations"]}
    for area in view["areas"]:
        who = [f"{names[nation]} {_count(units)}" for nation, units in area["units"].items()]
        if who:
            sentences.append(f"{area['name']}: {', '.join(who)}.")
    sentences += [f"{person['name']} is in {_area_name(view, person['area'])}." for person in view["persons"]]
    return " ".join(sentences)


def _area_name(view: View, area: str) -> str:
    return next((str(each["name"]) for each in view["areas"] if each["id"] == area), area)


def _count(units: Mapping[str, int]) -> str:
    if set(units) == {"unit"}:
        return str(units["unit"])
    return " ".join(f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in units.items())


def _at(area: View) -> Point:
    return LEFT + area["x"] * SCALE, TOP + area["y"] * SCALE


# -- the land ---------------------------------------------------------------------------------------------------------


def _land(picture: Picture, areas: Sequence[View]) -> None:
    places = tuple(_at(area) for area in areas)
    land = picture.group(stroke="#fffaf0", stroke_width=1.2, stroke_linejoin="round")
    for area, cell in zip(areas, _cells(places), strict=True):
        land.polygon(cell, fill=LAND.get(area["terrain"], "#ddd"), tip=f"{area['name']}: {area['terrain']}")
    by_id = {area["id"]: area for area in areas}
    borders = picture.group(stroke="#7d705b", stroke_width=1, stroke_dasharray="2 4", opacity=0.65)
    for area in areas:
        for other in area["adjacent"]:
            if area["id"] < other:
                borders.line(*_at(area), *_at(by_id[other]))


@lru_cache(maxsize=8)
def _cells(places: tuple[Point, ...]) -> tuple[tuple[Point, ...], ...]:
    """For each place what is nearer to it than to any other (Voronoi cells), within the map."""
    frame = ((6.0, 6.0), (WIDTH - 6.0, 6.0), (WIDTH - 6.0, MAP_HEIGHT - 6.0), (6.0, MAP_HEIGHT - 6.0))
    found = []
    for place in places:
        cell: tuple[Point, ...] = frame
        for other in places:
            if other != place:
                cell = _nearer(cell, place, other)
        found.append(cell)
    return tuple(found)


def _nearer(cell: tuple[Point, ...], place: Point, other: Point) -> tuple[Point, ...]:
    """The part of a cell that is nearer to ``place`` than to ``other`` (cut along the bisector)."""
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


def _river(picture: Picture, areas: Sequence[View]) -> None:
    """The Janube runs between the banks: through the middle of every border that crosses it."""
    by_id = {area["id"]: area for area in areas}
    crossings = set()
    for area in areas:
        for other in map(by_id.__getitem__, area["adjacent"]):
            if area["bank"] and other["bank"] and area["side"] == "N" and other["side"] == "S":
                (x1, y1), (x2, y2) = _at(area), _at(other)
                crossings.add(((x1 + x2) / 2, (y1 + y2) / 2))
    course = sorted(crossings | _mouths([area for area in areas if area["bank"]], by_id))
    if len(course) > 1:
        group = picture.group(
            stroke=RIVER, stroke_width=6, stroke_linejoin="round", stroke_linecap="round", opacity=0.8
        )
        group.path(_smooth(course), fill="none", tip="The Janube")


def _mouths(banks: Sequence[View], by_id: Mapping[str, View]) -> set[Point]:
    """Where the outermost banks meet a sea: the river comes from one and goes into the other."""
    ends = set()
    for bank in (min(banks, key=lambda area: area["x"]), max(banks, key=lambda area: area["x"])) if banks else ():
        for other in map(by_id.__getitem__, bank["adjacent"]):
            if other["terrain"] == "sea":
                (x1, y1), (x2, y2) = _at(bank), _at(other)
                ends.add(((x1 + x2) / 2, (y1 + y2) / 2))
                break
    return ends


def _smooth(points: Sequence[Point]) -> str:
    """A curve that passes between the points."""
    first, *rest = points
    course = f"M{first[0]:.1f} {first[1]:.1f}"
    for one, next_one in itertools.pairwise(rest):
        course += f" Q{one[0]:.1f} {one[1]:.1f} {(one[0] + next_one[0]) / 2:.1f} {(one[1] + next_one[1]) / 2:.1f}"
    return course + f" L{rest[-1][0]:.1f} {rest[-1][1]:.1f}"


def _names(picture: Picture, areas: Iterable[View]) -> None:
    group = picture.group(fill=INK)
    for area in areas:
        x, y = _at(area)
        style = "italic" if area["terrain"] == "sea" else "normal"
        group.text(x, y - 7, area["name"], 9.5, anchor="middle", font_style=style)


# -- who is there -----------------------------------------------------------------------------------------------------


def _units(picture: Picture, view: View) -> None:
    nations = {nation["id"]: nation for nation in view["nations"]}
    group = picture.group()
    persons: dict[str, list[str]] = {}
    for person in view["persons"]:
        persons.setdefault(person["area"], []).append(person["name"])
    for area in view["areas"]:
        x, y = _at(area)
        top = y - 2
        for nation, units in area["units"].items():
            _chip(group, x, top, nations[nation], units)
            top += 15
        for name in persons.get(area["id"], ()):
            group.rectangle(x - 26, top, 52, 13, rx=6, fill="#f7d25c", stroke=INK, tip=name)
            group.text(x, top + 10, shortened(name, 10), 9, anchor="middle", fill=INK)
            top += 15


def _chip(group: Group, x: float, top: float, nation: View, units: Mapping[str, int]) -> None:
    words = _short(nation, units)
    width = 12 + 6.6 * len(words)
    fill = COLOUR[nation["colour"]]
    group.rectangle(
        x - width / 2, top, width, 13, rx=3, fill=fill, stroke="#fff", tip=f"{nation['name']}: {_count(units)}"
    )
    group.text(x, top + 10, words, 10, anchor="middle", fill="#fff", font_weight="bold")


def _short(nation: View, units: Mapping[str, int]) -> str:
    """``S3 L1`` for castes, ``Tro 2`` for the units of a people."""
    if set(units) == {"unit"}:
        return f"{nation['name'].split()[-1 if nation['kind'] == 'barbarian' else 0][:4]} {units['unit']}"
    return " ".join(f"{kind[0].upper()}{number}" for kind, number in sorted(units.items()))


def _standing(picture: Picture, view: View, seats: Mapping[str, str]) -> None:
    """Round, turn and points, below the map."""
    group = picture.group(fill=INK)
    group.text(LEFT, MAP_HEIGHT + 18, _title(view), 15, font_weight="bold")
    names = {nation["id"]: nation["name"] for nation in view["nations"]}
    turn = names.get(view["turn"])
    time = f"{view['years']} ST" + (f" · {turn} to act" if turn else "")
    group.text(WIDTH - LEFT, MAP_HEIGHT + 18, time, 12, anchor="end")
    colours = {str(nation["seat"]): nation["colour"] for nation in view["nations"]}
    for place, (number, points) in enumerate(view["points"].items()):
        x = LEFT + place * 194
        fill = COLOUR.get(colours.get(number, ""), INK)
        group.rectangle(x, MAP_HEIGHT + 30, 184, 38, rx=6, fill=fill)
        group.text(x + 10, MAP_HEIGHT + 54, shortened(seats.get(number, f"seat {number}"), 18), 14, fill="#fff")
        group.text(x + 174, MAP_HEIGHT + 56, str(points), 20, anchor="end", fill="#fff", font_weight="bold")
