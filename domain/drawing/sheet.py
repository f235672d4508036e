"""The default board for any view: players and their fields, grids, rows of numbers as dots, all else as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.lettering import isolated, width, wrapped
from domain.drawing.palette import INK, LINE, MOVED, PAGE, PALE, PAPER, SEATS, TURN
from domain.drawing.parts import EDGE, ROOM, ending, heading, name_of
from domain.drawing.svg import WIDTH, Picture, SvgGroup
from domain.drawing.terminal import INTERNAL, inline

ROW, CELL = 40, 52
LABEL = 190
"""Distance of values from the left edge, after their labels."""
MOST_DOTS, MOST_CELLS, MOST_LINES, MOST_NEWS = 24, 14, 60, 3

View = Mapping[str, Any]
NO_WORDS: Mapping[str, str] = {}


def board(
    title: str,
    view: View,
    seats: Mapping[str, str],
    lines: Sequence[Mapping[str, Any]] = (),
    ends: Mapping[str, str] = NO_WORDS,
) -> str:
    """The public view as a picture; ``seats`` has the players' names, ``lines`` are the last lines of history.

    If the view has a field ``turn`` of the form ``{"seat": n}``, that seat is marked.
    """
    group = SvgGroup.apart()
    over = ending(view, seats, ends)
    height = _Sheet(view, seats, lines, over).draw(group, title)
    picture = Picture(title, " ".join(_description(view, seats, over)), PAGE)
    picture.add(group)
    return picture.document(height)


def _description(view: View, seats: Mapping[str, str], over: Sequence[str]) -> Iterator[str]:
    yield f"Players: {', '.join(seats.values())}."
    for name, value in _fields(view):
        yield f"{_words(name)}: {inline(value)}."
    yield from over


def _fields(view: View) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in view.items() if name not in INTERNAL)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


class _Sheet:
    """The view from top to bottom; ``y`` is the position of the next element."""

    def __init__(
        self, view: View, seats: Mapping[str, str], lines: Sequence[Mapping[str, Any]], over: Sequence[str]
    ) -> None:
        self.view, self.seats = view, seats
        self.news = [str(line["text"]) for line in lines if line.get("text")][-MOST_NEWS:]
        self.y = 46.0
        self.columns = dict(_by_seat(view, seats))
        turn = view.get("turn")
        self.turn = str(turn["seat"]) if isinstance(turn, Mapping) and set(turn) == {"seat"} else None
        shown = {*self.columns, *(["turn"] if self.turn else [])}
        self.over = over
        if self.over:
            self.turn = None
        self.others = [(name, value) for name, value in _fields(view) if name not in shown]

    def draw(self, group: SvgGroup, title: str) -> float:
        turn = f"{isolated(name_of(self.seats, self.turn))} to move" if self.turn else ""
        self.y = heading(group, self.view, title, "", turn, self.over) + 4
        self._players(group)
        self._news(group)
        for name, value in self.others:
            self._field(group, name, value)
        return self.y + 8

    # -- players and history ------------------------------------------------------------------------------------------

    def _players(self, group: SvgGroup) -> None:
        """Draw a row for each seat, with a column for each field that the view has for every seat (6 at most)."""
        cells = {number: list(_of_seat(self.columns, number)) for number in self.seats}
        heads = list(dict.fromkeys(head for row in cells.values() for head, _ in row))[:6]
        left = EDGE + (300 if heads else ROOM - 16)
        step = (WIDTH - EDGE - left) / max(1, len(heads))
        if heads:
            for place, head in enumerate(heads):
                group.text(left + place * step, self.y + 12, head, 15, fill=PALE, fit=step - 8)
            self.y += 20
        for place, (number, name) in enumerate(self.seats.items()):
            colour = SEATS[place % len(SEATS)]
            edge, wide = (TURN, 4) if number == self.turn else (LINE, 1)
            row = group.group(ref=number, kind="seat")
            row.rectangle(EDGE, self.y, ROOM, ROW - 6, rx=8, fill=PAPER, stroke=edge, stroke_width=wide)
            row.circle(EDGE + 18, self.y + 17, 8, fill=colour)
            row.text(EDGE + 36, self.y + 23, name, 18, font_weight="bold", fill=INK, fit=left - EDGE - 44)
            shown = dict(cells[number])
            for column, head in enumerate(heads):
                row.text(left + column * step, self.y + 23, shown.get(head, ""), 17, fill=INK, fit=step - 8)
            self.y += ROW
        self.y += 12

    def _news(self, group: SvgGroup) -> None:
        """Draw the last lines of history, the newest at the bottom."""
        for words in self.news:
            tall = group.lines(EDGE + 18, self.y + 14, words, 16, ROOM - 18, fill=INK)
            group.rectangle(EDGE, self.y, 5, tall - 4, rx=2, fill=MOVED)
            self.y += tall + 4
        self.y += 16

    # -- everything else ----------------------------------------------------------------------------------------------

    def _field(self, group: SvgGroup, name: str, value: Any) -> None:
        label = group.lines(EDGE, self.y, _words(name), 16, LABEL - 16, fill=PALE)
        start, y = self.y, self.y
        if _is_grid(value):
            self._grid(group, value)
        elif _are_counts(value):
            self._dots(group, name, value)
        else:
            self._lines(group, value)
        self.y = max(self.y, start + label) + 10
        assert self.y > y

    def _grid(self, group: SvgGroup, rows: Sequence[Sequence[Any]]) -> None:
        size = min(CELL, (WIDTH - 2 * EDGE - LABEL) / len(rows[0]))
        self.y -= 16
        for row in rows:
            for place, cell in enumerate(row):
                x = EDGE + LABEL + place * size
                group.rectangle(x, self.y, size, size, fill=PAPER, stroke=LINE)
                words = inline(cell) if cell not in (None, "") else ""
                most = min(20.0, 20 * (size - 6) / max(1.0, width(words, 20)))
                look: dict[str, Any] = {"anchor": "middle", "font_weight": "bold", "fill": INK}
                group.text(x + size / 2, self.y + size / 2 + 6, words, most, **look)
            self.y += size
        self.y += 22

    def _dots(self, group: SvgGroup, name: str, counts: Sequence[int]) -> None:
        """Draw each number as that many dots; each row of the field ``heaps`` can be selected as a ``heap``."""
        for place, number in enumerate(counts, 1):
            row, x = group.group(ref=place, kind=name.removesuffix("s")), EDGE + LABEL
            row.rectangle(x - 8, self.y - 20, WIDTH - EDGE - x + 8, 28, fill=PAGE)
            row.text(x, self.y, f"{place}.", 15, fill=PALE)
            row.text(x + 62, self.y, str(number), 18, anchor="end", font_weight="bold", fill=INK)
            for dot in range(number):
                row.circle(x + 84 + dot * 20.5, self.y - 6, 8.5, fill=SEATS[0])
            self.y += 30

    def _lines(self, group: SvgGroup, value: Any) -> None:
        lines = list(_lines(value))
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [(0, "…")]
        for depth, words in lines:
            left = EDGE + LABEL + 18 * depth
            group.text(left, self.y, words, 16, fill=INK, fit=WIDTH - EDGE - left)
            self.y += 23


def _by_seat(view: View, seats: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The fields whose keys are all seat numbers."""
    for name, value in _fields(view):
        if isinstance(value, Mapping) and value and all(str(key) in seats for key in value):
            yield name, {str(key): each for key, each in value.items()}


def _of_seat(columns: Mapping[str, Mapping[str, Any]], number: str) -> Iterator[tuple[str, str]]:
    """Label and value of each of a seat's fields; an object becomes one pair for each of its fields."""
    for name, values in columns.items():
        value = values.get(number)
        if isinstance(value, Mapping):
            yield from ((_words(part), inline(each)) for part, each in value.items())
        elif value is not None:
            yield _words(name), inline(value)


def _is_grid(value: Any) -> bool:
    """Rows of equal length whose cells have at most 4 characters."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(row, list | str) for row in value):
        return False
    widths = {len(row) for row in value}
    small = all(not isinstance(cell, Mapping | list) and len(str(cell)) <= 4 for row in value for cell in row)
    return len(widths) == 1 and 2 <= widths.pop() <= MOST_CELLS and small


def _are_counts(value: Any) -> bool:
    """Integers that can be shown as dots."""
    return isinstance(value, list) and bool(value) and all(type(n) is int and 0 <= n <= MOST_DOTS for n in value)


def _lines(value: Any, depth: int = 0) -> Iterator[tuple[int, str]]:
    """Any JSON as lines that fit the width, each with its indentation level."""
    if isinstance(value, Mapping) and value:
        for name, each in value.items():
            deep = isinstance(each, Mapping | list) and len(inline(each)) > 60
            yield from _broken(f"{name}:" if deep else f"{name}: {inline(each)}", depth)
            if deep:
                yield from _lines(each, depth + 1)
    elif isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
        for each in value:
            yield from _broken(inline(each), depth)
    else:
        yield from _broken(inline(value), depth)


def _broken(words: str, depth: int) -> Iterator[tuple[int, str]]:
    first, *rest = wrapped(words, 16, ROOM - LABEL - 18 * (depth + 1)) or ["-"]
    yield depth, first
    yield from ((depth + 1, words) for words in rest)
