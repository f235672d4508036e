"""The numbers in Fronela's guide, from the scenario of new games."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from domain.games.fronela.bots.odds import win
from domain.games.fronela.phases.dice import HITS_ON
from domain.games.fronela.phases.population import GROWS_ON
from domain.games.fronela.readers.naming import listed
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import COLOURS, GROUND, STEEP, UNLIMITED, Nation

TABLES = next(iter(SCENARIOS.values()))
KINDS = {
    "malkioni": "Malkioni (one faction per color)",
    "barbarian": "Barbarians (one tribe per color)",
    "beast": "Beast Peoples",
    "trolls": "Trolls",
    "grotaron": "Grotaron",
    "mostali": "Mostali",
    "gonn_orta": "Gonn Orta the giant",
}
GROWTH = {
    "everywhere": "in every area it holds",
    "lands": "in the totem areas it holds",
    "once": "once a turn, in its home area",
    "none": "never",
}


def nations() -> str:
    """FRO-05, FRO-D29, FRO-D30, FRO-D39: the abilities of each kind of nation."""
    rows = []
    for kind, name in KINDS.items():
        nation = next(nation for nation in TABLES.nations.values() if nation.kind == kind)
        unit = nation.units.get("soldier") or nation.units["unit"]
        rows.append(
            (
                name,
                _dice(nation),
                "any number" if unit.steps > 9 else str(unit.steps),
                _enters(nation),
                GROWTH[nation.growth],
            )
        )
    return _table(("nation", "dice per unit", "steps", "can enter", "grows"), rows)


def _dice(nation: Nation) -> str:
    unit = nation.units.get("soldier") or nation.units["unit"]
    dice = f"{unit.dice}" + (f", each +{unit.modifier}" if unit.modifier else "")
    dice += f", +{unit.defence} in defense" if unit.defence else ""
    dice += f"; lost after {unit.hits} hits in one round" if unit.hits > 1 else ""
    return dice + ("; only soldiers have dice" if nation.kind == "malkioni" else "")


def _enters(nation: Nation) -> str:
    reach = {to for ways in nation.ways.values() for to in ways}
    terrains = {TABLES.areas[area].terrain for area in reach - set(nation.lands)}
    if all(area in reach for area in TABLES.land):
        return "all land"
    own = ", its totem areas" if nation.kind == "beast" else ""
    return ", ".join(GROUND[terrain] for terrain in GROUND if terrain in terrains) + own


def castes() -> str:
    """FRO-D29: the units of the Malkioni."""
    nation = TABLES.nations["black_malkioni"]
    what = {
        "soldier": "rolls a die; moves only if it starts with a lord",
        "lord": "rolls no die; units that start their move with a lord may move",
        "wizard": "changes one die per battle round by 1: in attack one of your soldiers' dice up, in defense one of your dice up or an attacker's die down",
        "farmer": "rolls no die; moves one step; +1 to the growth roll of its area; alone it is captured or killed",
    }
    rows = [(kind.title(), text, _room(nation.maximum[kind])) for kind, text in what.items()]
    return _table(("unit", "what it does", "limit per area"), rows)


def _room(maximum: Mapping[str, int]) -> str:
    by = {TABLES.areas[area].terrain: most for area, most in maximum.items()}
    named = {terrain: most for terrain, most in by.items() if most}
    if set(named.values()) == {UNLIMITED}:
        return f"any number in {listed(GROUND[terrain] for terrain in GROUND if terrain in named)}"
    return ", ".join(f"{named[terrain]} in {GROUND[terrain]}" for terrain in GROUND if terrain in named)


def dice() -> str:
    """FRO-04, FRO-12, FRO-13, and the probability of winning a battle that is fought to the end."""
    slope = listed(GROUND[terrain] for terrain in STEEP)
    clear = [round(100 * win(number, 1, HITS_ON, HITS_ON)) for number in (1, 2, 3)]
    steep = round(100 * win(2, 1, HITS_ON + 1, HITS_ON))
    return _wrapped(
        f"A die hits on **{HITS_ON} or more**, and each hit removes a unit. Attackers get -1 on each die in {slope}. A growth roll "
        f"succeeds on **{GROWS_ON} or more**. On clear land, one die against one wins {clear[0]} % of battles fought to the end, two "
        f"against one {clear[1]} %, and three against one {clear[2]} %. With -1, two against one wins {steep} %."
    )


def points() -> str:
    """FRO-D32 to FRO-D34."""
    scoring = [str(number) for number, row in TABLES.rounds.items() if row.scores]
    kills = {kill.reason: kill.points for kill in TABLES.kills}
    harrek, eye = TABLES.episodes["harrek"]["points"], TABLES.episodes["blinding_eye"]["points"]
    return (
        _wrapped(
            f"* **Land**, at the end of rounds {listed(scoring)}: every nation scores the value of each area it holds; "
            "`GET …/view` returns the value of every area. Malkioni score more than 1 for clear land only with a farmer there.",
            "  ",
        )
        + _wrapped(
            f"* **Kills**, immediately: a lord or wizard of another color {kills['noble-killed']}; a soldier, for Beast Peoples or "
            f"Barbarians, {kills['soldier-killed']}; prey, for Trolls and Wolves, {kills['prey-killed']}; Gonn Orta "
            f"{kills['gonn-orta-killed']}.",
            "  ",
        )
        + _wrapped(
            f"* **History**: destroying the Blinding Eye {eye}, Prince Siglat {TABLES.episodes['siglat']['points']}, Dormal "
            f"{TABLES.episodes['dormal']['points']}, Harrek alone in Sog City: {harrek} for Brown.",
            "  ",
        )
    )


def table() -> str:
    """FRO-01, FRO-D28."""
    sizes = listed(
        f"{colour.title()} {sum(nation.colour == colour for nation in TABLES.nations.values())}" for colour in COLOURS
    )
    return _wrapped(
        f"Four players, one for each color, lead {len(TABLES.nations)} nations through {len(TABLES.rounds)} rounds ({sizes}). "
        f"The map has {len(TABLES.land)} land areas. Some nations are on the map from the start; others arrive in a later round. "
        "**Your points are the sum of all your nations' points; the most points at the end win.** Nations of one color are not "
        "allies: they fight when they meet."
    )


def rounds() -> str:
    """7.3: the history of each round."""
    rows = (
        f"| {number} | {row.years} | {row.title} | {'yes' if row.scores else ''} |"
        for number, row in TABLES.rounds.items()
    )
    return "\n".join(("| round | years (ST) | history | scores land |", "|---|---|---|---|", *rows)) + "\n"


NUMBERS = {
    "castes": castes,
    "dice": dice,
    "nations": nations,
    "points": points,
    "rounds": rounds,
    "table": table,
}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ("---",) * len(head), *rows))


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 125, subsequent_indent=indent, break_on_hyphens=False) + "\n"
