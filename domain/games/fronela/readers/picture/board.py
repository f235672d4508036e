"""The map of Fronela from top to bottom: heading, land, players with their nations, legend. Also its chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.chart import Course, ScoreSample
from domain.drawing.lettering import isolated
from domain.drawing.palette import MOVED, PAGE
from domain.drawing.parts import ending, heading, name_of
from domain.drawing.patterns import define
from domain.drawing.svg import Picture, counted
from domain.games.fronela.readers.picture import labels, land, panel
from domain.games.fronela.readers.picture.labels import Label
from domain.games.fronela.readers.picture.tones import COLOUR, GROUND, unit_words

View = Mapping[str, Any]


ENDS: Mapping[str, str] = {"history": "its history is told to the end"}


def board(view: View, seats: Mapping[str, str], lines: Sequence[Mapping[str, Any]] = ()) -> str:
    """The public view as a picture. ``seats`` has the names of the seats, ``lines`` the most recent history."""
    title = f"History of Fronela, round {view['round']} of {view['rounds']}: {view['title']}"
    picture = Picture(title, " ".join(_description(view, seats)), PAGE)
    define(picture, dict(GROUND))
    over = ending(view, seats, ENDS)
    top = heading(picture.group(), view, title, f"{view['years']} ST", standing(view, seats), over)
    areas, floor = view["areas"], land.bottom(view["areas"], top)
    land.draw(picture, areas, top)
    found = labels.labels(view, top, floor)
    _last_moves(picture, found, *moved(view, lines))
    labels.draw(picture, found, view["battle"]["area"] if view["battle"] else "")
    y = panel.panel(picture, view, seats, floor + 10)
    y = panel.signs(picture.group(), view, y + 8)
    return picture.document(y + 10)


def standing(view: View, seats: Mapping[str, str]) -> str:
    """The person or nation on turn; empty before the first turn and after the last."""
    nation = next((each for each in view["nations"] if each["id"] == view["turn"]), None)
    if nation is None:
        person = next((each for each in view["persons"] if each["id"] == view["turn"]), None)
        return f"The turn of {person['name']}" if person else ""
    return f"{isolated(name_of(seats, nation['seat']))} to act for the {nation['name']}"


_NEW_TURN = frozenset(("turn_begun", "round_begun"))
_PLACES = ("area", "to")


def moved(view: View, lines: Sequence[Mapping[str, Any]]) -> tuple[set[str], list[tuple[str, str]]]:
    """The areas and ways touched by the newest turn with events on the map."""
    known = {area["id"] for area in view["areas"]}
    touched: set[str] = set()
    ways: list[tuple[str, str]] = []
    for line in reversed(lines):
        if line["type"] in _NEW_TURN and touched:
            break
        if line["type"] in ("asked", "points_scored"):
            continue
        touched |= {line[name] for name in _PLACES if isinstance(line.get(name), str) and line[name] in known}
        if line.get("area") in known and line.get("to") in known:
            ways.append((line["area"], line["to"]))
    return touched, [way for way in dict.fromkeys(reversed(ways)) if way[0] != way[1]]


def _last_moves(picture: Picture, found: Sequence[Label], touched: set[str], ways: Sequence[tuple[str, str]]) -> None:
    """Frames around the labels of touched areas, and arrows for moves."""
    group = picture.group(pointer_events="none", stroke=MOVED, fill="none", stroke_width=4)
    boxes = {label.area["id"]: label for label in found}
    for area in sorted(touched):
        box = boxes[area]
        frame = (box.x - box.wide / 2 - 3, box.y - box.tall / 2 - 3, box.wide + 6, box.tall + 6)
        tip = f"{box.area['name']}: changed by the last moves"
        group.rectangle(*frame, rx=7, tip=tip, kind="moved")
    for start, end in ways:
        one, other = boxes[start], boxes[end]
        far = math.dist((one.x, one.y), (other.x, other.y))
        right, down = (other.x - one.x) / far, (other.y - one.y) / far
        near, off = _to_edge(one, right, down), _to_edge(other, right, down)
        tip_x, tip_y = other.x - right * off, other.y - down * off
        room = far - near - off
        head = min(13.0, max(6.0, room))
        neck = (tip_x - right * head, tip_y - down * head)
        group.line(one.x + right * near, one.y + down * near, *neck, stroke_width=5)
        barbs = [(neck[0] - down * 9 * side, neck[1] + right * 9 * side) for side in (1, -1)]
        group.polygon([(tip_x, tip_y), *barbs], fill=MOVED, stroke="none")


def _to_edge(box: Label, right: float, down: float) -> float:
    """The distance from the middle of a label to its frame, in this direction."""
    across = (box.wide / 2 + 5) / abs(right) if abs(right) > 1e-6 else math.inf
    deep = (box.tall / 2 + 5) / abs(down) if abs(down) > 1e-6 else math.inf
    return min(across, deep)


def _sample(view: View) -> ScoreSample:
    """The points of every player and of each of their nations in a round."""
    colours = {str(nation["seat"]): COLOUR[nation["colour"]] for nation in view["nations"]}
    parts = {(str(nation["seat"]), nation["name"]): nation["points"] for nation in view["nations"]}
    return ScoreSample(view["round"], view["points"], colours, parts)


COURSE = Course("round", _sample)


def _description(view: View, seats: Mapping[str, str]) -> Iterator[str]:
    colours = {str(nation["seat"]): nation["colour"] for nation in view["nations"]}
    for number, points in view["points"].items():
        yield f"{name_of(seats, number)} ({colours.get(number, '')}) has {counted(points, 'point')}."
    names = {nation["id"]: nation["name"] for nation in view["nations"]}
    for area in view["areas"]:
        who = [f"{names[nation]} {unit_words(units)}" for nation, units in area["units"].items()]
        if who:
            yield f"{area['name']}: {', '.join(who)}."
    areas = {area["id"]: area["name"] for area in view["areas"]}
    yield from (f"{person['name']} is in {areas.get(person['area'], person['area'])}." for person in view["persons"])
    yield from ending(view, seats, ENDS) or [f"{standing(view, seats)}."]
