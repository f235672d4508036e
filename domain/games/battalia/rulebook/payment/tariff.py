"""All current prices for one player, computed once, because Options need most of them (PAY-01 to PAY-08)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Cost
from domain.games.battalia.rulebook.payment import lines
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import Seat


@dataclass(frozen=True, slots=True)
class Tariff:
    """Prices of the core's actions."""

    hire: tuple[Price, ...]
    """Price of a unit, by rank."""
    take_supply: Price
    take_artefact: Price
    road: Mapping[str, Price]
    """Price of a road, by shape."""
    found: Mapping[int, Price]
    """Price of a city, by level."""
    refound: Mapping[int, Price]
    """END-03: the price for a player without a city, by level."""
    upgrade: Mapping[int, Price]
    """Price of an upgrade, by the new level."""
    rebuild: Price


def tariff(state: BattaliaState, seat: Seat) -> Tariff:
    usual = _usual(RULESETS[state.ruleset])
    return _adjusted(usual, state, seat) if registry.adjusts(state.modules, Cost) else usual


@cache
def _usual(rules: BattaliaNumbers) -> Tariff:
    return Tariff(
        hire=tuple(rules.hire_price(rank) for rank in range(1, len(rules.hire) + 1)),
        take_supply=rules.take_supply,
        take_artefact=rules.take_artefact,
        road=rules.road,
        found={level: rules.found_price(level) for level in range(1, rules.top_level + 1)},
        refound={rules.start_level: rules.rebuild},
        upgrade={level: rules.upgrade_price(level) for level in range(2, rules.top_level + 1)},
        rebuild=rules.rebuild,
    )


def _adjusted(usual: Tariff, state: BattaliaState, seat: Seat) -> Tariff:
    def now(action: str, price: Price) -> Price:
        return lines.price_of(state, seat, action, price)

    return Tariff(
        hire=tuple([now("hire_unit", price) for price in usual.hire]),
        take_supply=now("take_supply", usual.take_supply),
        take_artefact=now("take_artefact", usual.take_artefact),
        road={shape: now("build_road", price) for shape, price in usual.road.items()},
        found={level: now("found_city", price) for level, price in usual.found.items()},
        refound={level: now("found_city", price) for level, price in usual.refound.items()},
        upgrade={level: now("upgrade_city", price) for level, price in usual.upgrade.items()},
        rebuild=now("rebuild_city", usual.rebuild),
    )
