"""The board of Battalia: map, roads, cities, heroes, modules' figures, the Oracle's wheel, who stands how."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from service.projections.pictures.svg import Group, Picture, shortened, star

LAND = {
    "forest": "#9dbf7f",
    "lake": "#8fb8d6",
    "desert": "#e6b98a",
    "mountain": "#d9cf8c",
    "tundra": "#dfe5ea",
    "plain": "#f0cf8f",
    "": "#c9bfae",
}
COLOUR = {
    "barfolk": "#2f6b2f",
    "islanders": "#1d5c97",
    "emberians": "#b3322a",
    "cloudborn": "#b08a12",
    "wolfsclan": "#6b7784",
    "sunblessed": "#d0731c",
    None: "#5c5346",
}
INK, PALE, ROAD = "#33291c", "#8d8371", "#fbf6ea"
WIDTH, PANEL, MARGIN = 800, 226, 26
_STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}

View = Mapping[str, Any]


def board(view: View, seats: Mapping[str, str]) -> str:
    """The public part of a view, 800 pixels wide; ``seats`` names who sits where."""
    columns, rows = view["map"]["columns"], view["map"]["rows"]
    cell = (WIDTH - PANEL - 2 * MARGIN) / columns
    height = max(round(rows * cell + 2 * MARGIN), 330 + 54 * len(view["seats"]))
    picture = Picture(WIDTH, height, _title(view), _description(view, seats))
    drawing = _Board(picture, view, cell)
    drawing.squares()
    drawing.cities()
    drawing.marks()
    drawing.figures()
    _panel(picture, view, seats, WIDTH - PANEL + 6)
    return picture.document()


def _title(view: View) -> str:
    return f"Battalia, week {view['week']}, day {view['day']}"


def _name(seats: Mapping[str, str], seat: object) -> str:
    return seats.get(str(seat), f"seat {seat}")


def _description(view: View, seats: Mapping[str, str]) -> str:
    told = [
        f"The map has {view['map']['columns']} columns and {view['map']['rows']} rows; {len(view['squares'])} cards lie."
    ]
    for number, seat in view["seats"].items():
        cities = ", ".join(f"{square} (level {view['squares'][square]['city']['level']})" for square in seat["cities"])
        heroes = ", ".join(
            hero["square"] for hero in view["heroes"].values() if str(hero["seat"]) == number and hero["square"]
        )
        told.append(
            f"{_name(seats, number)} ({seat['faction'] or 'no faction yet'}) has {seat['points']} points, "
            f"cities at {cities or 'no square'}, heroes at {heroes or 'no square'}."
        )
    told += [f"{_words(key)} stands at {square}." for key, square in _standing(view)]
    told.append(f"The Oracle lights the {view['wheel']['lit']}; the {view['wheel']['matching']} matches.")
    if view["ending"]:
        told.append(f"The game is over: {_words(view['ending']['reason'])}.")
    return " ".join(told)


def _words(key: str) -> str:
    return key.replace("_", " ").replace("-", " ").capitalize()


def _standing(view: View) -> Iterator[tuple[str, str]]:
    """Modules whose view names a `square`: they have a figure there."""
    for key, told in view["npcs"].items():
        if told.get("square") in view["squares"] or _is_square(told.get("square"), view):
            yield key, told["square"]


def _is_square(name: Any, view: View) -> bool:
    if not isinstance(name, str) or not 2 <= len(name) <= 3 or not name[1:].isdecimal():
        return False
    return bool(0 <= ord(name[0]) - ord("A") < view["map"]["columns"] and 1 <= int(name[1:]) <= view["map"]["rows"])


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

    def marks(self) -> None:
        """What modules have put on squares: by square, or by a number that names one."""
        group = self.picture.group()
        for key, told in self.view["npcs"].items():
            for what, things in told.items():
                if not isinstance(things, Mapping) or not things:
                    continue
                if all(_is_square(name, self.view) for name in things):
                    for name in things:
                        self._mark(group, name, what[0].upper(), f"{_words(key)}: {what}", right=False)
                elif all(_is_square(name, self.view) for name in things.values()):
                    for number, name in things.items():
                        self._mark(group, name, number, f"{_words(what)}: {number}", right=True)

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
            there.setdefault(square, []).append(("#1c1c1c", _words(key.split("_")[-1])[0], _words(key)))
        for square, figures in there.items():
            (x, y), apart = self.corner(square), min(20.0, (self.cell - 22) / max(1, len(figures) - 1))
            for place, (colour, letter, tip) in enumerate(figures):
                self._figure(group, x + 12 + place * apart, y + self.cell - 7, colour, letter, tip)

    def _figure(self, group: Group, x: float, y: float, colour: str, letter: str, tip: str) -> None:
        group.path(f"M{x - 8:.1f} {y:.1f} q8 -26 16 0 z", fill=colour, tip=tip)
        group.circle(x, y - 16, 5.5, fill=colour)
        group.text(x, y - 2.5, letter, 9, anchor="middle", fill="#fff", stroke="none", font_weight="bold")


# -- beside the map ---------------------------------------------------------------------------------------------------


def _panel(picture: Picture, view: View, seats: Mapping[str, str], x: float) -> None:
    group = picture.group(fill=INK)
    group.text(x, 38, _title(view).removeprefix("Battalia, ").capitalize(), 17, font_weight="bold")
    _wheel(picture, view, x + 100, 138)
    y = 258
    for number in map(str, view["order"]):
        _seat(group, view, seats, number, x, y)
        y += 54
    for key, told in view["npcs"].items():
        words = [
            f"{what} {value}" for what, value in told.items() if isinstance(value, int) and not isinstance(value, bool)
        ]
        if words:
            group.text(x, y, shortened(f"{_words(key)}: {', '.join(words)}", 38), 11)
            y += 16


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
    group.text(x + 2, y, shortened(_name(seats, number), 22), 14, fill=colour, font_weight="bold")
    group.text(x + 200, y, str(seat["points"]), 18, anchor="end", font_weight="bold", fill=colour)
    state = (
        "out of the game"
        if seat["out"]
        else f"{len(seat['cities'])} cities · {seat['hand']} in hand · {seat['deck']} in deck"
    )
    group.text(x + 2, y + 18, state, 11)
