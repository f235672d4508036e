"""The colors and letters of Battalia: factions, terrains and signs of modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.drawing.palette import INK, LINE, NOBODY, PALE
from domain.drawing.patterns import PatternGround
from domain.drawing.svg import Tone
from domain.games.battalia.readers.words.forms import NAMES

View = Mapping[str, Any]

COLOUR: Mapping[str | None, Tone] = {
    "barfolk": Tone("#2a602a", "#8fd58a"),
    "islanders": Tone("#1b558c", "#86c2f7"),
    "emberians": Tone("#a52a22", "#ff9f92"),
    "cloudborn": Tone("#735a00", "#ecd064"),
    "wolfsclan": Tone("#4d5863", "#c4cfdb"),
    "sunblessed": Tone("#974700", "#ffb877"),
    None: NOBODY,
}
"""Colors by faction; None is for neutral. Text on them is `palette.WHITE`."""
GROUND: Mapping[str, PatternGround] = {
    "forest": PatternGround(Tone("#c3dba9", "#263a1e"), "trees", Tone("#8fb36d", "#456535")),
    "lake": PatternGround(Tone("#b9d6ea", "#1a3448"), "waves", Tone("#83b0d0", "#35617f")),
    "desert": PatternGround(Tone("#f0d3b2", "#4a2f1c"), "dots", Tone("#c79763", "#87603f")),
    "mountain": PatternGround(Tone("#e6deac", "#403c1f"), "peaks", Tone("#bbb06a", "#736b3a")),
    "tundra": PatternGround(Tone("#e6ebef", "#333b42"), "snow", Tone("#aebbc6", "#5f6d79")),
    "plain": PatternGround(Tone("#f5e0b0", "#453414"), "grass", Tone("#cfae60", "#7b6330")),
    "": PatternGround(Tone("#d8cfbf", "#38342c"), "hatch", Tone("#b9ad97", "#575044")),
}
"""Ground by terrain, as in the view; the empty string is for cards without faction."""
TERRAIN = {
    "barfolk": "forest",
    "islanders": "lake",
    "emberians": "desert",
    "cloudborn": "mountain",
    "wolfsclan": "tundra",
    "sunblessed": "plain",
}
ROAD = Tone("#fffaf0", "#8d8064")
KERB = Tone("#7d705b", "#17150f")
START = Tone("#e4d7b8", "#322c1e")
STONE = Tone("#8f836e", "#a3977f")
FIGURE = Tone("#1f1b16", "#f4efe4")
"""A module's figure."""
GATE = Tone("#473869", "#c9b8f0")
BUILT = Tone("#5a3d1e", "#e0bd93")
EMPTY, GRID, COORDINATE = "none", LINE, PALE
RANGE = INK


def faction_of(view: View, seat: object) -> str | None:
    """The faction of a seat; None before it has one, and for neutral."""
    shown = view["seats"].get(str(seat))
    return None if shown is None else shown["faction"]


def letter(view: View, seat: object) -> str:
    """The letter of a seat on the board: the initial of its faction, its number before it has one, N for neutral."""
    faction = faction_of(view, seat)
    if faction is not None:
        return str(NAMES["faction"].get(faction, faction))[0].upper()
    return "N" if str(seat) == "0" else str(seat)


def colour_of(view: View, seat: object) -> Tone:
    return COLOUR.get(faction_of(view, seat), COLOUR[None])


def words(key: str) -> str:
    return key.replace("_", " ").replace("-", " ").capitalize()


def module(key: str) -> str:
    """The name of a module and its figure: ``Unbound Buff``."""
    return words(key).title()


def great(card: str) -> str:
    """The name of a great artefact: ``Crown of Titus``."""
    return NAMES["great"].get(card.removeprefix("great-"), words(card)).removeprefix("the ")


def hero_of(key: str) -> str:
    """The name of a module's figure while it is a seat's hero."""
    return key.rpartition("_")[2]


def figure_letters(key: str) -> str:
    return words(key.rpartition("_")[2])[:2]
