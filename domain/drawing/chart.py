"""Line charts of points over time: one chart for the players, and one for each player whose points have parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.drawing.lettering import isolated, width
from domain.drawing.palette import INK, LINE, PAGE, PALE, SEATS
from domain.drawing.parts import EDGE, Flow
from domain.drawing.svg import WIDTH, Number, Picture, SvgGroup, counted

LEFT, RIGHT, TALL = 62, WIDTH - 74, 230
DASHES = (None, "9 4", "3 4", "12 4 3 4")
"""Dash patterns, so that lines differ without color; used in turn."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: name, color, and points by time."""

    name: str
    colour: str
    points: Mapping[int, int]

    @property
    def last(self) -> int:
        """The points at the latest time."""
        return self.points[max(self.points)]


@dataclass(frozen=True, slots=True)
class ScoreSample:
    """The points at one time: of each seat (by its number as text), and of parts that have their own points."""

    time: int
    seats: Mapping[str, int]
    colours: Mapping[str, str] = field(default_factory=dict)
    """Color by seat; missing ones are taken from the palette."""
    parts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Points by seat and name of the part."""

    def colour(self, number: str) -> str:
        return self.colours.get(number) or SEATS[list(self.seats).index(number) % len(SEATS)]


@dataclass(frozen=True, slots=True)
class Course:
    """How to read a game's points from its public views, and the name of its unit of time."""

    unit: str
    sample: Callable[[Mapping[str, Any]], ScoreSample]
    every_commit: bool = False
    """Whether a sample is taken after every commit; otherwise only after commits of SYSTEM, which turns days and
    rounds.
    """


def points(course: Course, samples: Sequence[ScoreSample], seats: Mapping[str, str]) -> str:
    """An SVG chart of samples in order (at least one); ``seats`` has the name of each seat's player."""
    last, unit = samples[-1], course.unit
    players = [
        Series(seats.get(number, f"seat {number}"), last.colour(number), {s.time: s.seats[number] for s in samples})
        for number in last.seats
    ]
    panels = [(f"Points by {unit}", players)]
    panels += [(series.name, _parts(samples, number)) for number, series in zip(last.seats, players, strict=True)]
    picture = Picture(f"Points by {unit}", _description(players, last.time, unit), PAGE)
    y = 10.0
    for title, lines in panels:
        if lines:
            y = panel(picture.group(fill=INK), y, title, lines, unit)
    return picture.document(y)


def ticks(least: int, most: int, at_most: int) -> range:
    """Round steps (1, 2 or 5 times a power of ten) from at or below ``least`` to at or above ``most``."""
    step = next(size for power in range(12) for size in (10**power, 2 * 10**power, 5 * 10**power)
                if -(-most // size) - least // size <= at_most)  # fmt: skip
    first = least // step * step
    return range(first, max(first + step, -(-most // step) * step) + 1, step)


def _parts(samples: Sequence[ScoreSample], seat: str) -> list[Series]:
    names = [name for number, name in samples[-1].parts if number == seat]
    return [
        Series(name, SEATS[place % len(SEATS)], {s.time: s.parts[seat, name] for s in samples})
        for place, name in enumerate(names)
    ]


def _description(players: Sequence[Series], time: int, unit: str) -> str:
    standings = [f"{series.name} has {counted(series.last, 'point')}" for series in players]
    return f"After {unit} {time}: " + "; ".join(standings) + "."


def panel(
    group: SvgGroup,
    y: float,
    title: str,
    lines: Sequence[Series],
    unit: str,
    marks: Sequence[tuple[int, int, str]] = (),
) -> float:
    """Draw lines under a title, from ``y`` down, and return the bottom edge. ``marks`` are rings: time, points, color."""
    group.text(EDGE, y + 24, title, 20, font_weight="bold", fit=WIDTH - 2 * EDGE)
    top = _names(group, y + 38, lines) + 14
    times = [time for series in lines for time in series.points]
    values = [value for series in lines for value in series.points.values()]
    across, up = ticks(min(times), max(times), 12), ticks(min(0, *values), max(5, *values), 6)

    def at(time: int, value: int) -> tuple[float, float]:
        right, high = (time - across[0]) / (across[-1] - across[0]), (value - up[0]) / (up[-1] - up[0])
        return LEFT + (RIGHT - LEFT) * right, top + TALL * (1 - high)

    _grid(group, at, across, up, unit)
    for place, series in enumerate(lines):
        course = [at(time, value) for time, value in sorted(series.points.items())]
        look = {"stroke": series.colour, "stroke_width": 3, "stroke_dasharray": DASHES[place % len(DASHES)]}
        group.polyline(course, stroke_linejoin="round", **look)
        group.circle(*course[-1], 4.5, fill=series.colour)
    for time, value, colour in marks:
        group.circle(*at(time, value), 6.5, fill="none", stroke=colour, stroke_width=2.5)
    _ends(group, at, lines, top)
    return top + TALL + 48


def _names(group: SvgGroup, y: float, lines: Sequence[Series]) -> float:
    """The key of the chart, with each line's last points. Returns its bottom edge."""
    flow = Flow(y, 26, gap=20)
    for place, series in enumerate(lines):
        words = f"{isolated(series.name)}: {series.last}"
        wide = min(40 + width(words, 16), WIDTH - 2 * EDGE)
        left, top = flow.place(wide)
        dashes = DASHES[place % len(DASHES)]
        group.line(left, top + 9, left + 32, top + 9, stroke=series.colour, stroke_width=4, stroke_dasharray=dashes)
        group.text(left + 40, top + 15, words, 16, fill=series.colour, font_weight="bold", fit=wide - 40)
    return flow.bottom


def _ends(
    group: SvgGroup, at: Callable[[int, int], tuple[Number, Number]], lines: Sequence[Series], top: float
) -> None:
    """Draw the last points of each line next to the grid, without overlaps. Equal values are shown once."""
    ends: dict[int, str] = {}
    for series in lines:
        ends.setdefault(series.last, series.colour)
    step = min(18.0, TALL / max(1, len(ends)))
    wanted = [(float(at(0, value)[1]), value) for value in sorted(ends, reverse=True)]
    heights: list[float] = []
    for place, (y, _) in enumerate(wanted):
        lowest = top + TALL - (len(wanted) - 1 - place) * step
        above = heights[-1] + step if heights else top
        heights.append(min(max(y, above), lowest))
    for (_, value), y in zip(wanted, heights, strict=True):
        group.text(RIGHT + 10, y + 6, str(value), min(16, step), fill=ends[value], font_weight="bold")


def _grid(group: SvgGroup, at: Callable[[int, int], tuple[float, float]], across: range, up: range, unit: str) -> None:
    for value in up:
        (x1, y), (x2, _) = at(across[0], value), at(across[-1], value)
        group.line(x1, y, x2, y, stroke=LINE)
        group.text(x1 - 8, y + 5, str(value), 15, anchor="end", fill=PALE)
    for time in across:
        (x, y), (_, y2) = at(time, up[0]), at(time, up[-1])
        group.line(x, y, x, y2, stroke=LINE)
        group.text(x, y + 20, str(time), 15, anchor="middle", fill=PALE)
    group.text(LEFT, at(across[0], up[0])[1] + 40, unit, 15, fill=PALE)
