"""Line chart of the chances of winning, in percent, by commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain.drawing.chart import Series, panel
from domain.drawing.palette import INK, PAGE, SEATS
from domain.drawing.svg import Picture

TITLE = "Chance of winning, in percent"


def odds(
    course: Sequence[tuple[int, Sequence[float]]], seats: Mapping[int, str], turns: Sequence[tuple[int, int]] = ()
) -> str:
    """An SVG chart of each seat's chances after commits in order (at least one); ``seats`` has the players' names.

    ``turns`` are the turning points, each with its commit and the seat whose line gets a ring there.
    """
    lines = [
        Series(seats[seat], SEATS[place % len(SEATS)], {seq: round(100 * each[seat - 1]) for seq, each in course})
        for place, seat in enumerate(sorted(seats))
    ]
    by_seat = dict(zip(sorted(seats), lines, strict=True))
    marks = [(seq, by_seat[seat].points[seq], by_seat[seat].colour) for seq, seat in turns if seat in by_seat]
    told = "; ".join(f"{line.name} has {line.last} percent" for line in lines)
    picture = Picture(TITLE, f"After commit {course[-1][0]}: {told}.", PAGE)
    return picture.document(panel(picture.group(fill=INK), 10.0, TITLE, lines, "commit", marks))
