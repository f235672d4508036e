"""The numbers of Fronela's guide, from the scenario that new games get."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from domain.fronela.bots.odds import win
from domain.fronela.phases.dice import HITS_ON
from domain.fronela.phases.population import GROWS_ON
from domain.fronela.readers.naming import listed
from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import COLOURS, GROUND, STEEP, UNLIMITED, Nation

TABLES = next(iter(SCENARIOS.values()))
KINDS = {
    "malkioni": "Malkioni (one faction each colour)",
    "barbarian": "Barbarians (one tribe each colour)",
    "beast": "Beast Peoples",
    "trolls": "Trolls",
    "grotaron": "Grotaron",
    "mostali": "Mostali",
    "gonn_orta": "Gonn Orta the giant",
}
GROWTH = {
    "everywhere": "in every area it stands in",
    "lands": "in its totem areas where it stands",
    "once": "once a turn, at home",
    "none": "never",
}


def nations() -> str:
    """FRO-05, FRO-D29, FRO-D30, FRO-D39: what each kind can do."""
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
    return _table(("nation", "dice of a unit", "steps", "goes to", "grows"), rows)


def _dice(nation: Nation) -> str:
    unit = nation.units.get("soldier") or nation.units["unit"]
    dice = f"{unit.dice}" + (f", each +{unit.modifier}" if unit.modifier else "")
    dice += f", +{unit.defence} in defence" if unit.defence else ""
    dice += f"; falls to {unit.hits} hits of one round" if unit.hits > 1 else ""
    return dice + ("; only soldiers have any" if nation.kind == "malkioni" else "")


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
        "soldier": "throws the die; goes only with a Lord",
        "lord": "throws none; whoever begins a turn beside a Lord may move",
        "wizard": "bends one die of a battle round by 1: a soldier's up when it attacks, any of the two sides in defence",
        "farmer": "throws none; +1 on the growth roll of its area, one step; alone it is taken over or killed",
    }
    rows = [(kind.title(), text, _room(nation.maximum[kind])) for kind, text in what.items()]
    return _table(("unit", "what it does", "how many an area holds"), rows)


def _room(maximum: Mapping[str, int]) -> str:
    by = {TABLES.areas[area].terrain: most for area, most in maximum.items()}
    named = {terrain: most for terrain, most in by.items() if most}
    if set(named.values()) == {UNLIMITED}:
        return f"any number in {listed(GROUND[terrain] for terrain in GROUND if terrain in named)}"
    return ", ".join(f"{named[terrain]} in {GROUND[terrain]}" for terrain in GROUND if terrain in named)


def dice() -> str:
    """FRO-04, FRO-12, FRO-13, and the chance to win a battle that is fought to its end."""
    slope = listed(GROUND[terrain] for terrain in STEEP)
    clear = [round(100 * win(number, 1, HITS_ON, HITS_ON)) for number in (1, 2, 3)]
    steep = round(100 * win(2, 1, HITS_ON + 1, HITS_ON))
    return _wrapped(
        f"A die hits on **{HITS_ON} or more**, and each hit takes a unit away. Attackers have 1 less on each die in {slope}. "
        f"A growth roll succeeds on **{GROWS_ON} or more**. Fought to the end in clear land, one die against one wins {clear[0]} "
        f"battles of 100, two against one {clear[1]}, three against one {clear[2]}; where attackers have 1 less, two against one "
        f"{steep}."
    )


def points() -> str:
    """FRO-D32 to FRO-D34."""
    scoring = [str(number) for number, row in TABLES.rounds.items() if row.scores]
    kills = {kill.reason: kill.points for kill in TABLES.kills}
    harrek, eye = TABLES.episodes["harrek"]["points"], TABLES.episodes["blinding_eye"]["points"]
    return (
        _wrapped(
            f"* **Land**, at the end of rounds {listed(scoring)}: every nation scores what each area that it holds is worth to it; "
            "`GET …/view` says how much that is for every area. Malkioni get more than 1 for clear land only with a farmer there.",
            "  ",
        )
        + _wrapped(
            f"* **Kills**, at once: a Lord or Wizard of another colour {kills['noble-killed']}; a soldier, by Beast Peoples or "
            f"Barbarians, {kills['soldier-killed']}; prey of the Trolls and Wolves {kills['prey-killed']}; Gonn Orta "
            f"{kills['gonn-orta-killed']}.",
            "  ",
        )
        + _wrapped(
            f"* **History**: destroying the Blinding Eye {eye}, Prince Siglat {TABLES.episodes['siglat']['points']}, Dormal "
            f"{TABLES.episodes['dormal']['points']}, Harrek alone in Sog City {harrek} for Brown.",
            "  ",
        )
    )


def table() -> str:
    """FRO-01, FRO-D28."""
    sizes = listed(
        f"{colour.title()} {sum(nation.colour == colour for nation in TABLES.nations.values())}" for colour in COLOURS
    )
    return _wrapped(
        f"Four players, one for each colour, lead {len(TABLES.nations)} nations through {len(TABLES.rounds)} rounds ({sizes}). "
        f"The map has {len(TABLES.land)} land areas. Some nations are there from the beginning, others come in a later round. **Your "
        "points are those of all your nations together; most points at the end win.** Nations of one colour are no allies: "
        "where they meet, they fight."
    )


def rounds() -> str:
    """7.3: what history brings."""
    titles = (
        f"{'**' * row.scores}{number} {row.title}{'**' * row.scores} ({row.years})"
        for number, row in TABLES.rounds.items()
    )
    return _wrapped("; ".join(titles) + ". In brackets the years ST; rounds in bold score land.")


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
