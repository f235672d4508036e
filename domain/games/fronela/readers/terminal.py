"""A view of Fronela for a terminal: the map as text, units, points, and the seat's own standing orders."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.svg import counted
from domain.drawing.terminal import coloured
from domain.games.fronela.readers.naming import NAMES, ONE
from domain.games.fronela.scenarios.tables import COLOURS

View = Mapping[str, Any]
INKS = {"black": "magenta", "grey": "white", "azure": "cyan", "brown": "yellow"}
"""Terminal color for each game color. Black on black would be invisible."""
LETTERS = {colour: colour[0].upper() for colour in COLOURS} | {"black": "K", "brown": "R"}
"""A unique letter for each color."""
SIGNS = {"clear": " ", "rough": "^", "mountain": "▲", "elfwood": "♠", "glacier": "*", "city": "■", "sea": "~"}
"""The sign of each terrain."""
WIDE, HIGH = 100, 33
"""Columns and lines of the map."""
CELL = 9
"""Columns of one area."""
KINDS = {"soldier": "s", "lord": "l", "wizard": "w", "farmer": "f", "unit": "", "lord_death": "d"}
"""The letter after the number of units, by kind."""


def text(public: View, private: Any) -> Iterator[str]:
    """The round, map, points, nations by color with their units, and the seat's own standing orders."""
    turn = NAMES.get(public["turn"], "")
    yield f"Round {public['round']} of {public['rounds']}, years {public['years']} ST: {public['title']}." + (
        f" It is the turn of the {turn}." if turn else ""
    )
    yield ""
    yield from _map(public)
    yield ""
    for seat, colour in enumerate(COLOURS, 1):
        yield from _colour(public, colour, public["points"].get(str(seat), 0))
    if public["persons"]:
        yield (
            "; ".join(f"{person['name']}: {NAMES.get(person['area'], 'nowhere')}" for person in public["persons"]) + "."
        )
    if battle := public["battle"]:
        yield f"Battle in {NAMES[battle['area']]}: {NAMES[battle['attacker']]} against {NAMES[battle['defender']]}."
    if private and private["colour"]:
        yield ""
        yield f"You are {private['colour'].capitalize()}."
        yield from _orders(private["orders"])


def legend(public: View) -> Iterator[str]:
    """The signs of the map, and every area with its terrain and borders."""
    yield (
        "Signs: "
        + ", ".join(f"{sign} {terrain}" for terrain, sign in SIGNS.items() if sign.strip())
        + "; clear has none."
    )
    yield "Units: s soldier, l lord, w wizard, f farmer; a number alone: units of another people."
    yield (
        "Colors: "
        + ", ".join(coloured(f"{LETTERS[colour]} {colour}", _ink(colour), "bold") for colour in COLOURS)
        + "."
    )
    yield "Areas and their borders:"
    for area in sorted(public["areas"], key=lambda area: str(area["name"])):
        borders = ", ".join(NAMES[other] for other in area["adjacent"])
        bank = ", on the Janube" if area["bank"] else ""
        yield from _wrapped(f"  {area['name']} ({area['terrain']}{bank}): {borders}", "    ")


_CHOICES = {"defence": "defense", "over": "the fight is over", "outnumbered": "you are outnumbered", "ask": "ask me"}
"""Choices whose keys differ from plain words."""


def word(choice: str) -> str:
    """The name of an area, nation or kind of unit. Groups of units show their kind and origin."""
    if choice in NAMES:
        return NAMES[choice]
    if choice in _CHOICES:
        return _CHOICES[choice]
    if "," in choice:
        return ", ".join(map(word, choice.split(",")))
    return ", ".join(NAMES.get(part, part) for part in choice.split(":")) if ":" in choice else choice.replace("_", " ")


# -- the map --------------------------------------------------------------------------------------------------------


def _map(public: View) -> Iterator[str]:
    """Every area at its position, on two lines: sign and name, then units."""
    nations = {nation["id"]: nation for nation in public["nations"]}
    lines: list[list[str]] = [[" "] * WIDE for _ in range(HIGH + 2)]
    places: dict[tuple[int, int], Any] = {}
    taken: set[tuple[int, int]] = set()
    for area in public["areas"]:
        row = round(area["y"] * (HIGH - 1) / 65)
        column = min(WIDE - CELL, max(0, round(area["x"] * (WIDE - CELL) / 95)))
        places[_free(taken, row, column)] = area
    for (row, column), area in sorted(places.items(), key=lambda placed: placed[0]):
        # A name may extend to the next entry, on this line or in the units of the line before.
        beside = [left for top, left in places if top in (row, row - 1) and left > column]
        room = min(beside, default=WIDE) - column - 1
        _write(lines[row], column, [*(SIGNS[area["terrain"]] + area["name"]).strip()[:room]])
        _write(lines[row + 1], column, _stacks(area["units"], nations))
    drawn = ["".join(line).rstrip() for line in lines]
    used = [number for number, line in enumerate(drawn) if line]
    yield from drawn[used[0] : used[-1] + 1]


def _free(taken: set[tuple[int, int]], row: int, column: int) -> tuple[int, int]:
    """The nearest free place of two lines and one cell."""
    for down, aside in sorted(
        ((down, aside) for down in range(-4, 5) for aside in range(-9, 10)),
        key=lambda way: 3 * abs(way[0]) + abs(way[1]),
    ):
        top, left = row + down, column + aside
        cells = {(top + line, left + place) for line in (0, 1) for place in range(CELL)}
        if 0 <= top <= HIGH and 0 <= left <= WIDE - CELL and not cells & taken:
            taken |= cells
            return top, left
    return row, column


def _stacks(units: Mapping[str, Mapping[str, int]], nations: Mapping[str, Any]) -> list[str]:
    """The units of an area: the color letter and numbers of each nation, one string per column."""
    cells: list[str] = []
    for nation, counts in units.items():
        colour = nations[nation]["colour"]
        letters = LETTERS[colour] + "".join(f"{number}{KINDS.get(kind, '')}" for kind, number in counts.items())
        cells += [coloured(letter, _ink(colour), "bold") for letter in letters] + [" "]
    return cells[: CELL + 2]


def _write(line: list[str], column: int, cells: Sequence[str]) -> None:
    line[column : column + len(cells)] = cells[: len(line) - column]


def _ink(colour: str) -> str:
    return INKS[colour]


# -- text -----------------------------------------------------------------------------------------------------------


def _colour(public: View, colour: str, points: int) -> Iterator[str]:
    """A color's points, and its nations on the map with their units."""
    here = [nation for nation in public["nations"] if nation["colour"] == colour and nation["areas"]]
    stands = "; ".join(f"{nation['name']}: {', '.join(_where(public['areas'], nation['id']))}" for nation in here)
    first, *more = _wrapped(
        f"{LETTERS[colour]} {colour.capitalize()}, {counted(points, 'point')}. {stands or 'No units yet'}.", "    "
    )
    yield coloured(first, _ink(colour), "bold") if not more else coloured(first, _ink(colour))
    for line in more:
        yield coloured(line, _ink(colour))


def _where(areas: Iterable[View], nation: str) -> Iterator[str]:
    for area in areas:
        if counts := area["units"].get(nation):
            yield f"{area['name']} {' '.join(f'{number}{KINDS.get(kind, kind)}' for kind, number in counts.items())}"


def _orders(orders: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The standing orders that have been given. Nations without any are omitted."""
    given = {nation: _given(rows) for nation, rows in orders.items()}
    if not any(given.values()):
        yield "You have no standing orders, so you decide everything yourself."
    for nation, rows in given.items():
        if rows:
            the = "" if nation in ONE else "the "
            yield from _wrapped(f"Standing orders of {the}{NAMES[nation]}: {'; '.join(rows)}.", "    ")


def _given(rows: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in rows.items():
        if value and value not in ("ask", "usual", "grow"):  # defaults
            said = ", ".join(map(word, value)) if isinstance(value, list) else word(str(value))
            words.append(f"{name.replace('_', ' ')} {said}")
    return words


def _wrapped(line: str, margin: str) -> list[str]:
    return textwrap.wrap(line, WIDE, subsequent_indent=margin) or [""]
