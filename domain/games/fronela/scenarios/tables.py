"""A scenario: the tables of one history, validated when they are loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from domain.kernel.rulings import Ruling
from domain.kernel.terms import Seat

COLOURS = ("black", "grey", "azure", "brown")
"""The colors of the seats, seat 1 first."""
TERRAINS = ("clear", "rough", "mountain", "elfwood", "glacier", "city", "sea")
HARD = ("rough", "mountain", "elfwood", "glacier")
"""Leaving such an area is the last step (FRO-09); Sog City counts as clear (FRO-D39)."""
STEEP = ("rough", "mountain", "elfwood", "city")
"""Attack dice have -1 here (FRO-13)."""
GROUND = {
    "clear": "clear land",
    "rough": "rough land",
    "mountain": "mountain land",
    "elfwood": "elf wood",
    "glacier": "glacier",
    "city": "a city",
    "sea": "open sea",
}
"""The names of terrains."""
UNLIMITED = 999
"""Marks the absence of a maximum."""


class BadTables(ValueError):
    """A scenario whose tables contradict each other."""


@dataclass(frozen=True, slots=True)
class Area:
    id: str
    name: str
    terrain: str
    side: str
    """``N`` or ``S`` of the Janube, empty for seas."""
    bank: bool
    x: int
    y: int
    adjacent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitKind:
    """The abilities of one counter."""

    dice: int
    modifier: int
    """Applies to each of its dice."""
    defence: int
    """Additional modifier in defense."""
    hits: int
    """Hits in one battle round needed to remove it."""
    steps: int


@dataclass(frozen=True, slots=True)
class Nation:
    id: str
    name: str
    colour: str
    seat: Seat
    kind: str
    counters: Mapping[str, int]
    lands: tuple[str, ...]
    """Totem areas of beasts, the home of an elder race, or the home areas of other nations."""
    setup: Mapping[str, Mapping[str, int]]
    points: Mapping[str, int]
    units: Mapping[str, UnitKind]
    growth: str
    growth_areas: tuple[str, ...]
    leaving_ends: bool
    ways: Mapping[str, tuple[str, ...]]
    """Neighbors of each land area that the nation may enter (FRO-D39)."""
    maximum: Mapping[str, Mapping[str, int]]
    """Maximum number of units by kind and area."""
    wary: frozenset[str]
    """Areas from which it may make a special retreat."""
    wary_to: str
    """The terrain of the empty area required by a special retreat. Empty if it works like any other retreat."""

    @property
    def is_one(self) -> bool:
        """Whether it is a single creature: Gonn Orta."""
        return sum(self.counters.values()) == 1

    @property
    def folk(self) -> str:
        """The nation's name within a sentence: ``the Trolls``, ``Gonn Orta``."""
        return self.name if self.is_one else f"the {self.name}"


@dataclass(frozen=True, slots=True)
class ArrivingNation:
    nation: str
    units: Mapping[str, int]
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Round:
    title: str
    years: str
    scores: bool
    front: tuple[str, ...] = ()
    """Slots before the normal order. ``@`` and a token means the nation that has it."""


@dataclass(frozen=True, slots=True)
class Kill:
    """Points for a kill. ``by`` is a kind of nation, a nation, or ``any``."""

    by: str
    of: tuple[str, ...]
    kinds: tuple[str, ...]
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class Scenario:
    key: str
    areas: Mapping[str, Area]
    """The areas in the order of 6.2, which breaks ties."""
    numbers: Mapping[str, int]
    """Each area's number in that order."""
    nations: Mapping[str, Nation]
    """The nations in the normal order of play."""
    arrivals: Mapping[int, tuple[ArrivingNation, ...]]
    rounds: Mapping[int, Round]
    kills: tuple[Kill, ...]
    episodes: Mapping[str, Mapping[str, Any]]
    land: tuple[str, ...]
    seats: Mapping[Seat, tuple[str, ...]]
    readings: Mapping[str, Ruling]
    """Readings of ambiguous clauses, by name (`domain.games.fronela.scenarios.readings`)."""

    def reads(self, name: str) -> str:
        """The word for this scenario's reading. Raises `KeyError` if there is no such reading."""
        word: str = self.readings[name].value
        return word

    @property
    def last(self) -> int:
        return max(self.rounds)

    def near(self, start: str, steps: int, terrains: tuple[str, ...] = TERRAINS[:-1]) -> dict[str, int]:
        """The areas of these terrains within ``steps`` steps through such areas, each with its distance."""
        found = {start: 0}
        edge = [start]
        for far in range(1, steps + 1):
            nearby = {other: None for area in edge for other in self.areas[area].adjacent}
            edge = [area for area in nearby if area not in found and self.areas[area].terrain in terrains]
            found |= dict.fromkeys(edge, far)
        return found


def load(module: ModuleType) -> Scenario:
    """The scenario of a module of tables. Raises `BadTables` if they contradict each other."""
    areas = {key: _area(key, row) for key, row in module.AREAS.items()}
    _check_map(areas)
    nations = {key: _nation(key, row, module.KINDS[row["kind"]], areas) for key, row in module.NATIONS.items()}
    _check_nations(nations, areas)
    arrivals = {
        number: tuple(ArrivingNation(row["nation"], row["units"], tuple(row["where"])) for row in rows)
        for number, rows in module.ARRIVALS.items()
    }
    _check_arrivals(arrivals, nations, areas)
    return Scenario(
        key=module.KEY,
        areas=areas,
        numbers={key: number for number, key in enumerate(areas)},
        nations=nations,
        arrivals=arrivals,
        rounds={
            number: Round(row["title"], row["years"], row["scores"], tuple(row.get("front", ())))
            for number, row in module.ROUNDS.items()
        },
        kills=tuple(
            Kill(row["by"], tuple(row.get("of", ())), tuple(row.get("kinds", ())), row["points"], row["reason"])
            for row in module.KILLS
        ),
        episodes=module.EPISODES,
        land=tuple(key for key, area in areas.items() if area.terrain != "sea"),
        seats={
            Seat(place): tuple(key for key, nation in nations.items() if nation.seat == place)
            for place in range(1, len(COLOURS) + 1)
        },
        readings=module.READINGS,
    )


def _area(key: str, row: Mapping[str, Any]) -> Area:
    plain = {name: row[name] for name in ("name", "terrain", "side", "bank", "x", "y")}
    return Area(key, adjacent=tuple(row["adjacent"]), **plain)


def _nation(key: str, row: Mapping[str, Any], kind: Mapping[str, Any], areas: Mapping[str, Area]) -> Nation:
    lands = tuple(row["lands"])
    open_ = {
        a.id for a in areas.values() if a.terrain in kind["enter"] or (kind.get("enter_own", False) and a.id in lands)
    }
    wary = kind.get("special_retreat", {})
    terrain = kind.get("growth_terrain")
    return Nation(
        id=key,
        name=row["name"],
        colour=row["colour"],
        seat=Seat(COLOURS.index(row["colour"]) + 1),
        kind=row["kind"],
        counters=row["counters"],
        lands=lands,
        setup=row["setup"],
        points=row["points"],
        units={name: _unit(unit, areas) for name, unit in kind["units"].items()},
        growth=kind["growth"],
        growth_areas=tuple(a.id for a in areas.values() if a.terrain == terrain) if terrain else lands,
        leaving_ends=kind.get("leaving_ends", False),
        ways={a.id: tuple(n for n in areas if n in a.adjacent and n in open_) for a in areas.values()},
        maximum={
            name: {a.id: _maximum(unit["maximum"], a, lands) for a in areas.values()}
            for name, unit in kind["units"].items()
        },
        wary=frozenset(
            a.id
            for a in areas.values()
            if a.terrain in wary.get("from", ()) or (wary.get("from_own", False) and a.id in lands)
        ),
        wary_to=wary.get("to", ""),
    )


def _unit(unit: Mapping[str, Any], areas: Mapping[str, Area]) -> UnitKind:
    # No limit means enough steps for any new area: one for each clear area and city, and one more.
    steps = unit["step"]
    if steps is None:
        steps = sum(area.terrain in ("clear", "city") for area in areas.values()) + 1
    return UnitKind(unit["dice"], unit.get("modifier", 0), unit.get("defence", 0), unit.get("hits", 1), steps)


def _maximum(table: Mapping[str, int | None], area: Area, lands: tuple[str, ...]) -> int:
    most = table["own"] if "own" in table and area.id in lands else table.get(area.terrain, 0)
    return UNLIMITED if most is None else most


def _check_map(areas: Mapping[str, Area]) -> None:
    for area in areas.values():
        if area.terrain not in TERRAINS:
            raise BadTables(f"{area.id}: unknown terrain {area.terrain}")
        for other in area.adjacent:
            if other not in areas or area.id not in areas[other].adjacent:
                raise BadTables(f"the border between {area.id} and {other} is not on both sides")


def _check_nations(nations: Mapping[str, Nation], areas: Mapping[str, Area]) -> None:
    for nation in nations.values():
        placed: dict[str, int] = {}
        for area, units in nation.setup.items():
            for kind, count in units.items():
                placed[kind] = placed.get(kind, 0) + count
            if area not in areas:
                raise BadTables(f"{nation.id} is set up in {area}, which is on no map")
        for kind, count in placed.items():
            if count > nation.counters.get(kind, 0):
                raise BadTables(f"{nation.id} has too few {kind} counters for its set-up")
        for area in (*nation.lands, *nation.points):
            if area not in areas:
                raise BadTables(f"{nation.id} names {area}, which is on no map")


def _check_arrivals(
    arrivals: Mapping[int, tuple[ArrivingNation, ...]], nations: Mapping[str, Nation], areas: Mapping[str, Area]
) -> None:
    for number, rows in arrivals.items():
        for row in rows:
            if row.nation not in nations or not set(row.units) <= set(nations[row.nation].counters):
                raise BadTables(f"round {number}: no counters for {row.nation}")
            if not set(row.where) <= {*areas, "@"}:
                raise BadTables(f"round {number}: {row.nation} arrives nowhere")
