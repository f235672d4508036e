"""Display names: nations, areas, persons, kinds of unit, reasons for points, terrain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.games.fronela.episodes import EPISODES
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import GROUND
from domain.kernel.game.presentation import Named
from domain.kernel.numerals import numeral

_AREAS = {area.id: area for tables in SCENARIOS.values() for area in tables.areas.values()}
_NATIONS = {nation.id: nation for tables in SCENARIOS.values() for nation in tables.nations.values()}
_PERSONS = {key: name for episode in EPISODES.values() for key, name in episode.names.items()}

NAMES: dict[str, str] = (
    {area: row.name for area, row in _AREAS.items()}
    | {nation: row.name for nation, row in _NATIONS.items()}
    | _PERSONS
    | {"unit": "unit", "lord_death": "Lord Death"}
)
"""The names of all scenarios. An id has the same name everywhere."""
_REASONS: Mapping[str, str] = {
    "area": "for holding it",
    "blinding-eye": "for destroying the Blinding Eye",
    "dormal": "for Dormal",
    "gonn-orta-killed": "for killing Gonn Orta",
    "harrek": "for what Harrek the Berserk takes",
    "kingdom-of-war": "as the Kingdom of War, for killing a soldier",
    "noble-killed": "for killing a noble",
    "prey-killed": "for killing prey",
    "river-tax": "from river tax",
    "siglat": "for Prince Siglat",
    "soldier-killed": "for killing a soldier",
    "talor": "for a kill with Talor",
}
CALLED: Mapping[str, Mapping[str, str]] = {
    "folk": {nation: row.folk for nation, row in _NATIONS.items()} | _PERSONS,
    "place": {area: row.name for area, row in _AREAS.items()},
    "reason": _REASONS,
    "reasons": {
        **_REASONS,
        "kingdom-of-war": "as the Kingdom of War, for killing soldiers",
        "noble-killed": "for killing nobles",
        "soldier-killed": "for killing soldiers",
        "talor": "for kills with Talor",
    },
    "stance": {
        "": "to ask their player when they are attacked",
        "hold": "to hold their ground when they are attacked",
        "retreat_if_outnumbered": "to retreat if others roll more dice",
        "always_retreat": "to retreat from every battle",
    },
    "side": {"attack": "attack", "defence": "defense"},
    "policy": {
        "": "to ask their player",
        "weaken": "to weaken attacking dice",
        "strengthen": "to strengthen dice in defense",
        "rest": "to rest",
    },
}
"""Display names by form; see `Presentation.names`."""
PLAIN_REASONS: Mapping[str, str] = {
    "area": "land held",
    "blinding-eye": "the Blinding Eye",
    "gonn-orta-killed": "Gonn Orta killed",
    "kingdom-of-war": "the Kingdom of War",
    "noble-killed": "a noble killed",
    "prey-killed": "prey killed",
    "river-tax": "river tax",
    "soldier-killed": "a soldier killed",
}
"""Reasons for points in headings, if they differ from their key."""
HELP: Mapping[str, str] = {
    "defence": "their defense",
    "farmers": "their farmers",
    "hrestol": "Hrestol",
    "jonat": "Jonat Bigbear",
    "talor": "Talor",
    "terrain": "the terrain",
    "unit": "what they are",
    "wizards": "wizards",
}
"""Reasons for bonuses to a die."""
ONE = frozenset({nation for nation, row in _NATIONS.items() if row.is_one} | _PERSONS.keys())
"""Ids that take the singular."""
COLOUR_OF: Mapping[str, str] = {nation: row.colour for nation, row in _NATIONS.items()}
USUAL: tuple[str, ...] = tuple(_NATIONS)
"""The normal order of the nations."""
SEAS = frozenset(area for area, row in _AREAS.items() if row.terrain == "sea")


def ground(area: str) -> str:
    return GROUND[_AREAS[area].terrain] if area in _AREAS else ""


def terrain(area: str) -> str:
    """The terrain of an area; empty if it is not on the map."""
    return _AREAS[area].terrain if area in _AREAS else ""


KINDS = ("unit", "lord_death", "soldier", "lord", "wizard", "farmer")
"""Kinds of unit in display order."""


def listed(words: Iterable[str]) -> str:
    """The words separated by commas, with ``and`` before the last."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def units(counts: Any, _: Named | None = None) -> str:
    """``two soldiers and a lord``; ``no units`` if there are none."""
    words = [_unit(kind, counts[kind]) for kind in sorted(counts, key=_order) if counts[kind]]
    return listed(words) if words else "no units"


def _order(kind: str) -> int:
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


def _unit(kind: str, number: int) -> str:
    name = NAMES.get(kind, kind)
    if number == 1:
        return name if kind == "lord_death" else f"a {name}"
    return f"{numeral(number)} {name}s"
