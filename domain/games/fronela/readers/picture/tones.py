"""The colors of Fronela, by terrain and by player, and the short names of nations on the map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.drawing.palette import NOBODY
from domain.drawing.patterns import PatternGround
from domain.drawing.svg import Tone

View = Mapping[str, Any]

COLOUR: Mapping[str, Tone] = {
    "black": Tone("#26262b", "#e9e9ee"),
    "grey": Tone("#5d6069", "#a9adb8"),
    "azure": Tone("#11629c", "#7fc4f5"),
    "brown": Tone("#7a4717", "#e0a56c"),
}
"""Colors by player, named after their counters. Text on them is `palette.WHITE`."""
GROUND: Mapping[str, PatternGround] = {
    "clear": PatternGround(Tone("#dbe8b8", "#2a3519"), "grass", Tone("#a9c173", "#56693a")),
    "rough": PatternGround(Tone("#e6d6b3", "#40351f"), "dots", Tone("#bda271", "#7a6642")),
    "mountain": PatternGround(Tone("#d3c6ba", "#3d352e"), "peaks", Tone("#a08f7f", "#74665a")),
    "elfwood": PatternGround(Tone("#b4d6b1", "#1c3a20"), "trees", Tone("#78ab76", "#3f6f42")),
    "glacier": PatternGround(Tone("#eaf2f7", "#2f3a42"), "snow", Tone("#a9c2d0", "#5d7583")),
    "city": PatternGround(Tone("#f0c4be", "#4a2623"), "bricks", Tone("#d19a92", "#824b45")),
    "sea": PatternGround(Tone("#b6d5ea", "#17334a"), "waves", Tone("#82b2d2", "#356487")),
}
UNKNOWN = PatternGround(Tone("#dddddd", "#3a3a3a"), "hatch", Tone("#aaaaaa", "#666666"))
RIVER = Tone("#3f83b5", "#5aa3d8")
BORDER = Tone("#7d705b", "#a2957c")
SHORE = Tone("#fffaf0", "#17150f")
PERSON = Tone("#f7d25c", "#6d5300")


def ground_of(terrain: str) -> PatternGround:
    return GROUND.get(terrain, UNKNOWN)


def colour_of(nation: View) -> Tone:
    return COLOUR.get(nation["colour"], NOBODY)


def short_names(nations: Iterable[View]) -> dict[str, str]:
    """The short name of each nation on the map, by id: at most four letters, unique."""
    found: dict[str, str] = {}
    for nation in nations:
        first, *rest = nation["name"].split()
        ways = [first[:2] + rest[-1][:2].capitalize() if rest and rest[-1] != "People" else first[:4], first[:4]]
        ways += [first[:3] + str(number) for number in range(10)]
        found[nation["id"]] = next((way for way in ways if way not in found.values()), nation["id"])
    return found


def unit_words(units: Mapping[str, int]) -> str:
    if set(units) == {"unit"}:
        return str(units["unit"])
    return " ".join(f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in units.items())
