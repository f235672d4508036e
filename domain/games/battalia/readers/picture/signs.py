"""Below the panel of Battalia: the piles of cards, and the legend of the map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from domain.drawing.lettering import width
from domain.drawing.palette import INK, LINE, MOVED, PAPER, TURN, WHITE
from domain.drawing.parts import EDGE, Flow, Sign, badge, legend
from domain.drawing.patterns import swatch
from domain.drawing.svg import SvgGroup, Tone, star
from domain.games.battalia.readers.picture import tones
from domain.games.battalia.readers.picture.places import PictureMark, figures, marks, reaches
from domain.games.battalia.readers.picture.tokens import TALL, WIDE, city_sign, mark_sign
from domain.games.battalia.readers.picture.tones import COLOUR, GROUND, TERRAIN, words
from domain.games.battalia.readers.words.forms import NAMES, card_name

View = Mapping[str, Any]


def piles(group: SvgGroup, view: View, y: float) -> float:
    """Cards on display and in piles, each with its name and the number left. Returns the lower edge."""
    group.text(EDGE, y + 16, "Cards in the piles", 17, font_weight="bold", fill=INK)
    flow = Flow(y + 26, 32, gap=8)
    for ref, label, number in _stock(view):
        wide = width(f"{label} {number}", 15, bold=False) + 20
        left, top = flow.place(wide)
        one = group.group(ref=ref, kind="pile" if number else "card")
        one.rectangle(left, top, wide, 26, rx=5, fill=PAPER, stroke=LINE)
        one.text(left + wide / 2, top + 18, f"{label} {number}".strip(), 15, anchor="middle", fill=INK)
    return flow.bottom


def _stock(view: View) -> Iterator[tuple[str, str, str]]:
    """Key, label and count of each pile. A single card has no count."""
    for name, pile in view["piles"].items():
        if pile["count"]:
            yield name, card_name(name), f"\u00d7 {pile['count']}"
        if name == "unbound":  # the pile, whose top card is taken, and also the number left by rank
            yield from ((f"unbound-{rank}", f"Unbound {rank}", f"\u00d7 {left}") for rank, left in pile["left"].items())
    yield from ((card, tones.great(card), "") for card in view["great"])


def signs(group: SvgGroup, view: View, y: float) -> float:
    """The legend: every terrain with its faction, and every sign that may be on this map."""
    found = [*_grounds(view), *_pieces(view), *_modules(view), *_outlines(view)]
    return legend(group, y, "Symbols", found)


def _grounds(view: View) -> Iterator[Sign]:
    shown = {seat["faction"] for seat in view["seats"].values()}
    shown |= {card["faction"] for card in view["squares"].values()}
    shown |= {faction for pile in view["piles"].values() for faction in pile["left"]}
    for faction, terrain in TERRAIN.items():
        if faction in shown:
            label = f"{terrain} ({NAMES['faction'].get(faction, faction)})"
            yield label, _ground(terrain), {"ref": faction, "kind": "faction"}
    if any(card["terrain"] not in TERRAIN.values() for card in view["squares"].values()):
        yield "no terrain", _ground(""), {}


def _ground(terrain: str) -> Callable[[SvgGroup, float, float], None]:
    return lambda group, x, y: swatch(group, x, y, terrain, GROUND[terrain])


def _pieces(view: View) -> Iterator[Sign]:
    city, hero = _city_look(view)
    yield (
        "city: owner and level",
        lambda group, x, y: city_sign(group, x + 15, y + 10, 30, 21, city[0], colour=city[1]),
        {},
    )
    yield (
        "hero: owner and number",
        lambda group, x, y: badge(group, x, y, WIDE, TALL, hero[0], 14, hero[1], rx=TALL / 2, stroke=WHITE),
        {},
    )
    yield "road, with its exits", _road, {}
    yield (
        "ruins",
        lambda group, x, y: group.polygon(star(x + 14, y + 10, 12, 6, 8), fill=tones.STONE, stroke=INK),
        {},
    )
    yield "starting square", _frame(tones.START, tones.GRID, 1), {}
    yield "changed by the last moves", _frame("none", MOVED, 4), {}
    yield "on turn", _frame("none", TURN, 4), {}


def _city_look(view: View) -> tuple[tuple[str, Tone], tuple[str, Tone]]:
    """A city and a hero of the first seat, in the colors of this game."""
    first = next(iter(view["seats"]), "1")
    mark, colour = tones.letter(view, first), tones.colour_of(view, first)
    return (f"{mark}2", colour), (f"{mark}1", colour)


def _road(group: SvgGroup, x: float, y: float) -> None:
    for wide, colour in ((12, tones.KERB), (8, tones.ROAD)):
        group.line(x, y + 10, x + 28, y + 10, stroke=colour, stroke_width=wide)


def _frame(fill: str, stroke: Tone, wide: float) -> Callable[[SvgGroup, float, float], None]:
    return lambda group, x, y: group.rectangle(x + 2, y + 1, 26, 19, rx=4, fill=fill, stroke=stroke, stroke_width=wide)


def _modules(view: View) -> Iterator[Sign]:
    for key, _ in figures(view):
        letters = tones.figure_letters(key)
        yield (
            tones.module(key),
            lambda group, x, y, letters=letters: badge(  # type: ignore[misc]
                group, x, y, WIDE, TALL, letters, 14, tones.FIGURE, rx=2, stroke=WHITE
            ),
            {},
        )
    seen = set()
    for mark in marks(view):
        if mark.what not in seen:
            seen.add(mark.what)
            label = "Armamentum" if mark.what == "weapons" else words(mark.what).lower()
            yield f"{label.removesuffix('s')}{', with its number' if mark.numbered else ''}", _mark(mark), {}
    if view["battle"] is not None:
        yield "battle", _mark(PictureMark("", "!", "battle", "battle", numbered=False)), {}
    if any("faction" in thing for npc in view["npcs"].values() for thing in _held(npc)):
        faction = next(thing["faction"] for npc in view["npcs"].values() for thing in _held(npc) if "faction" in thing)
        yield (
            "key of a faction",
            lambda group, x, y: badge(
                group, x + 4, y, 20, 20, NAMES["faction"].get(faction, faction)[0].upper(), 14,
                COLOUR.get(faction, COLOUR[None]), rx=10,
            ),
            {},
        )  # fmt: skip


def _held(npc: View) -> Iterator[View]:
    for holders in npc.values():
        for things in holders.values() if isinstance(holders, Mapping) else ():
            if isinstance(things, list | tuple):
                yield from (thing for thing in things if isinstance(thing, Mapping))


def _mark(mark: PictureMark) -> Callable[[SvgGroup, float, float], None]:
    return lambda group, x, y: mark_sign(group, x + 3, y, replace(mark, tip=""), 21)


def _outlines(view: View) -> Iterator[Sign]:
    if any(True for _ in reaches(view)):
        yield (
            "range",
            lambda group, x, y: group.rectangle(
                x + 2, y + 1, 26, 19, fill="none", stroke=tones.RANGE, stroke_width=2.5, stroke_dasharray="6 5"
            ),
            {},
        )
