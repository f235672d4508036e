"""Patterns that distinguish kinds of ground without color, such as waves and trees; faint, so that text stays readable."""

from __future__ import annotations

from dataclasses import dataclass

from domain.drawing.svg import Picture, SvgGroup, Tone

SIZE = 24


@dataclass(frozen=True, slots=True)
class PatternGround:
    """A kind of ground: its color, and the pattern over it (a key of `COURSES`)."""

    fill: Tone
    pattern: str
    mark: Tone


COURSES = {
    "waves": "M0 7q6 -6 12 0t12 0M0 19q6 -6 12 0t12 0",
    "trees": "M6 3l4 7h-8zM6 10v3M18 14l4 7h-8zM18 21v3",
    "dots": "M4 5h2M16 3h2M10 12h2M21 14h2M4 19h2M15 21h2",
    "peaks": "M2 11l5 -7 5 7M13 22l5 -7 5 7",
    "snow": "M6 2v8M2.5 4l7 4M9.5 4l-7 4M18 14v8M14.500 16l7 4M21.500 16l-7 4",
    "grass": "M4 9l2 -5M6 9v-6M8 9l-2 -5M16 21l2 -5M18 21v-6M20 21l-2 -5",
    "hatch": "M0 24l24 -24M-3 3l6 -6M21 27l6 -6",
    "bricks": "M0 0h24M0 12h24M6 0v12M18 12v12",
    "blank": "",
}


def define(picture: Picture, grounds: dict[str, PatternGround]) -> None:
    """Add the patterns of these kinds of ground to a picture, each under the name of its ground."""
    for name, ground in grounds.items():
        if COURSES[ground.pattern]:
            group = picture.pattern(f"ground-{name}", SIZE)
            group.path(
                COURSES[ground.pattern], fill="none", stroke=ground.mark, stroke_width=1.4, stroke_linecap="round"
            )


def laid(name: str, ground: PatternGround) -> str:
    """The fill for the shape that is drawn over the ground's color."""
    return f"url(#ground-{name})" if COURSES[ground.pattern] else "none"


def swatch(group: SvgGroup, x: float, y: float, name: str, ground: PatternGround) -> None:
    """A small sample of a ground, for legends."""
    for fill in (ground.fill, laid(name, ground)):
        group.rectangle(x, y, 28, 20, rx=3, fill=fill, stroke=ground.mark)
