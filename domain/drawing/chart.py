"""Points over the course of a game, as line charts: one for the players, and one for each player's parts where there are any."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.drawing.svg import Group, Number, Picture, counted, shortened

INK, GRID = "#33291c", "#ddd2bb"
WIDTH = 800
PALETTE = ("#1b6ca8", "#c0392b", "#2e8b57", "#b8860b", "#7d3c98", "#d35400", "#16a085", "#2c3e50")


@dataclass(frozen=True, slots=True)
class Series:
    """One line: what it is called, its colour, and points by time."""

    name: str
    colour: str
    points: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Sample:
    """How a game stood at a time: points of each seat (by its number as text), and of parts that have points of their own."""

    time: int
    seats: Mapping[str, int]
    colours: Mapping[str, str] = field(default_factory=dict)
    """Of each seat; those that are missing are taken from the palette."""
    parts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By seat and name of the part."""

    def colour(self, number: str) -> str:
        """The colour of a seat's line."""
        return self.colours.get(number) or PALETTE[list(self.seats).index(number) % len(PALETTE)]


@dataclass(frozen=True, slots=True)
class Course:
    """How a game's points are read from the public part of its views, and what its time is called."""

    unit: str
    sample: Callable[[Mapping[str, Any]], Sample]
    every_commit: bool = False
    """Whether a sample is taken after every commit; otherwise after those of SYSTEM, which turns days and rounds."""


def points(course: Course, samples: Sequence[Sample], seats: Mapping[str, str]) -> str:
    """An SVG of samples in order (at least one), 800 pixels wide; ``seats`` names who sits where."""
    last, unit = samples[-1], course.unit
    players = [
        Series(seats.get(number, f"seat {number}"), last.colour(number), {s.time: s.seats[number] for s in samples})
        for number in last.seats
    ]
    panels = [(f"Points by {unit}", players)]
    panels += [(series.name, _parts(samples, number)) for number, series in zip(last.seats, players, strict=True)]
    shown = [(title, lines) for title, lines in panels if lines]
    height = 40 + 260 * len(shown)
    picture = Picture(WIDTH, height, f"Points by {unit}", _description(players, last.time, unit))
    for place, (title, lines) in enumerate(shown):
        _panel(picture, 24 + 260 * place, title, lines, unit)
    return picture.document()


def _parts(samples: Sequence[Sample], seat: str) -> list[Series]:
    names = [name for number, name in samples[-1].parts if number == seat]
    return [
        Series(name, PALETTE[place % len(PALETTE)], {s.time: s.parts[seat, name] for s in samples})
        for place, name in enumerate(names)
    ]


def _description(players: Sequence[Series], time: int, unit: str) -> str:
    standings = [f"{series.name} has {counted(series.points[max(series.points)], 'point')}" for series in players]
    return f"After {unit} {time}: " + "; ".join(standings) + "."


def _panel(picture: Picture, top: Number, title: str, lines: Sequence[Series], unit: str) -> None:
    left, right, height = 50, WIDTH - 190, 190
    times = [time for series in lines for time in series.points]
    first, final = min(times), max(*times, min(times) + 1)
    most = max(5, *(value for series in lines for value in series.points.values()))
    group = picture.group(fill=INK)
    group.text(left, top + 8, title, 15, font_weight="bold")

    def at(time: int, value: int) -> tuple[float, float]:
        return left + (right - left) * (time - first) / (final - first), top + 20 + height * (1 - value / most)

    _grid(group, at, (first, final, most), unit)
    ends: list[tuple[float, Series]] = []
    for series in lines:
        course = [at(time, value) for time, value in sorted(series.points.items())]
        group.polyline(course, stroke=series.colour, stroke_width=2.5, stroke_linejoin="round")
        ends.append((course[-1][1], series))
    free = top + 20.0
    for y, series in sorted(ends, key=lambda end: end[0]):
        free = max(y, free)
        label = f"{series.points[max(series.points)]} {shortened(series.name, 22)}"
        group.text(right + 8, free + 4, label, 11.5, fill=series.colour, font_weight="bold")
        free += 14


def _grid(group: Group, at: Callable[[int, int], tuple[float, float]], ends: tuple[int, int, int], unit: str) -> None:
    first, final, most = ends
    for value in range(0, most + 1, max(1, -(-most // 5))):
        (x1, y), (x2, _) = at(first, value), at(final, value)
        group.line(x1, y, x2, y, stroke=GRID)
        group.text(x1 - 6, y + 4, str(value), 11, anchor="end")
    for time in range(first, final + 1, max(1, -(-(final - first) // 12))):
        x, y = at(time, 0)
        group.text(x, y + 16, f"{unit} {time}" if time == first else str(time), 11, anchor="middle")
