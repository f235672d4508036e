"""Roads and cities: legal squares, prices, and every way to build them (PAY-04 to PAY-08, MAP-01, END-03)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS, CITIES, EXITS, ROADS
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Cost
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.rulebook.actions.acquire import factions_in, topmost
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.land import ReachableLand
from domain.games.battalia.rulebook.payment import lines
from domain.games.battalia.rulebook.payment.lines import Bag
from domain.games.battalia.rulebook.payment.tariff import Tariff
from domain.games.battalia.rulebook.refusals import DoesNotPay, NotConnected, NotYourCity, UnknownChoice, WrongLevel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import OneOf, Option, Seat

STAFF = "staff"


def _check_site(state: BattaliaState, seat: Seat, shape: str, square: str, exits: str) -> None:
    if exits not in EXITS[shape]:
        raise UnknownChoice("This card cannot be placed like that.", rule="MAP-01", field="exits")
    if square in roads.landless(state, seat):
        return
    sides = roads.sites(state, seat).get(square, "")
    if not sides:
        raise NotConnected("No road of yours leads to an empty square there.", field="square", square=square)
    if exits not in roads.turnings(shape, sides):
        raise NotConnected("Turned like that, the card does not meet your roads.", field="exits", sides=sides)


def _card_of(state: BattaliaState, pile: str, command: cmd.BuildRoad | cmd.FoundCity) -> tuple[str, tuple[str, ...]]:
    """The card to place, and the line without the Staff of Terra (ART-09)."""
    staffs = [card for card in command.cards if CARDS[card].kind == STAFF]
    if len(staffs) != bool(command.terrain):
        raise DoesNotPay(
            "You can choose the terrain only with the Staff of Terra, and must choose it then.",
            rule="ART-09",
            field="terrain",
        )
    rest = tuple(card for card in command.cards if card not in staffs)
    return topmost(state, pile, command.terrain, matching=pile), rest


def build_road(decision: BattaliaDecision, seat: Seat, command: cmd.BuildRoad) -> None:
    """PAY-04, PAY-05, MAP-01: build a road."""
    if command.shape not in ROADS:
        raise UnknownChoice("There is no such road.", rule="SET-08", field="shape")
    lines.check_held(decision.state, seat, command.cards)
    card, line = _card_of(decision.state, f"road-{command.shape}", command)
    _check_site(decision.state, seat, command.shape, command.square, command.exits)
    if not roads.cities_of(decision.state.cities, seat):
        raise NotConnected("You have no city, so you have no road.", field="square")
    price = lines.price_of(decision.state, seat, "build_road", decision.rules.road[command.shape])
    clause = "PAY-04" if command.shape in ("straight", "bend") else "PAY-05"
    lines.check_pays(decision.state, seat, line, price, clause)
    decision.happen(ev.RoadBuilt(seat, card, command.square, command.exits, command.cards))


def found_prices(state: BattaliaState, seat: Seat) -> Mapping[int, tuple[Price, str]]:
    """The price of a city of each level, and its clause."""
    base = _usual_prices(RULESETS[state.ruleset], landless=bool(roads.landless(state, seat)))
    if not registry.adjusts(state.modules, Cost):
        return base
    return {level: (lines.price_of(state, seat, "found_city", p), clause) for level, (p, clause) in base.items()}


@cache
def _usual_prices(rules: BattaliaNumbers, *, landless: bool) -> Mapping[int, tuple[Price, str]]:
    if landless:
        return {rules.start_level: (rules.rebuild, "END-03")}
    return {level: (rules.found_price(level), "PAY-06") for level in range(1, rules.top_level + 1)}


def found_city(decision: BattaliaDecision, seat: Seat, command: cmd.FoundCity) -> None:
    """PAY-06, END-03: found a city."""
    if command.shape not in CITIES:
        raise UnknownChoice("There is no such city.", rule="SET-08", field="shape")
    lines.check_held(decision.state, seat, command.cards)
    card, line = _card_of(decision.state, f"city-{command.shape}", command)
    _check_site(decision.state, seat, command.shape, command.square, command.exits)
    prices = found_prices(decision.state, seat)
    if command.level not in prices:
        raise WrongLevel("You cannot found a city of this level.", field="level", levels=sorted(prices))
    price, clause = prices[command.level]
    lines.check_pays(decision.state, seat, line, price, clause)
    decision.happen(ev.CityFounded(seat, card, command.square, command.exits, command.level, command.cards))


def _own_city(state: BattaliaState, seat: Seat, square: str, clause: str) -> int:
    city = state.cities.get(square)
    if city is None or city.owner != seat:
        raise NotYourCity("You have no city there.", rule=clause, field="square", square=square)
    return city.level


def upgrade_city(decision: BattaliaDecision, seat: Seat, command: cmd.UpgradeCity) -> None:
    """PAY-07: upgrade a city."""
    level = _own_city(decision.state, seat, command.square, "PAY-07") + 1
    if not 1 < level <= decision.rules.top_level:
        words = "A ruined city is rebuilt first." if level == 1 else "No city rises higher than this."
        raise WrongLevel(words, field="square", level=level - 1)
    price = lines.price_of(decision.state, seat, "upgrade_city", decision.rules.upgrade_price(level))
    lines.check_pays(decision.state, seat, command.cards, price, "PAY-07")
    decision.happen(ev.CityUpgraded(seat, command.square, level, command.cards))


def rebuild_city(decision: BattaliaDecision, seat: Seat, command: cmd.RebuildCity) -> None:
    """PAY-08: rebuild a city."""
    if _own_city(decision.state, seat, command.square, "PAY-08") != 0:
        raise WrongLevel("This city is not in ruins. You can only rebuild a ruined city.", field="square")
    price = lines.price_of(decision.state, seat, "rebuild_city", decision.rules.rebuild)
    lines.check_pays(decision.state, seat, command.cards, price, "PAY-08")
    decision.happen(ev.CityRebuilt(seat, command.square, 1, command.cards))


def building_options(state: BattaliaState, held: Bag, land: ReachableLand, costs: Tariff) -> Iterator[Option]:
    pays = held.pays
    if not land.landless:
        for shape in ROADS:
            if pays[costs.road[shape]]:
                yield from _laying(state, held, "build_road", costs.road[shape], land.sites, {"shape": shape})
    for level, price in (costs.refound if land.landless else costs.found).items():
        if pays[price]:
            for shape in CITIES:
                yield from _laying(state, held, "found_city", price, land.sites, {"level": level, "shape": shape})
    for level, squares in land.cities.items():
        price_ = costs.upgrade.get(level + 1) if level else costs.rebuild
        if price_ is not None and pays[price_]:
            for form in held.forms(price_):
                yield lines.option("upgrade_city" if level else "rebuild_city", {}, form, squares)


def _laying(
    state: BattaliaState,
    held: Bag,
    type_: str,
    price: Price,
    sites: roads.Sites,
    fixed: Mapping[str, Any],
) -> Iterator[Option]:
    """The Options for a card of one shape in every legal position.

    The card is the topmost one or, with the Staff of Terra (ART-09), the topmost one of a terrain.
    """
    shape = fixed["shape"]
    pile = f"{type_.partition('_')[2]}-{shape}"
    if not state.piles[pile]:
        return
    forms, untold = held.forms(price), {**fixed, "terrain": ""}
    for place in sites.places(shape):
        for form in forms:
            yield lines.option(type_, untold, form, *place)
        for staff in held.get(STAFF, ()):
            chosen = OneOf("terrain", factions_in(state, pile))
            for form in lines.with_one_more(forms, staff, held.listed):
                yield lines.option(type_, fixed, form, *place, chosen)
