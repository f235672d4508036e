"""Generates the tables of numbers in `docs/rules/` from the ruleset and the scenario of new games (`make rules`).

The tables are between marks in the pages; the rest of a page is written by hand. `tests/test_numbers.py` fails if a page differs
from the output of this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Map, Price
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import ArrivingNation, Kill, Nation, Scenario
from domain.kernel.rulings import Ruling
from tests.rooms import ROOT

PAGES = ROOT / "docs" / "rules"
PLAYED = next(iter(SCENARIOS.values()))
"""The scenario of new games of Fronela."""

# -- tables in Markdown -----------------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def listed(things: Iterable[object]) -> str:
    return ", ".join(map(str, things))


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


# -- Battalia ---------------------------------------------------------------------------------------------------------


def price(paid: Price) -> str:
    """``2 units of rank 1 + 1 supply``."""
    parts = (
        [f"{counted(paid.units, 'unit')} {f'of rank {paid.rank}' if paid.rank else 'of any rank'}"]
        if paid.units
        else []
    )
    if paid.supplies:
        parts.append("1 supply" if paid.supplies == 1 else f"{paid.supplies} supplies")
    return " + ".join(parts)


def spelt(value: Any) -> str:
    """A number of Battalia as text."""
    match value:
        case Price():
            return price(value)
        case Map(columns, rows, starts, neutrals):
            return f"{columns} columns, {rows} rows; starts {' '.join(starts)}; neutral {' '.join(neutrals)}"
        case Mapping():
            return "; ".join(f"{key}: {spelt(each)}" for key, each in value.items())
        case tuple():
            return listed(map(spelt, value))
        case _:
            return str(value)


def battalia_numbers() -> str:
    rules = next(iter(RULESETS.values()))
    rows = ((f"`{name}`", spelt(it.value), it.clause, it.mark) for name, it in rules.rulings.items())
    return table(("number", "value", "clause", "mark"), rows)


def readings(rulesets: Mapping[str, Mapping[str, Ruling]]) -> str:
    """The readings that differ between releases, newest release first."""
    newest = next(iter(rulesets.values()))
    rows = (
        (f"`{name}`", it.clause, it.mark, *(each[name].value for each in rulesets.values()))
        for name, it in newest.items()
        if len({each[name].value for each in rulesets.values()}) > 1
    )
    return table(("reading", "clause", "mark", *(f"`{key}`" for key in rulesets)), rows)


def battalia_older() -> str:
    newest, *older = RULESETS.values()
    lines = []
    for rules in older:
        others = [
            f"`{name}` {spelt(it.value)} ({it.mark})"
            for name, it in rules.rulings.items()
            if (it.value, it.mark) != (newest.rulings[name].value, newest.rulings[name].mark)
        ]
        lines.append(f"* `{rules.key}`: numbers as in `{newest.key}`, but {listed(others)}.")
    return "\n".join(lines)


# -- Fronela ----------------------------------------------------------------------------------------------------------

KINDS = {"barbarian": "Barbarians", "beast": "Beast People", "malkioni": "Malkioni"}


def places(scenario: Scenario, keys: Iterable[str], between: str = ", ") -> str:
    return between.join("the area with most of its units" if key == "@" else scenario.areas[key].name for key in keys)


def units(several: Mapping[str, int]) -> str:
    return listed(counted(number, kind if kind == "unit" else kind.title()) for kind, number in several.items())


def arriving(scenario: Scenario, row: ArrivingNation) -> str:
    return f"{units(row.units)} - {places(scenario, row.where, ' / ')}"


def worth(scenario: Scenario, points: Mapping[str, int]) -> str:
    """``2 in Charg; 1 in every other clear area``: terrains that score everywhere in one word."""
    whole = [
        terrain
        for terrain in dict.fromkeys(area.terrain for area in scenario.areas.values())
        if all(area.id in points for area in scenario.areas.values() if area.terrain == terrain)
    ]
    usual = {
        terrain: min(points[key] for key, area in scenario.areas.items() if area.terrain == terrain)
        for terrain in whole
    }
    parts = []
    for value in sorted(set(points.values()), reverse=True):
        named = [
            key for key, number in points.items() if number == value and usual.get(scenario.areas[key].terrain) != value
        ]
        lands = [terrain for terrain, number in usual.items() if number == value]
        if len(lands) == 1 and sum(area.terrain == lands[0] for area in scenario.areas.values()) == 1:
            named, lands = [key for key, number in points.items() if number == value], []
        told = ([places(scenario, named)] if named else []) + (
            [f"every {'other ' if len(set(points.values())) > 1 else ''}{_or(lands)} area"] if lands else []
        )
        parts.append(f"{value} in {' and '.join(told)}")
    return "; ".join(parts)


def _or(words: Sequence[str]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def grows(scenario: Scenario, nation: Nation) -> str:
    match nation.growth:
        case "everywhere":
            return "each area it holds" + (", +1 per Farmer" if nation.kind == "malkioni" else "")
        case "lands":
            return f"its totem areas: {places(scenario, nation.lands)}"
        case "once":
            return f"one roll: {places(scenario, nation.lands)}"
        case _:
            return "-"


def nations() -> str:
    head = (
        "Order",
        "Nation",
        "Color",
        "Kind",
        "Set-up",
        "First arrival",
        "Counters",
        "Growth rolls",
        "Points each scoring round",
    )
    return table(head, (_nation(PLAYED, number, nation) for number, nation in enumerate(PLAYED.nations.values(), 1)))


def _nation(scenario: Scenario, number: int, nation: Nation) -> Sequence[object]:
    first = next(
        (
            f"round {number}: {arriving(scenario, row)}"
            for number, rows in scenario.arrivals.items()
            for row in rows
            if row.nation == nation.id
        ),
        "-",
    )
    setup = "; ".join(f"{units(there)} in {places(scenario, [area])}" for area, there in nation.setup.items())
    home = f"; home list {places(scenario, nation.lands)}" if nation.kind in ("malkioni", "barbarian") else ""
    counters = units(nation.counters)
    kind = KINDS.get(nation.kind, "Elder Race")
    points = worth(scenario, nation.points) + home
    return (
        number,
        nation.name,
        nation.colour.title(),
        kind,
        setup or "-",
        first,
        counters,
        grows(scenario, nation),
        points,
    )


def areas() -> str:
    rows = (
        (
            number,
            area.name,
            area.terrain,
            area.side or "-",
            "yes" if area.bank else "",
            f"{area.x},{area.y}",
            places(PLAYED, area.adjacent),
        )
        for number, area in enumerate(PLAYED.areas.values(), 1)
    )
    return table(("Number", "Area", "Terrain", "Side", "Bank", "x,y", "Borders"), rows)


def rounds() -> str:
    rows = (
        (
            f"{number} ({row.years})",
            row.title,
            "; ".join(
                f"{PLAYED.nations[each.nation].name}: {arriving(PLAYED, each)}"
                for each in PLAYED.arrivals.get(number, ())
            )
            or "-",
            "yes" if row.scores else "",
        )
        for number, row in PLAYED.rounds.items()
    )
    return table(("Round (years)", "Title", "New units", "Scoring round"), rows)


def at_once() -> str:
    """Points for kills and for historical events."""
    rows = [(_killers(kill), _killed(kill), kill.points, "FRO-D34") for kill in PLAYED.kills]
    history = {
        "blinding_eye": ("a nation", "destroys the Blinding Eye", "points", "FRO-D50"),
        "talor": (
            "the faction with Talor, in his round",
            "kills a Barbarian or Wolf People's unit",
            "points",
            "FRO-D51",
        ),
        "middle_sea": ("Grey Malkioni, in round 9", "hold clear areas on a bank: 1 each, at most", "most", "FRO-D52"),
        "siglat": ("the faction that Siglat joins", "he joins it", "points", "FRO-D31"),
        "dormal": ("the faction that Dormal joins", "he joins it", "points", "FRO-D31"),
        "lord_death": ("the Kingdom of War, in round 17", "kills a Soldier: in addition", "points", "FRO-D47"),
        "harrek": ("Brown Malkioni", "Harrek is alone in Sog City", "points", "FRO-D31"),
    }
    rows += [(who, what, PLAYED.episodes[key][name], clause) for key, (who, what, name, clause) in history.items()]
    return table(("Who", "What", "Points", "Clause"), rows)


def _killers(kill: Kill) -> str:
    return {"any": "any nation", "beast": "Beast People", "barbarian": "Barbarians", "trolls": "Trolls"}.get(
        kill.by, PLAYED.nations[kill.by].name if kill.by in PLAYED.nations else kill.by
    )


def _killed(kill: Kill) -> str:
    names = {"malkioni": "Malkioni", "barbarian": "Barbarians", "beast": "Beast People", "gonn_orta": "Gonn Orta"}
    whom = [each.replace("_", " ").title() for each in kill.of] or [names[each] for each in kill.kinds]
    return f"kills: {listed(whom)}" if whom else "kills any unit"


def fronela_older() -> str:
    newest, *older = SCENARIOS.values()
    lines = []
    for scenario in older:
        others = list(_others(newest, scenario))
        if others:
            lines.append(f"* `{scenario.key}`: numbers as in `{newest.key}`, except:")
            lines += [f"    * {each}" for each in others]
        else:
            lines.append(f"* `{scenario.key}`: numbers as in `{newest.key}`.")
    return "\n".join(lines)


def _others(newest: Scenario, older: Scenario) -> Iterable[str]:
    """The numbers of an older scenario that differ from the newest one."""
    for key, nation in older.nations.items():
        if nation.points != newest.nations[key].points:
            yield f"{nation.name} score {worth(older, nation.points)}"
    for number in sorted({*older.arrivals, *newest.arrivals}):
        before, now = (each.arrivals.get(number, ()) for each in (older, newest))
        for row in before:
            if row not in now:
                yield f"in round {number} {older.nations[row.nation].name} receive {arriving(older, row)}"
        for row in now:
            if row.nation not in {each.nation for each in before}:
                yield f"in round {number} {newest.nations[row.nation].name} receive nothing"
    for key, words in older.episodes.items():
        for name, value in words.items():
            if value != newest.episodes[key][name]:
                yield f"`{key}` has {name} {value}"


# -- the pages --------------------------------------------------------------------------------------------------------

TABLES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "battalia": {
        "numbers": battalia_numbers,
        "readings": lambda: readings({key: rules.readings for key, rules in RULESETS.items()}),
        "older": battalia_older,
    },
    "fronela": {
        "nations": nations,
        "areas": areas,
        "rounds": rounds,
        "at once": at_once,
        "readings": lambda: readings({key: scenario.readings for key, scenario in SCENARIOS.items()}),
        "older": fronela_older,
    },
}
"""For each page, its tables by the name in their marks."""


def begin(name: str) -> str:
    return f"<!-- made by `make rules`: {name} -->"


END = "<!-- end -->"


def written(page: str, text: str) -> str:
    """The page's text with every table generated; raises `ValueError` if a table's marks are missing."""
    for name, made in TABLES[page].items():
        marked = re.compile(f"{re.escape(begin(name))}\n.*?{re.escape(END)}", re.DOTALL)
        text, found = marked.subn(lambda _, made=made, name=name: f"{begin(name)}\n\n{made()}\n\n{END}", text)
        if found != 1:
            raise ValueError(f"{page}: {found} tables of {name}")
    return text


def main() -> None:
    for page in TABLES:
        path = PAGES / f"{page}.md"
        path.write_text(written(page, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
