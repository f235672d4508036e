"""Acquiring cards and building: what each action needs, and every way to do it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from domain.battalia import commands as cmd
from domain.battalia import deck, lines, roads, wheel
from domain.battalia import events as ev
from domain.battalia.cards import ARTEFACTS, CARDS, CITIES, EXITS, RANKS, ROADS, SUPPLY, UNBOUND
from domain.battalia.flow import Flow
from domain.battalia.lines import Bag
from domain.battalia.refusals import (
    DoesNotPay,
    EmptyPile,
    NoCohort,
    NotConnected,
    NotYourCity,
    TooLate,
    UnknownChoice,
    WrongLevel,
)
from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.rules import Price
from domain.battalia.state import State
from domain.terms import OneOf, Option, Seat

STAFF = "staff"


# -- before the first action ------------------------------------------------------------------------------------------


def mulligan(flow: Flow, seat: Seat) -> None:
    """TURN-01."""
    _check_fresh(flow.state)
    hand = flow.state.players[seat].hand
    if not hand:
        raise TooLate("There is no hand to discard.", rule="TURN-01")
    flow.happen(ev.HandMulliganed(seat, hand))
    deck.draw(flow, seat, len(hand) - flow.rules.mulligan)


def _check_fresh(state: State) -> None:
    if not state.turn.fresh:
        raise TooLate("This is for the beginning of a turn, before any action.")


def cohort(flow: Flow, seat: Seat, command: cmd.ShowCohort) -> None:
    """TURN-02."""
    _check_fresh(flow.state)
    cards = command.cards
    own = flow.state.players[seat].hand
    if any(card not in own for card in cards) or len(set(cards)) < len(cards):
        lines.check_held(flow.state, seat, [card for card in cards if card not in own] or cards)
        raise NoCohort("A cohort is shown from the hand.", field="cards")
    if len(cards) not in flow.rules.cohort:
        raise NoCohort("No cohort has this many cards.", field="cards", sizes=sorted(flow.rules.cohort))
    if not any(set(cards) <= set(choices) for choices in cohorts(own).values()):
        raise NoCohort("A cohort is of one faction.", field="cards")
    flow.happen(ev.CohortShown(seat, tuple(cards)))
    deck.draw(flow, seat, flow.rules.cohort[len(cards)])


def cohorts(hand: Sequence[str]) -> dict[str, list[str]]:
    """The cards of each faction, the Unbound with every one of them."""
    unbound = [card for card in hand if CARDS[card].unbound]
    factions = sorted({CARDS[card].faction for card in hand} - {""})
    if not factions and unbound:
        return {"": unbound}
    return {f: [card for card in hand if CARDS[card].faction == f or CARDS[card].unbound] for f in factions}


def fresh_options(state: State, seat: Seat) -> Iterator[Option]:
    """Mulligan and cohorts."""
    hand = state.players[seat].hand
    if not state.turn.fresh or not hand:
        return
    yield Option("mulligan")
    seen: set[frozenset[str]] = set()
    rules = RULESETS[state.ruleset]
    for cards in cohorts(hand).values():
        for size in rules.cohort:
            if size <= len(cards):
                yield from _cohort_options(cards, size, seen)


def _cohort_options(cards: Sequence[str], size: int, seen: set[frozenset[str]]) -> Iterator[Option]:
    for line in lines.choose(cards, size):
        if frozenset(line) not in seen:
            seen.add(frozenset(line))
            yield Option("show_cohort", {"cards": list(line)})


# -- acquiring --------------------------------------------------------------------------------------------------------


def units_on_offer(state: State) -> dict[str, str]:
    """What may be hired, and the card that would come; an Unbound is the topmost of its rank."""
    found = {rank: state.piles[rank][0] for rank in RANKS if state.piles[rank]}
    mercenaries = state.piles.get(UNBOUND, ())
    for rank in RANKS:  # in this order, which must not tell how the pile lies
        topmost_ = next((card for card in mercenaries if CARDS[card].kind == rank), None)
        if topmost_ is not None:
            found[f"{UNBOUND}-{rank}"] = topmost_
    return found


def hire(flow: Flow, seat: Seat, command: cmd.HireUnit) -> None:
    """PAY-01."""
    offer = units_on_offer(flow.state)
    if command.unit.removeprefix(UNBOUND + "-") not in RANKS:
        raise UnknownChoice("There is no such unit.", rule="SET-03", field="unit")
    if command.unit not in offer:
        raise EmptyPile("No such unit is left.", field="unit", unit=command.unit)
    card = CARDS[offer[command.unit]]
    price = lines.price_of(flow.state, seat, "hire_unit", flow.rules.hire_price(card.rank))
    lines.check_pays(flow.state, seat, command.cards, price, "PAY-01")
    flow.happen(ev.CardTaken(seat, card.pile, card.id, command.cards))


def take_supply(flow: Flow, seat: Seat, command: cmd.TakeSupply) -> None:
    """PAY-02."""
    pile = flow.state.piles[SUPPLY]
    if not pile:
        raise EmptyPile("There are no supplies left.")
    price = lines.price_of(flow.state, seat, "take_supply", flow.rules.take_supply)
    lines.check_pays(flow.state, seat, command.cards, price, "PAY-02")
    flow.happen(ev.CardTaken(seat, SUPPLY, pile[0], command.cards))


def take_artefact(flow: Flow, seat: Seat, command: cmd.TakeArtefact) -> None:
    """PAY-03."""
    if command.artefact not in ARTEFACTS:
        raise UnknownChoice("There is no such artefact.", rule="SET-05", field="artefact")
    card = topmost(flow.state, command.artefact, command.faction, matching=wheel.matching(flow.state))
    price = lines.price_of(flow.state, seat, "take_artefact", flow.rules.take_artefact)
    lines.check_pays(flow.state, seat, command.cards, price, "PAY-03")
    flow.happen(ev.CardTaken(seat, command.artefact, card, command.cards))


def topmost(state: State, pile: str, faction: str, *, matching: str) -> str:
    """The top card of a pile, or with a faction named the topmost of that faction (DAY-07, Staff of Terra)."""
    if not state.piles.get(pile):
        raise EmptyPile("This pile is empty.", pile=pile)
    if not faction:
        return state.piles[pile][0]
    if pile != matching:
        raise UnknownChoice("The faction may be chosen for the matching type only.", rule="DAY-07", field="faction")
    for card in state.piles[pile]:
        if CARDS[card].faction == faction:
            return card
    raise EmptyPile("The pile holds no such card.", field="faction", pile=pile, faction=faction)


def factions_in(state: State, pile: str) -> tuple[str, ...]:
    """The factions of which a pile still holds a card."""
    return tuple(sorted({CARDS[card].faction for card in state.piles[pile]} - {""}))


def acquiring_options(state: State, seat: Seat, held: Bag) -> Iterator[Option]:
    """Hire, supplies, artefacts."""
    rules = RULESETS[state.ruleset]
    by_price: dict[Price, list[str]] = {}
    for unit, card in units_on_offer(state).items():
        price = lines.price_of(state, seat, "hire_unit", rules.hire_price(CARDS[card].rank))
        by_price.setdefault(price, []).append(unit)
    for price, units in by_price.items():
        for form in lines.forms(state, held, price):
            yield lines.option("hire_unit", {}, form, OneOf("unit", tuple(units)))
    if state.piles[SUPPLY]:
        for form in lines.forms(state, held, lines.price_of(state, seat, "take_supply", rules.take_supply)):
            yield lines.option("take_supply", {}, form)
    piles = tuple(artefact for artefact in ARTEFACTS if state.piles[artefact])
    if not piles:
        return
    match = wheel.matching(state)
    for form in lines.forms(state, held, lines.price_of(state, seat, "take_artefact", rules.take_artefact)):
        yield lines.option("take_artefact", {"faction": ""}, form, OneOf("artefact", piles))
        if match in piles:
            chosen = OneOf("faction", factions_in(state, match))
            yield lines.option("take_artefact", {"artefact": match}, form, chosen)


# -- building ---------------------------------------------------------------------------------------------------------


def landless(state: State, seat: Seat) -> tuple[str, ...]:
    """END-03: where a player without a city may found one; empty for all others."""
    if roads.cities_of(state.cities, seat):
        return ()
    home = state.players[seat].home
    if home not in state.board:
        return (home,)
    every = roads.squares(state.columns, state.rows)
    return tuple(name for name in every if name not in state.board and roads.on_edge(state, name))


def _check_site(state: State, seat: Seat, shape: str, square: str, exits: str) -> None:
    if exits not in EXITS[shape]:
        raise UnknownChoice("This card does not lie like that.", rule="MAP-01", field="exits")
    if square in landless(state, seat):
        return
    sides = roads.sites(state, seat).get(square, "")
    if not sides:
        raise NotConnected("No road of yours leads to an empty square there.", field="square", square=square)
    if exits not in roads.turnings(shape, sides):
        raise NotConnected("Turned like that it meets no road of yours.", field="exits", sides=sides)


def _card_of(state: State, pile: str, command: cmd.BuildRoad | cmd.FoundCity) -> tuple[str, tuple[str, ...]]:
    """The card to be laid, and the line without the Staff of Terra (ART-09)."""
    staffs = [card for card in command.cards if CARDS[card].kind == STAFF]
    if len(staffs) != bool(command.terrain):
        raise DoesNotPay("The terrain is chosen with the Staff of Terra, and only so.", rule="ART-09", field="terrain")
    rest = tuple(card for card in command.cards if card not in staffs)
    return topmost(state, pile, command.terrain, matching=pile), rest


def build_road(flow: Flow, seat: Seat, command: cmd.BuildRoad) -> None:
    """PAY-04, PAY-05, MAP-01."""
    if command.shape not in ROADS:
        raise UnknownChoice("There is no such road.", rule="SET-08", field="shape")
    lines.check_held(flow.state, seat, command.cards)
    card, line = _card_of(flow.state, f"road-{command.shape}", command)
    _check_site(flow.state, seat, command.shape, command.square, command.exits)
    if not roads.cities_of(flow.state.cities, seat):
        raise NotConnected("Without a city there is no road of yours.", field="square")
    price = lines.price_of(flow.state, seat, "build_road", flow.rules.road[command.shape])
    clause = "PAY-04" if command.shape in ("straight", "bend") else "PAY-05"
    lines.check_pays(flow.state, seat, line, price, clause)
    flow.happen(ev.RoadBuilt(seat, card, command.square, command.exits, command.cards))


def found_prices(state: State, seat: Seat) -> Mapping[int, tuple[Price, str]]:
    """The price of a city of each level, and its clause."""
    rules = RULESETS[state.ruleset]
    if landless(state, seat):
        base = {rules.start_level: (rules.rebuild, "END-03")}
    else:
        base = {level: (rules.found_price(level), "PAY-06") for level in range(1, rules.top_level + 1)}
    return {level: (lines.price_of(state, seat, "found_city", p), clause) for level, (p, clause) in base.items()}


def found_city(flow: Flow, seat: Seat, command: cmd.FoundCity) -> None:
    """PAY-06, END-03."""
    if command.shape not in CITIES:
        raise UnknownChoice("There is no such city.", rule="SET-08", field="shape")
    lines.check_held(flow.state, seat, command.cards)
    card, line = _card_of(flow.state, f"city-{command.shape}", command)
    _check_site(flow.state, seat, command.shape, command.square, command.exits)
    prices = found_prices(flow.state, seat)
    if command.level not in prices:
        raise WrongLevel("No city is founded at this level.", field="level", levels=sorted(prices))
    price, clause = prices[command.level]
    lines.check_pays(flow.state, seat, line, price, clause)
    flow.happen(ev.CityFounded(seat, card, command.square, command.exits, command.level, command.cards))


def _own_city(state: State, seat: Seat, square: str) -> int:
    city = state.cities.get(square)
    if city is None or city.owner != seat:
        raise NotYourCity("You have no city there.", field="square", square=square)
    return city.level


def upgrade_city(flow: Flow, seat: Seat, command: cmd.UpgradeCity) -> None:
    """PAY-07."""
    level = _own_city(flow.state, seat, command.square) + 1
    if not 1 < level <= flow.rules.top_level:
        raise WrongLevel("This city cannot be upgraded.", field="square", level=level - 1)
    price = lines.price_of(flow.state, seat, "upgrade_city", flow.rules.upgrade_price(level))
    lines.check_pays(flow.state, seat, command.cards, price, "PAY-07")
    flow.happen(ev.CityUpgraded(seat, command.square, level, command.cards))


def rebuild_city(flow: Flow, seat: Seat, command: cmd.RebuildCity) -> None:
    """PAY-08."""
    if _own_city(flow.state, seat, command.square) != 0:
        raise WrongLevel("Only a ruined city is rebuilt.", field="square")
    price = lines.price_of(flow.state, seat, "rebuild_city", flow.rules.rebuild)
    lines.check_pays(flow.state, seat, command.cards, price, "PAY-08")
    flow.happen(ev.CityRebuilt(seat, command.square, 1, command.cards))


def building_options(state: State, seat: Seat, held: Bag) -> Iterator[Option]:
    """Roads and cities."""
    rules = RULESETS[state.ruleset]
    free = landless(state, seat)
    if free:
        sites: Mapping[str, str] = dict.fromkeys(free, roads.DIRECTIONS)
    else:
        sites = roads.sites(state, seat)
        prices = {shape: lines.price_of(state, seat, "build_road", rules.road[shape]) for shape in ROADS}
        yield from _laying(state, held, "build_road", prices, sites, {})
    for level, (price, _) in found_prices(state, seat).items():
        yield from _laying(state, held, "found_city", dict.fromkeys(CITIES, price), sites, {"level": level})
    upgrades: dict[int, list[str]] = {}
    for name in roads.cities_of(state.cities, seat):
        upgrades.setdefault(state.cities[name].level, []).append(name)
    for level, names in upgrades.items():
        if level == 0:
            type_, price = "rebuild_city", lines.price_of(state, seat, "rebuild_city", rules.rebuild)
        elif level < rules.top_level:
            type_, price = "upgrade_city", lines.price_of(state, seat, "upgrade_city", rules.upgrade_price(level + 1))
        else:
            continue
        for form in lines.forms(state, held, price):
            yield lines.option(type_, {}, form, OneOf("square", tuple(names)))


def _laying(
    state: State, held: Bag, type_: str, prices: Mapping[str, Price], sites: Mapping[str, str], fixed: dict[str, object]
) -> Iterator[Option]:
    known: dict[Price, list[lines.Form]] = {}
    for shape, price in prices.items():
        pile = f"{type_.partition('_')[2]}-{shape}"
        if price not in known:
            known[price] = lines.forms(state, held, price)
        if not state.piles[pile] or not known[price]:
            continue
        for squares, exits in _grouped(shape, sites):
            place = (OneOf("square", squares), OneOf("exits", exits))
            for form in known[price]:
                yield lines.option(type_, {**fixed, "shape": shape, "terrain": ""}, form, *place)
            for staff in held.get(STAFF, ()):
                chosen = OneOf("terrain", factions_in(state, pile))
                for line in (line for form in known[price] for line in lines.lines_of(form)):
                    yield lines.option(type_, {**fixed, "shape": shape}, (*line, staff), *place, chosen)


def _grouped(shape: str, sites: Mapping[str, str]) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Squares with the ways in which the card may lie on all of them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, sides in sites.items():
        groups.setdefault(roads.turnings(shape, sides), []).append(name)
    return [(tuple(names), exits) for exits, names in groups.items()]
