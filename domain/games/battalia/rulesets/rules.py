"""A ruleset: all numbers that the rulebook does not define, and the readings of clauses, each with clause and mark."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from domain.kernel.rulings import Ruling


class Price(NamedTuple):
    """The exact content of one line: the number of units of a rank (0: any) and of supplies."""

    units: int = 0
    rank: int = 0
    supplies: int = 0
    building: bool = False
    """Whether a tool may replace a missing card (ART-06)."""


@dataclass(frozen=True, slots=True)
class Map:
    """A board: its size, the possible start squares, and the squares of neutral cities."""

    columns: int
    rows: int
    starts: tuple[str, ...]
    neutrals: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class BattaliaNumbers:
    """The numbers and readings of one ruleset. `rulings` and `readings` have the clause and mark of each.

    Compared by identity, because there is one object per ruleset.
    """

    key: str
    units_per_rank: int
    """Cards of each rank and faction."""
    artefacts_per_type: int
    """Cards of each type and faction."""
    unbound_per_rank: int
    roads: Mapping[str, int]
    """Road cards of each shape and faction."""
    cities: Mapping[str, int]
    """City cards of each shape and faction."""
    factions_of_two: int
    """Factions in the piles of a game for two."""
    great_beyond_players: int
    """Great artefacts on display in addition to one per player."""
    maps: Mapping[int, Map]
    start_units: tuple[int, ...]
    """Number of units of each rank in a starting deck."""
    start_supplies: int
    start_level: int
    neutral_level: int
    heroes: int
    hand: int
    mulligan: int
    """Number of cards fewer to draw."""
    cohort: Mapping[int, int]
    """Number of cards to draw, by the number of cards shown."""
    wheel: tuple[str, ...]
    matching: int
    """On day d, the index of the matching place is this factor times d."""
    top_level: int
    hire: tuple[int, ...]
    """Supplies for a unit of each rank."""
    take_supply: Price
    take_artefact: Price
    road: Mapping[str, Price]
    """The price of a road of each shape (PAY-04, PAY-05)."""
    found_units: int
    upgrade_units: int
    rebuild: Price
    step_supplies: int
    horse_steps: int
    terrain_bonus: int
    moral_bonus: int
    weapon: int
    horse: int
    sword: int
    shield: int
    title: int
    """Number of ranks that a title adds."""
    lit: int
    """Factor for a lit artefact."""
    amulet: tuple[str, ...]
    """The result of each face of the die: a rank, ``supply`` or ``any``."""
    amulet_ranks: tuple[int, ...]
    """In a battle line: the rank of the unit for each face, 0 for none."""
    amulet_own: tuple[int, ...]
    """The faces whose unit is of the player's own faction instead of the amulet's."""
    ruins: tuple[int, ...]
    """Possible strengths of the ruins, default first."""
    neutral_extra: tuple[int, ...]
    """Possible bonuses of neutral cities above their level, default first."""
    slots: int
    """Face-down cards of one player."""
    slots_in_all: int
    pavilion: int
    """Number of cards that the Pavilion keeps."""
    victory_cities: tuple[int, ...]
    modules: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The modules' numbers by name: all rulings that are not fields of the core."""
    rulings: Mapping[str, Ruling] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    readings: Mapping[str, Ruling] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    """Readings of ambiguous clauses, by name (`domain.games.battalia.rulesets.readings`)."""

    def reads(self, name: str) -> str:
        """The word for this ruleset's reading. Raises `KeyError` if there is no such reading."""
        word: str = self.readings[name].value
        return word

    @cache  # noqa: B019 - there are few rulesets, and they are never freed
    def hire_price(self, rank: int) -> Price:
        """PAY-01: the price of a unit of this rank."""
        return Price(supplies=self.hire[rank - 1])

    @cache  # noqa: B019
    def found_price(self, level: int) -> Price:
        """PAY-06: the price of founding a city of this level."""
        return Price(units=self.found_units, rank=level, building=True)

    @cache  # noqa: B019
    def upgrade_price(self, level: int) -> Price:
        """PAY-07: the price of upgrading a city to ``level``."""
        return Price(units=self.upgrade_units, rank=level, building=True)


def ruleset(key: str, readings: Mapping[str, Ruling], **rulings: Ruling) -> BattaliaNumbers:
    """A ruleset from readings and rulings: one for each number of the core, and any for modules."""
    own = {field.name for field in dataclasses.fields(BattaliaNumbers)}
    values = {name: ruling.value for name, ruling in rulings.items() if name in own}
    modules = {name: ruling.value for name, ruling in rulings.items() if name not in own}
    return BattaliaNumbers(key=key, rulings=rulings, readings=readings, modules=modules, **values)


def amended(
    rules: BattaliaNumbers, key: str, readings: Mapping[str, Ruling] | None = None, **rulings: Ruling
) -> BattaliaNumbers:
    """A copy of ``rules`` with these readings and rulings."""
    return ruleset(key, {**rules.readings, **(readings or {})}, **{**rules.rulings, **rulings})


def sourced(clause: str, value: Any) -> Ruling:
    """Mark S: from a source."""
    return Ruling(value, clause, "S")


def published(clause: str, value: Any) -> Ruling:
    """Mark P: from the publisher or reviewers."""
    return Ruling(value, clause, "P")


def house(clause: str, value: Any) -> Ruling:
    """Mark H: a house rule."""
    return Ruling(value, clause, "H")
