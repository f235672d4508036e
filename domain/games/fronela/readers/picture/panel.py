"""Below the map of Fronela: the players with their nations and points, and the legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from domain.drawing.lettering import width
from domain.drawing.palette import BATTLE, INK, MOVED, NOBODY, PAPER, TURN, WHITE
from domain.drawing.parts import EDGE, ROOM, Sign, badge, legend, name_of
from domain.drawing.patterns import swatch
from domain.drawing.svg import Picture, SvgGroup, Tone
from domain.games.fronela.readers.picture import tones

View = Mapping[str, Any]
CODE = 52
"""Width of a nation's short name before its full name."""
CASTES = ("farmer", "soldier", "lord", "wizard")


def panel(picture: Picture, view: View, seats: Mapping[str, str], y: float) -> float:
    """A card for each player, two per row, with the short and full names of their nations. Returns the lower edge."""
    short, wide = tones.short_names(view["nations"]), (ROOM - 12) / 2
    numbers = list(view["points"])
    for left in range(0, len(numbers), 2):
        pair = numbers[left : left + 2]
        tall = max(46 + 25 * -(-len(_of(view, number)) // 2) for number in pair)
        for place, number in enumerate(pair):
            card = picture.group(ref=number, kind="seat")
            _card(card, view, seats, short, number, (EDGE + place * (wide + 12), y, wide, tall))
        y += tall + 10
    names = {nation["id"]: nation["name"] for nation in view["nations"]}
    held = [f"{token['name']} with the {names.get(token['nation'], token['nation'])}" for token in view["tokens"]]
    if held:
        y += picture.group(fill=INK).lines(EDGE, y + 14, "; ".join(held) + ".", 15, ROOM) + 4
    return y


def _of(view: View, number: str) -> list[View]:
    return [nation for nation in view["nations"] if str(nation["seat"]) == number]


def _card(
    group: SvgGroup, view: View, seats: Mapping[str, str], short: Mapping[str, str], number: str, box: tuple[float, ...]
) -> None:
    x, y, wide, tall = box
    nations = _of(view, number)
    colour = tones.colour_of(nations[0]) if nations else NOBODY
    moving = any(nation["id"] == view["turn"] for nation in nations)
    edge, thick = (TURN, 4) if moving else (colour, 1.5)
    group.rectangle(x, y, wide, tall, rx=8, fill=PAPER, stroke=edge, stroke_width=thick)
    points = str(view["points"][number])
    group.text(x + wide - 12, y + 30, points, 24, anchor="end", font_weight="bold", fill=colour)
    room = wide - 36 - width(points, 24)
    group.text(x + 12, y + 28, name_of(seats, number), 19, font_weight="bold", fill=colour, fit=room)
    half = (wide - 20) / 2
    for place, nation in enumerate(nations):
        left, top = x + 10 + place % 2 * half, y + 40 + place // 2 * 25
        one = group.group(ref=nation["id"], kind="nation")
        look = {"stroke": TURN, "stroke_width": 3} if nation["id"] == view["turn"] else {}
        badge(one, left, top, CODE, 20, short[nation["id"]], 14, colour, rx=3, tip=nation["name"], **look)
        words = f"{nation['name'].removesuffix(' People')} {nation['points']}"
        one.text(left + CODE + 5, top + 15, words, 14, fill=INK, fit=half - CODE - 9)


def signs(group: SvgGroup, view: View, y: float) -> float:
    """The legend of all terrains and signs that may be on the map."""
    return legend(group, y, "Symbols", [*_grounds(view), *_units(view), *_others(view)])


def _grounds(view: View) -> Iterator[Sign]:
    there = {area["terrain"] for area in view["areas"]}
    for terrain in tones.GROUND:
        if terrain in there:
            yield terrain, _ground(terrain), {}


def _ground(terrain: str) -> Callable[[SvgGroup, float, float], None]:
    return lambda group, x, y: swatch(group, x, y, terrain, tones.GROUND[terrain])


def _units(view: View) -> Iterator[Sign]:
    colour = tones.COLOUR["brown"]
    yield "units of a people", _plate("Be2", colour, 32), {}
    for caste in CASTES:
        if any(caste in nation["counters"] for nation in view["nations"]):
            yield f"{caste}, with how many", _plate(f"{caste[0].upper()}1", colour), {}
    yield "person or thing (not a unit)", _plate("H", tones.PERSON, ink=INK, rx=10), {}


def _plate(words: str, colour: Tone, wide: float = 28, ink: Tone = WHITE, rx: float = 3) -> Callable[..., None]:
    return lambda group, x, y: badge(group, x, y, wide, 20, words, 14, colour, ink=ink, rx=rx)


def _others(view: View) -> Iterator[Sign]:
    yield "neighbors", _stroke(tones.BORDER, 1.5, "2 5"), {}
    yield "the Janube", _stroke(tones.RIVER, 8, None), {}
    yield "changed by the last moves", _frame(MOVED, 4), {}
    yield "on turn", _frame(TURN, 4), {}
    if view["battle"]:
        yield "battle", _frame(BATTLE, 3), {}


def _stroke(colour: Tone, wide: float, dashes: str | None) -> Callable[[SvgGroup, float, float], None]:
    return lambda group, x, y: group.line(
        x, y + 10, x + 30, y + 10, stroke=colour, stroke_width=wide, stroke_dasharray=dashes
    )


def _frame(colour: Tone, wide: float) -> Callable[[SvgGroup, float, float], None]:
    return lambda group, x, y: group.rectangle(
        x + 2, y + 1, 26, 19, rx=4, fill="none", stroke=colour, stroke_width=wide
    )
