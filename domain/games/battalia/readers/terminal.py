"""A view of Battalia for a terminal: the map as text, the players, the piles, and the seat's own hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from domain.drawing.svg import counted
from domain.drawing.terminal import coloured, inline
from domain.games.battalia.readers.picture import panel
from domain.games.battalia.readers.picture.hints import HINTS, PARAMETERS
from domain.games.battalia.readers.picture.tones import module
from domain.games.battalia.readers.words.forms import NAMES, card_name, choice_name

View = Mapping[str, Any]
COLOURS = ("white", "green", "red", "cyan", "yellow", "magenta", "blue")
"""Colors by seat; the first is for neutral."""
_EXITS = ("", "N", "E", "S", "W", "NS", "EW", "NE", "ES", "SW", "NW", "NES", "ESW", "NSW", "NEW", "NESW")
MIDDLES = dict(zip(_EXITS, "·╵╶╷╴│─└┌┐┘├┬┤┴┼", strict=True))
CELL = 9


def text(public: View, private: Any) -> Iterator[str]:
    """The map, the players, the piles, and the seat's own hand."""
    yield f"Week {public['week']}, day {public['day']}: the wheel {_wheel(public['wheel'])}."
    yield ""
    yield from _map(public)
    yield ""
    yield from _players(public)
    yield ""
    yield "Piles: " + ", ".join(f"{card_name(name)} {pile['count']}" for name, pile in public["piles"].items())
    yield "Great artefacts: " + (", ".join(map(card_name, public["great"])) or "none left")
    yield from _modules(public)
    if private:
        yield ""
        yield "Your hand: " + cards(private["hand"])
        tented = [card for tent in private["kept"] for card in tent]
        for name, ids in (("face down", private["hidden"]), ("kept", tented)):
            if ids:
                yield f"Your {name} cards: {cards(ids)}"
        for order in private.get("orders", ()):
            yield f"Your {_order(order)}."


def legend(public: View) -> Iterator[str]:
    """The signs of the map."""
    seats = ", ".join(_coloured(f"♟{seat}", int(seat)) for seat in public["seats"])
    yield f"{seats}: a hero of that seat. 1◆3: a city of seat 1, level 3; n◆4: a neutral one."
    yield "RUI: the ruins. x: a starting square."
    yield "│ ─ and corners: the roads of a square. Below them are the first three letters of its terrain."
    yield f"Terrains: {', '.join(sorted({square['terrain'] for square in public['squares'].values() if square['terrain']}))}."


def cards(ids: Sequence[str]) -> str:
    """Cards by name, with counts: ``2 frimen of the Islanders, supply``."""
    one = {card_name(id_): id_ for id_ in ids}
    tallied = Counter(card_name(id_) for id_ in ids)
    told = (f"{count} {card_name(one[name], many=True)}" if count > 1 else name for name, count in tallied.items())
    return ", ".join(sorted(told, key=lambda name: name.lstrip("0123456789 "))) or "nothing"


def _wheel(wheel: Mapping[str, Any]) -> str:
    lit, matching = wheel["lit"], wheel["matching"]
    return f"lights and matches the {lit}" if lit == matching else f"lights the {lit} and matches the {matching}"


_AGAINST = {"besieger": "the Rammoth"}
_DETAILS: Mapping[str, Callable[[Any], str]] = {
    "square": lambda square: f"on {square}",
    "needed": lambda keys: f"keys needed: {', '.join(_faction(key['faction']) for key in keys)}",
    "keys": lambda keys: "; ".join(
        f"keys of seat {seat}: {', '.join(_faction(key['faction']) for key in held)}"
        for seat, held in keys.items()
        if held
    ),
    "complete": lambda seats: f"all keys: {', '.join(f'seat {seat}' for seat in seats)}",
    "duelled": lambda heroes: f"challenged today by {cards(heroes)}",
    "attack": lambda attack: f"last attack on {attack['square']}",
    "weapons": lambda weapons: f"weapons on {', '.join(weapons)}",
    "against": lambda who: f"help against {_AGAINST.get(who, who)}",
    "gates": lambda gates: ", ".join(f"gate {number} on {square}" for number, square in gates.items()),
    "markers": lambda left: f"ruin markers left: {', '.join(f'seat {seat}: {count}' for seat, count in left.items())}",
    "march": lambda march: f"{counted(march['left'], 'step')} left",
}
"""Phrases for fields of modules that have none in the picture."""


def _modules(public: View) -> Iterator[str]:
    """One line for each module, its square first, without empty fields."""
    for key, npc in public["npcs"].items():
        fields = sorted(npc.items(), key=lambda field: field[0] != "square")
        found = [
            phrase for name, value in fields if value not in (None, "", [], {}) if (phrase := _detail(name, value))
        ]
        if "square" in npc and npc["square"] is None:
            found.insert(0, "not on the map")
        if found:
            yield f"{module(key)}: {'; '.join(found)}."


def _detail(name: str, value: Any) -> str:
    if name in _DETAILS:
        return _DETAILS[name](value)
    nobody = isinstance(value, Mapping) and not any(value.values())
    return "" if nobody else panel.phrase(name, value, {}) or f"{name.replace('_', ' ')} {inline(value)}"


def _faction(key: str) -> str:
    return str(NAMES["faction"].get(key, key))


def _order(order: Mapping[str, Any]) -> str:
    """A standing order in words, without empty fields: ``defense order: policy win``."""
    given = {name: value for name, value in order.items() if name != "type" and value not in ([], 0, "", None)}
    hint = HINTS[order["type"]].label.removeprefix("Set ").removeprefix("a ").removeprefix("the ")
    told = []
    for name, value in given.items():
        words = ", ".join(choice_name(str(each)) for each in (value if isinstance(value, list) else [value]))
        label = PARAMETERS[name].label.lower() if name in PARAMETERS else name
        told.append(f"{'' if name == 'first' else label + ' '}{words}")
    return f"{hint}: {', '.join(told)}" if told else hint


def _map(public: View) -> Iterator[str]:
    columns = [chr(ord("A") + n) for n in range(public["map"]["columns"])]
    standing: dict[str, list[int]] = {}
    for hero in public["heroes"].values():
        if hero["square"]:
            standing.setdefault(hero["square"], []).append(hero["seat"])
    yield "    " + "".join(name.center(CELL) for name in columns)
    for row in range(1, public["map"]["rows"] + 1):
        cells = [_cell(public, f"{name}{row}", sorted(standing.get(f"{name}{row}", ()))) for name in columns]
        for line, parts in enumerate(zip(*cells, strict=True)):
            yield (f"{row:3} " if line == 1 else "    ") + "".join(parts)


def _cell(public: View, name: str, heroes: Sequence[int]) -> tuple[str, str, str]:
    """Three lines: heroes and the north exit, the card with its east and west exits, the south exit and the terrain."""
    square = public["squares"].get(name)
    figures = "".join(_coloured(f"♟{seat}", seat) for seat in heroes[:2])
    figures += " " * (4 - 2 * min(2, len(heroes)))
    if square is None:
        mark = "x" if name in public["map"]["starts"] else "·"
        return f"     {figures}", f"    {mark}    ", " " * CELL
    exits = square["exits"]
    north, south = ("│" if way in exits else " " for way in "NS")
    west, east = ("─" if way in exits else " " for way in "WE")
    if name == public["map"]["ruins"]:
        middle = "RUI"
    elif "city" in square:
        city = square["city"]
        middle = _coloured(f"{city['owner'] or 'n'}◆{city['level']}", city["owner"])
    else:
        middle = west + MIDDLES[exits] + east
    terrain = (square["terrain"] or "")[:3]
    return f"    {north}{figures}", f"{west * 3}{middle}{east * 3}", f"{terrain:<4}{south}    "


def _players(public: View) -> Iterator[str]:
    outcome = public["table"]["outcome"]
    for number, seat in public["seats"].items():
        mark = "→" if public["turn"]["seat"] == int(number) and outcome is None else " "
        faction = NAMES["faction"].get(seat["faction"], "-")
        name = _coloured(f"seat {number} {faction:10}", int(number))
        figures = (
            f"{counted(seat['points'], 'point')}, cities {', '.join(seat['cities']) or 'none'}; hand {seat['hand']}"
        )
        out = " (out)" if seat["out"] else ""
        yield f"{mark} {name} {figures}, deck {seat['deck']}, discarded {len(seat['discard'])}{out}"


def _coloured(words: str, seat: int) -> str:
    return coloured(words, COLOURS[seat % len(COLOURS)], "bold" if seat else "normal")


def word(choice: str) -> str:
    """A choice by its name, with its key if several choices can have the name or it is hard to type."""
    name = choice_name(choice)
    return f"{name} ({choice})" if "-" in choice or "~" in choice or not name.isascii() else name
