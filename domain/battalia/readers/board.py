"""The board of Battalia: map, roads, cities, heroes, modules' figures, the Oracle's wheel, who stands how."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from domain.battalia.readers.panel import COLOUR, INK, name_of, notes, panel, words
from domain.battalia.readers.reveal import NAMES
from domain.drawing.chart import Course, Sample
from domain.drawing.svg import Group, Picture, counted, star

LAND = {
    "forest": "#9dbf7f",
    "lake": "#8fb8d6",
    "desert": "#e6b98a",
    "mountain": "#d9cf8c",
    "tundra": "#dfe5ea",
    "plain": "#f0cf8f",
    "": "#c9bfae",
}
PALE, ROAD = "#8d8371", "#fbf6ea"
WIDTH, PANEL, MARGIN = 800, 226, 26
_STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

View = Mapping[str, Any]


def board(view: View, seats: Mapping[str, str]) -> str:
    """The public part of a view, 800 pixels wide; ``seats`` names who sits where."""
    columns, rows = view["map"]["columns"], view["map"]["rows"]
    cell = (WIDTH - PANEL - 2 * MARGIN) / columns
    height = max(round(rows * cell + 2 * MARGIN), 330 + 54 * len(view["seats"]) + 15 * len(list(notes(view, seats))))
    picture = Picture(WIDTH, height, _title(view), _description(view, seats))
    drawing = _Board(picture, view, cell)
    drawing.squares()
    drawing.ranges()
    drawing.cities()
    drawing.marks()
    drawing.figures()
    panel(picture, view, seats, WIDTH - PANEL + 6)
    return picture.document()


def _sample(view: View) -> Sample:
    """The points of every player on a day, counted from the first."""
    points = {number: seat["points"] for number, seat in view["seats"].items()}
    colours = {number: COLOUR.get(seat["faction"], INK) for number, seat in view["seats"].items()}
    return Sample(7 * (view["week"] - 1) + view["day"], points, colours)


COURSE = Course("day", _sample)


def _title(view: View) -> str:
    return f"Battalia, week {view['week']}, day {view['day']}"


def _description(view: View, seats: Mapping[str, str]) -> str:
    sentences = [
        f"The map has {view['map']['columns']} columns and {view['map']['rows']} rows; {len(view['squares'])} cards lie."
    ]
    for number, seat in view["seats"].items():
        cities = ", ".join(f"{square} (level {view['squares'][square]['city']['level']})" for square in seat["cities"])
        heroes = ", ".join(
            hero["square"] for hero in view["heroes"].values() if str(hero["seat"]) == number and hero["square"]
        )
        where = (
            f"cities at {cities}" if cities else "no city",
            f"heroes at {heroes}" if heroes else "no hero on the map",
        )
        sentences.append(
            f"{name_of(seats, number)} ({NAMES['faction'].get(seat['faction'], 'no faction yet')}) has {counted(seat['points'], 'point')}, "
            f"{', '.join(where)}."
        )
    sentences += [f"{words(key)} stands at {square}." for key, square in _standing(view)]
    sentences += [f"{note}." for note in notes(view, seats)]
    sentences += [f"{what}: range {', '.join(squares)}." for what, _, squares in _reaches(view)]
    sentences.append(f"The Oracle lights the {view['wheel']['lit']}; the {view['wheel']['matching']} matches.")
    if view["ending"]:
        sentences.append(f"The game is over: {words(view['ending']['reason'])}.")
    return " ".join(sentences)


def _standing(view: View) -> Iterator[tuple[str, str]]:
    """Modules whose view names a `square`: they have a figure there."""
    for key, npc in view["npcs"].items():
        if npc.get("square") in view["squares"] or _is_square(npc.get("square"), view):
            yield key, npc["square"]


def _is_square(name: Any, view: View) -> bool:
    if not isinstance(name, str) or not 2 <= len(name) <= 3 or not name[1:].isdecimal():
        return False
    return bool(0 <= ord(name[0]) - ord("A") < view["map"]["columns"] and 1 <= int(name[1:]) <= view["map"]["rows"])


def _reaches(view: View) -> Iterator[tuple[str, str, Collection[str]]]:
    """What has a `range` of squares, a module's figure or one of its things: what it is, whose, and how far."""
    for key, npc in view["npcs"].items():
        if npc.get("range"):
            yield words(key), "", npc["range"]
        for what, things in npc.items():
            if not isinstance(things, Mapping):
                continue
            for name, thing in things.items():
                if isinstance(thing, Mapping) and thing.get("range"):
                    yield f"{words(what)} of {name}", str(thing.get("owner", "")), thing["range"]


class _Board:
    """The map itself; a square's corner and middle are counted from its name."""

    def __init__(self, picture: Picture, view: View, cell: float) -> None:
        self.picture, self.view, self.cell = picture, view, cell
        self.colours = {number: COLOUR[seat["faction"]] for number, seat in view["seats"].items()} | {"0": COLOUR[None]}

    def corner(self, name: str) -> tuple[float, float]:
        return MARGIN + (ord(name[0]) - ord("A")) * self.cell, MARGIN + (int(name[1:]) - 1) * self.cell

    def middle(self, name: str) -> tuple[float, float]:
        x, y = self.corner(name)
        return x + self.cell / 2, y + self.cell / 2

    def squares(self) -> None:
        """The grid, its letters and numbers, the cards with their land and roads."""
        grid, roads = self.picture.group(stroke="#d8cdb6"), self.picture.group()
        edge = self.picture.group(fill=PALE, font_size=11)
        columns, rows = self.view["map"]["columns"], self.view["map"]["rows"]
        for column in range(columns):
            edge.text(MARGIN + (column + 0.5) * self.cell, MARGIN - 8, chr(ord("A") + column), 12, anchor="middle")
        for row in range(rows):
            edge.text(MARGIN - 8, MARGIN + (row + 0.5) * self.cell + 4, str(row + 1), 12, anchor="end")
        for column in range(columns):
            for row in range(rows):
                self._square(grid, roads, f"{chr(ord('A') + column)}{row + 1}")

    def _square(self, grid: Group, roads: Group, name: str) -> None:
        (x, y), card = self.corner(name), self.view["squares"].get(name)
        if card is None:
            start = name in self.view["map"]["starts"]
            grid.rectangle(x, y, self.cell, self.cell, fill="#ede4cf" if start else "#f6f0e2")
            return
        tip = f"{name}: {card['card']}"
        grid.rectangle(
            x + 1, y + 1, self.cell - 2, self.cell - 2, rx=6, fill=LAND.get(card["terrain"], "#ccc"), tip=tip
        )
        middle = self.middle(name)
        for width, colour in ((self.cell * 0.24, PALE), (self.cell * 0.18, ROAD)):
            for direction in card["exits"]:
                right, down = _STEP[direction]
                to = (middle[0] + right * self.cell / 2, middle[1] + down * self.cell / 2)
                roads.line(*middle, *to, stroke=colour, stroke_width=width)
            roads.circle(*middle, width / 2, fill=colour)
        if name == self.view["map"]["ruins"]:
            roads.polygon(
                star(*middle, self.cell * 0.3, self.cell * 0.15, 8), fill="#a89b84", stroke=INK, tip="The ruins"
            )

    def cities(self) -> None:
        """Walls in the owner's colour, the level in them."""
        group = self.picture.group(stroke=INK, stroke_width=1.5)
        for name, card in self.view["squares"].items():
            if "city" not in card:
                continue
            owner, level = str(card["city"]["owner"]), card["city"]["level"]
            self._city(
                group, name, self.colours.get(owner, PALE), level, "neutral" if owner == "0" else f"seat {owner}"
            )

    def _city(self, group: Group, name: str, colour: str, level: int, owner: str) -> None:
        (x, y), half = self.middle(name), self.cell * 0.25
        tooth = half / 2.5
        top = [(x - half + step * tooth, y - half + (tooth if step % 2 else 0)) for step in range(6)]
        course = [(x - half, y + half), (x - half, y - half)]
        for (left, height), (right, _) in itertools.pairwise(top):
            course += [(left, height), (right, height)]
        course += [(x + half, y + half)]
        group.polygon(course, fill=colour, tip=f"{name}: city of level {level}, {owner}")
        group.text(
            x, y + half * 0.62, str(level), half * 1.5, anchor="middle", fill="#fff", stroke="none", font_weight="bold"
        )

    def ranges(self) -> None:
        """How far what modules have put on the board reaches: an outline around the squares, in the owner's colour."""
        group = self.picture.group(stroke_width=2, stroke_dasharray="5 4", stroke_linecap="round")
        for place, (tip, owner, squares) in enumerate(_reaches(self.view)):
            colour = self.colours.get(owner, INK) if owner else INK
            self._outline(group, squares, 3 + place % 4 * 2.5, colour, tip)

    def _outline(self, group: Group, squares: Collection[str], inset: float, colour: str, tip: str) -> None:
        """The border of these squares, a little within them, so that outlines of others beside it can be told apart."""
        course = []
        for name in squares:
            (x, y), far = self.corner(name), self.cell - inset
            for direction, (right, down) in _STEP.items():
                if f"{chr(ord(name[0]) + right)}{int(name[1:]) + down}" in squares:
                    continue
                ends = {"N": (inset, inset, far, inset), "S": (inset, far, far, far)} | {
                    "E": (far, inset, far, far),
                    "W": (inset, inset, inset, far),
                }
                x1, y1, x2, y2 = ends[direction]
                course.append(f"M{x + x1:.1f} {y + y1:.1f}L{x + x2:.1f} {y + y2:.1f}")
        if course:
            group.path("".join(course), fill="none", stroke=colour, tip=tip)

    def marks(self) -> None:
        """What modules have put on squares: by square, or by a number that names one."""
        group = self.picture.group()
        for key, npc in self.view["npcs"].items():
            for what, things in npc.items():
                if not isinstance(things, Mapping) or not things:
                    continue
                if all(_is_square(name, self.view) for name in things):
                    for name in things:
                        self._mark(group, name, what[0].upper(), f"{words(key)}: {what}", right=False)
                elif all(_is_square(name, self.view) for name in things.values()):
                    for number, name in things.items():
                        self._mark(group, name, number, f"{words(what)}: {number}", right=True)

    def _mark(self, group: Group, name: str, letter: str, tip: str, *, right: bool) -> None:
        x, y = self.corner(name)
        x += self.cell - 13 if right else 13
        group.circle(x, y + 13, 8.5, fill="#4b3b6b" if right else "#3d3d3d", stroke="#fff", tip=tip)
        group.text(x, y + 17, letter, 11, anchor="middle", fill="#fff", font_weight="bold")

    def figures(self) -> None:
        """Heroes in their owner's colour and modules' figures, side by side along the foot of a square."""
        group = self.picture.group(stroke="#fff", stroke_width=1.5)
        there: dict[str, list[tuple[str, str, str]]] = {}
        for name, hero in sorted(self.view["heroes"].items()):
            if hero["square"]:
                figure = (self.colours.get(str(hero["seat"]), PALE), name[-1], f"{name} of seat {hero['seat']}")
                there.setdefault(hero["square"], []).append(figure)
        for key, square in _standing(self.view):
            there.setdefault(square, []).append(("#1c1c1c", words(key.split("_")[-1])[0], words(key)))
        for square, figures in there.items():
            (x, y), apart = self.corner(square), min(20.0, (self.cell - 22) / max(1, len(figures) - 1))
            for place, (colour, letter, tip) in enumerate(figures):
                self._figure(group, x + 12 + place * apart, y + self.cell - 7, colour, letter, tip)

    def _figure(self, group: Group, x: float, y: float, colour: str, letter: str, tip: str) -> None:
        group.path(f"M{x - 8:.1f} {y:.1f} q8 -26 16 0 z", fill=colour, tip=tip)
        group.circle(x, y - 16, 5.5, fill=colour)
        group.text(x, y - 2.5, letter, 9, anchor="middle", fill="#fff", stroke="none", font_weight="bold")
