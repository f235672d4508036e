"""The picture of any view: who plays and what each has, grids as grids, rows of numbers as dots, all else as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.svg import Group, Picture, shortened
from domain.drawing.terminal import INTERNAL, inline

WIDTH, MARGIN, ROW, CELL = 800, 28, 30, 44
LABEL = 170
"""How far from the margin the values stand, beside what they are called."""
MOST_DOTS, MOST_CELLS, MOST_LINES = 24, 14, 60
INK, PALE, PAPER, LINE = "#33291c", "#7d705b", "#fffaf0", "#d8cdb6"
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#b8860b", "#7d3c98", "#d35400", "#16a085", "#2c3e50")
"""By seat, the first one's first."""

View = Mapping[str, Any]


def board(title: str, view: View, seats: Mapping[str, str]) -> str:
    """The public part of a view, 800 pixels wide; ``seats`` names who sits in each seat.

    Where a view has a field ``turn`` that is ``{"seat": n}``, the seat on turn is marked.
    """
    group = Group.apart(fill=INK)
    height = _Sheet(view, seats).draw(group, title)
    picture = Picture(WIDTH, round(height), title, " ".join(_description(view, seats)))
    picture.add(group)
    return picture.document()


def _description(view: View, seats: Mapping[str, str]) -> Iterator[str]:
    """The picture for those who hear it."""
    yield f"Players: {', '.join(seats.values())}."
    for name, value in _fields(view):
        yield f"{_words(name)}: {inline(value)}."
    yield from _ending(view, seats)


def _fields(view: View) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in view.items() if name not in INTERNAL)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _ending(view: View, seats: Mapping[str, str]) -> Iterator[str]:
    outcome = view.get("table", {}).get("outcome")
    if outcome is not None:
        winners = ", ".join(seats.get(str(seat), f"seat {seat}") for seat in outcome["winners"])
        yield f"The game is over: {outcome['reason']}; won by {winners or 'nobody'}."


class _Sheet:
    """The view from top to bottom; ``y`` is where the next thing is drawn."""

    def __init__(self, view: View, seats: Mapping[str, str]) -> None:
        self.view, self.seats = view, seats
        self.y = 46.0
        self.columns = dict(_by_seat(view, seats))
        turn = view.get("turn")
        self.turn = str(turn["seat"]) if isinstance(turn, Mapping) and set(turn) == {"seat"} else None
        shown = {*self.columns, *(["turn"] if self.turn else [])}
        if view.get("table", {}).get("outcome") is not None:
            self.turn = None
        self.others = [(name, value) for name, value in _fields(view) if name not in shown]

    def draw(self, group: Group, title: str) -> float:
        """Draw all of it; the height that it takes."""
        group.text(MARGIN, self.y, title, 22, font_weight="bold")
        self.y += 34
        for words in _ending(self.view, self.seats):
            group.text(MARGIN, self.y - 6, words, 14, font_weight="bold")
            self.y += 22
        self._players(group)
        for name, value in self.others:
            self._field(group, name, value)
        return self.y + MARGIN - 16

    # -- who plays ----------------------------------------------------------------------------------------------------

    def _players(self, group: Group) -> None:
        """A row for each seat, with a column for everything that the view says of every seat."""
        cells = {number: list(_of_seat(self.columns, number)) for number in self.seats}
        heads = list(dict.fromkeys(head for row in cells.values() for head, _ in row))[:6]
        left = MARGIN + 230
        step = (WIDTH - MARGIN - left) / max(1, len(heads))
        if heads:
            for place, head in enumerate(heads):
                group.text(left + place * step, self.y, shortened(head, int(step / 7)), 12, fill=PALE)
            self.y += 8
        for place, (number, name) in enumerate(self.seats.items()):
            colour, edge = COLOURS[place % len(COLOURS)], LINE
            if number == self.turn:
                edge = colour
            width = 3 if number == self.turn else 1
            group.rectangle(
                MARGIN, self.y, WIDTH - 2 * MARGIN, ROW - 4, rx=6, fill=PAPER, stroke=edge, stroke_width=width
            )
            group.circle(MARGIN + 16, self.y + 13, 7, fill=colour)
            group.text(MARGIN + 32, self.y + 18, shortened(name, 24), 14, font_weight="bold")
            row = dict(cells[number])
            for column, head in enumerate(heads):
                words = shortened(row.get(head, ""), int(step / 7.5))
                group.text(left + column * step, self.y + 18, words, 14)
            self.y += ROW
        self.y += 22

    # -- everything else ----------------------------------------------------------------------------------------------

    def _field(self, group: Group, name: str, value: Any) -> None:
        group.text(MARGIN, self.y, shortened(_words(name), 22), 14, fill=PALE)
        if _is_grid(value):
            self._grid(group, value)
        elif _are_counts(value):
            self._dots(group, value)
        else:
            self._lines(group, value)
        self.y += 8

    def _grid(self, group: Group, rows: Sequence[Sequence[Any]]) -> None:
        size = min(CELL, (WIDTH - 2 * MARGIN - LABEL) / len(rows[0]))
        self.y -= 15
        for row in rows:
            for place, cell in enumerate(row):
                x = MARGIN + LABEL + place * size
                group.rectangle(x, self.y, size, size, fill=PAPER, stroke=LINE)
                words = shortened(inline(cell) if cell not in (None, "") else "", max(2, int(size / 7)))
                group.text(x + size / 2, self.y + size / 2 + 5, words, 15, anchor="middle", font_weight="bold")
            self.y += size
        self.y += 20

    def _dots(self, group: Group, counts: Sequence[int]) -> None:
        """Each number with so many dots beside it."""
        for place, number in enumerate(counts, 1):
            x = MARGIN + LABEL
            group.text(x, self.y, f"{place}.", 12, fill=PALE)
            group.text(x + 44, self.y, str(number), 15, anchor="end", font_weight="bold")
            for dot in range(number):
                group.circle(x + 66 + dot * 21, self.y - 5, 8, fill=COLOURS[0])
            self.y += 24

    def _lines(self, group: Group, value: Any) -> None:
        lines = list(_lines(value))
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [(0, "…")]
        for depth, words in lines:
            group.text(MARGIN + LABEL + 18 * depth, self.y, words, 14)
            self.y += 20


def _by_seat(view: View, seats: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The fields that say something of seats alone, by their numbers."""
    for name, value in _fields(view):
        if isinstance(value, Mapping) and value and all(str(key) in seats for key in value):
            yield name, {str(key): each for key, each in value.items()}


def _of_seat(columns: Mapping[str, Mapping[str, Any]], number: str) -> Iterator[tuple[str, str]]:
    """What the view holds of a seat: a field as it is, an object field by field."""
    for name, values in columns.items():
        value = values.get(number)
        if isinstance(value, Mapping):
            yield from ((_words(part), inline(each)) for part, each in value.items())
        elif value is not None:
            yield _words(name), inline(value)


def _is_grid(value: Any) -> bool:
    """Rows of equal length, of things that fit into a cell."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(row, list | str) for row in value):
        return False
    widths = {len(row) for row in value}
    small = all(not isinstance(cell, Mapping | list) and len(str(cell)) <= 4 for row in value for cell in row)
    return len(widths) == 1 and 2 <= widths.pop() <= MOST_CELLS and small


def _are_counts(value: Any) -> bool:
    """Whole numbers that can be shown as dots."""
    return isinstance(value, list) and bool(value) and all(type(n) is int and 0 <= n <= MOST_DOTS for n in value)


def _lines(value: Any, depth: int = 0) -> Iterator[tuple[int, str]]:
    """Any JSON as lines that fit beside what it is called, each with how far it is indented."""
    if isinstance(value, Mapping) and value:
        for name, each in value.items():
            deep = isinstance(each, Mapping | list) and len(inline(each)) > 60
            yield from _wrapped(f"{name}:" if deep else f"{name}: {inline(each)}", depth)
            if deep:
                yield from _lines(each, depth + 1)
    elif isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
        for each in value:
            yield from _wrapped(inline(each), depth)
    else:
        yield from _wrapped(inline(value), depth)


def _wrapped(words: str, depth: int) -> Iterator[tuple[int, str]]:
    first, *rest = textwrap.wrap(words, 74 - 2 * depth) or ["-"]
    yield depth, first
    yield from ((depth + 1, words) for words in rest)
