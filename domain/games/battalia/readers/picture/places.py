"""Coordinates on the map of Battalia, and the squares named in modules' views."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.drawing.svg import WIDTH
from domain.games.battalia.readers.picture.tones import words

View = Mapping[str, Any]
Point = tuple[float, float]
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
LEFT, RIGHT = 34, 12


@dataclass(frozen=True, slots=True)
class Places:
    """The grid of a map. ``top`` is the height of its first row."""

    view: View
    top: float

    @property
    def cell(self) -> float:
        """The side length of a square."""
        return (WIDTH - LEFT - RIGHT) / float(self.view["map"]["columns"])

    @property
    def bottom(self) -> float:
        return self.top + self.cell * float(self.view["map"]["rows"])

    def names(self) -> Iterator[str]:
        """Every square, row by row."""
        for row in range(1, self.view["map"]["rows"] + 1):
            for column in range(self.view["map"]["columns"]):
                yield f"{chr(ord('A') + column)}{row}"

    def corner(self, name: str) -> Point:
        return LEFT + (ord(name[0]) - ord("A")) * self.cell, self.top + (int(name[1:]) - 1) * self.cell

    def middle(self, name: str) -> Point:
        x, y = self.corner(name)
        return x + self.cell / 2, y + self.cell / 2


def is_square(name: Any, view: View) -> bool:
    """Whether it is the name of a square of the map."""
    if not isinstance(name, str) or not 2 <= len(name) <= 3 or not name[1:].isdecimal() or not name.isascii():
        return False
    return bool(0 <= ord(name[0]) - ord("A") < view["map"]["columns"] and 1 <= int(name[1:]) <= view["map"]["rows"])


def figures(view: View) -> Iterator[tuple[str, str]]:
    """Figures of modules, for modules whose view has a ``square``: key and square."""
    for key, npc in view["npcs"].items():
        if is_square(npc.get("square"), view):
            yield key, npc["square"]


def reaches(view: View) -> Iterator[tuple[str, str, Collection[str]]]:
    """Everything with a ``range`` of squares, a module's figure or building: label, owner, squares."""
    for key, npc in view["npcs"].items():
        if npc.get("range"):
            yield words(key), "", npc["range"]
        for what, things in npc.items():
            if not isinstance(things, Mapping):
                continue
            for name, thing in things.items():
                if isinstance(thing, Mapping) and thing.get("range"):
                    yield f"{words(what)} of {name}", str(thing.get("owner", "")), thing["range"]


@dataclass(frozen=True, slots=True)
class PictureMark:
    """A module's mark on a square, keyed by square or by number (a gate)."""

    square: str
    letter: str
    tip: str
    what: str
    numbered: bool


def marks(view: View) -> Iterator[PictureMark]:
    """The marks of modules on squares."""
    for key, npc in view["npcs"].items():
        for what, things in npc.items():
            if not isinstance(things, Mapping) or not things:
                continue
            if all(is_square(name, view) for name in things):
                yield from (PictureMark(name, what[0].upper(), f"{words(key)}: {what}", what, False) for name in things)
            elif all(is_square(name, view) for name in things.values()):
                yield from (PictureMark(name, no, f"{words(what)}: {no}", what, True) for no, name in things.items())


_WAYS = (("origin", "to"), ("origin", "square"))
_BOARD = frozenset(("square", "to", "origin"))


def moved(view: View, lines: Sequence[Mapping[str, Any]]) -> tuple[set[str], list[tuple[str, str]]]:
    """Squares and ways touched by the last moves.

    These are the moves of the newest turn with events on the board, and everything after it.
    """
    squares: set[str] = set()
    ways: list[tuple[str, str]] = []
    for line in reversed(lines):
        if line["type"] == "turn_began" and squares:
            break
        squares |= {line[name] for name in _BOARD if is_square(line.get(name), view)}
        path = [name for name in line.get("path") or () if is_square(name, view)]
        if is_square(line.get("origin"), view) and path:
            ways += zip([line["origin"], *path], path, strict=False)
            squares.add(path[-1])
        else:
            ways += [
                (line[start], line[end])
                for start, end in _WAYS
                if is_square(line.get(start), view) and is_square(line.get(end), view)
            ]
    return squares, [(start, end) for start, end in dict.fromkeys(reversed(ways)) if start != end]
