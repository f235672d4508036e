"""What a ruleset holds: every number that the rulebook's pages leave in doubt, and how they are read, with clause and mark."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from domain.rulings import Ruling


class Price(NamedTuple):
    """What one line must hold: so many units of a rank (0: of any) and so many supplies, exactly."""

    units: int = 0
    rank: int = 0
    supplies: int = 0
    building: bool = False
    """Whether a tool may stand for a missing card (ART-06)."""


@dataclass(frozen=True, slots=True)
class Map:
    """A board: its size, where the players may start and which squares hold neutral cities."""

    columns: int
    rows: int
    starts: tuple[str, ...]
    neutrals: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Rules:
    """The numbers and readings of one ruleset; `rulings` and `readings` tell clause and mark of each.

    Compared by identity: there is one of each.
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
    """Great artefacts that lie open besides one for each player."""
    maps: Mapping[int, Map]
    start_units: tuple[int, ...]
    """How many units of each rank a deck starts with."""
    start_supplies: int
    start_level: int
    neutral_level: int
    heroes: int
    hand: int
    mulligan: int
    """How many cards fewer are drawn."""
    cohort: Mapping[int, int]
    """For each number of cards shown, how many are drawn."""
    wheel: tuple[str, ...]
    matching: int
    """On day d the matching place is this many times d."""
    top_level: int
    hire: tuple[int, ...]
    """Supplies for a unit of each rank."""
    take_supply: Price
    take_artefact: Price
    road: Mapping[str, Price]
    """What a road of each shape costs (PAY-04, PAY-05)."""
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
    """Ranks that a title lifts."""
    lit: int
    """How many times as much a lit artefact counts."""
    amulet: tuple[str, ...]
    """What each face of the die brings: a rank, ``supply`` or ``any``."""
    amulet_ranks: tuple[int, ...]
    """In a battle line: the rank of the unit that each face brings, 0 for none."""
    amulet_own: tuple[int, ...]
    """The faces whose unit is of the player's own faction instead of the amulet's."""
    ruins: tuple[int, ...]
    """What strength the ruins may be given, the usual one first."""
    neutral_extra: tuple[int, ...]
    """What neutral cities may be given above their level, the usual first."""
    slots: int
    """Face-down cards of one player."""
    slots_in_all: int
    pavilion: int
    """Cards that the Pavilion keeps."""
    victory_cities: tuple[int, ...]
    modules: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """What modules count with, by name: every ruling that is none of the core's own."""
    rulings: Mapping[str, Ruling] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    readings: Mapping[str, Ruling] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    """How clauses are read that have been read in more than one way (`domain.battalia.rulesets.readings`), by name."""

    def reads(self, name: str) -> str:
        """The word for how this ruleset reads something; raises `KeyError` for a name that is no reading."""
        word: str = self.readings[name].value
        return word

    @cache  # noqa: B019 - there are few rulesets, and none ever goes
    def hire_price(self, rank: int) -> Price:
        """PAY-01."""
        return Price(supplies=self.hire[rank - 1])

    @cache  # noqa: B019
    def found_price(self, level: int) -> Price:
        """PAY-06."""
        return Price(units=self.found_units, rank=level, building=True)

    @cache  # noqa: B019
    def upgrade_price(self, level: int) -> Price:
        """PAY-07, to ``level``."""
        return Price(units=self.upgrade_units, rank=level, building=True)


def ruleset(key: str, readings: Mapping[str, Ruling], **rulings: Ruling) -> Rules:
    """A ruleset from its readings and its rulings, one for each number of the core's and any for modules."""
    own = {field.name for field in dataclasses.fields(Rules)}
    values = {name: ruling.value for name, ruling in rulings.items() if name in own}
    modules = {name: ruling.value for name, ruling in rulings.items() if name not in own}
    return Rules(key=key, rulings=rulings, readings=readings, modules=modules, **values)


def amended(rules: Rules, key: str, readings: Mapping[str, Ruling] | None = None, **rulings: Ruling) -> Rules:
    """Another ruleset, which differs from ``rules`` in these."""
    return ruleset(key, {**rules.readings, **(readings or {})}, **{**rules.rulings, **rulings})


def sourced(clause: str, value: Any) -> Ruling:
    """Mark S: a source says so."""
    return Ruling(value, clause, "S")


def published(clause: str, value: Any) -> Ruling:
    """Mark P: publisher or reviewers say so."""
    return Ruling(value, clause, "P")


def house(clause: str, value: Any) -> Ruling:
    """Mark H: this house rules so."""
    return Ruling(value, clause, "H")
