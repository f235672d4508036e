"""Mulligan and cohorts before the first action (TURN-01, TURN-02), and acquiring cards (PAY-01 to PAY-03)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.cards import ARTEFACTS, CARDS, RANKS, SUPPLY, UNBOUND
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.rulebook.actions import deck
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.payment import lines, wheel
from domain.games.battalia.rulebook.payment.lines import Bag
from domain.games.battalia.rulebook.payment.tariff import Tariff
from domain.games.battalia.rulebook.refusals import (
    EmptyPile,
    NoCohort,
    TooLate,
    UnknownChoice,
)
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import OneOf, Option, Seat, SubsetOf

# -- before the first action ------------------------------------------------------------------------------------------


def mulligan(decision: BattaliaDecision, seat: Seat) -> None:
    """TURN-01: discard the hand and draw one card fewer."""
    _check_fresh(decision.state)
    hand = decision.state.players[seat].hand
    if not hand:
        raise TooLate("You have no hand to discard.", rule="TURN-01")
    decision.happen(ev.HandMulliganed(seat, hand))
    deck.draw(decision, seat, len(hand) - decision.rules.mulligan)


def _check_fresh(state: BattaliaState) -> None:
    if not state.turn.fresh:
        raise TooLate("You can do this only at the beginning of a turn, before any action.")


def cohort(decision: BattaliaDecision, seat: Seat, command: cmd.ShowCohort) -> None:
    """TURN-02: show a cohort and draw cards for it."""
    _check_fresh(decision.state)
    cards = command.cards
    own = decision.state.players[seat].hand
    if any(card not in own for card in cards) or len(set(cards)) < len(cards):
        lines.check_held(decision.state, seat, [card for card in cards if card not in own] or cards)
        raise NoCohort("You can only show a cohort from your hand.", field="cards")
    if len(cards) not in decision.rules.cohort:
        raise NoCohort(
            "A cohort does not have this number of cards.", field="cards", sizes=sorted(decision.rules.cohort)
        )
    if not any(set(cards) <= set(choices) for choices in cohorts(own).values()):
        raise NoCohort("All cards of a cohort must be of one faction.", field="cards")
    decision.happen(ev.CohortShown(seat, tuple(cards)))
    deck.draw(decision, seat, decision.rules.cohort[len(cards)])


def cohorts(hand: Sequence[str]) -> dict[str, list[str]]:
    """The cards of each faction, with the Unbound added to each."""
    unbound = [card for card in hand if CARDS[card].unbound]
    factions = sorted({CARDS[card].faction for card in hand} - {""})
    if not factions and unbound:
        return {"": unbound}
    return {f: [card for card in hand if CARDS[card].faction == f or CARDS[card].unbound] for f in factions}


def fresh_options(state: BattaliaState, seat: Seat) -> Iterator[Option]:
    """The Options before the first action: mulligan and cohorts."""
    hand = state.players[seat].hand
    if not state.turn.fresh or not hand:
        return
    yield Option("mulligan")
    shown = [
        (cards, size)
        for cards in cohorts(hand).values()
        for size in RULESETS[state.ruleset].cohort
        if size <= len(cards)
    ]
    if shown and sum(comb(len(cards), size) for cards, size in shown) > lines.LISTED:
        yield from (Option("show_cohort", {}, (SubsetOf("cards", tuple(cards), size, size),)) for cards, size in shown)
        return
    seen: set[frozenset[str]] = set()
    for cards, size in shown:
        yield from _cohort_options(cards, size, seen)


def _cohort_options(cards: Sequence[str], size: int, seen: set[frozenset[str]]) -> Iterator[Option]:
    for line in combinations(cards, size):
        if frozenset(line) not in seen:
            seen.add(frozenset(line))
            yield Option("show_cohort", {"cards": list(line)})


# -- acquiring --------------------------------------------------------------------------------------------------------


def units_on_offer(state: BattaliaState) -> dict[str, str]:
    """The units that can be hired, and the card for each; for an Unbound rank, the topmost card of that rank."""
    piles = state.piles
    found = {rank: piles[rank][0] for rank in RANKS if piles[rank]}
    return found | _topmost_mercenaries(piles[UNBOUND]) if UNBOUND in piles else found


_OFFERS = roads.Memo(512)
_HIRED_FROM = (*RANKS, UNBOUND)


def _units_by_price(state: BattaliaState, prices: tuple[Price, ...]) -> Sequence[tuple[Price, OneOf]]:
    """The units that can be hired for each price (one per rank), computed once for the current unit piles."""
    lying = tuple(map(state.piles.get, _HIRED_FROM))
    return _OFFERS.get(lying, prices, lambda: _offered(state, prices))


def _offered(state: BattaliaState, prices: tuple[Price, ...]) -> Sequence[tuple[Price, OneOf]]:
    by_price: dict[Price, list[str]] = {}
    for unit, card in units_on_offer(state).items():
        by_price.setdefault(prices[CARDS[card].rank - 1], []).append(unit)
    return [(price, OneOf("unit", tuple(units))) for price, units in by_price.items()]


@lru_cache(maxsize=1 << 10)
def _topmost_mercenaries(pile: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for rank in RANKS:  # in a fixed order, which must not reveal the order of the pile
        topmost_ = next((card for card in pile if CARDS[card].kind == rank), None)
        if topmost_ is not None:
            found[f"{UNBOUND}-{rank}"] = topmost_
    return found


def hire(decision: BattaliaDecision, seat: Seat, command: cmd.HireUnit) -> None:
    """PAY-01: hire a unit."""
    offer = units_on_offer(decision.state)
    if command.unit.removeprefix(UNBOUND + "-") not in RANKS:
        raise UnknownChoice("There is no such unit.", rule="SET-03", field="unit")
    if command.unit not in offer:
        raise EmptyPile("No such unit is left.", field="unit", unit=command.unit)
    card = CARDS[offer[command.unit]]
    price = lines.price_of(decision.state, seat, "hire_unit", decision.rules.hire_price(card.rank))
    lines.check_pays(decision.state, seat, command.cards, price, "PAY-01")
    decision.happen(ev.CardTaken(seat, card.pile, card.id, command.cards))


def take_supply(decision: BattaliaDecision, seat: Seat, command: cmd.TakeSupply) -> None:
    """PAY-02: take a supply card."""
    pile = decision.state.piles[SUPPLY]
    if not pile:
        raise EmptyPile("There are no supplies left.")
    price = lines.price_of(decision.state, seat, "take_supply", decision.rules.take_supply)
    lines.check_pays(decision.state, seat, command.cards, price, "PAY-02")
    decision.happen(ev.CardTaken(seat, SUPPLY, pile[0], command.cards))


def take_artefact(decision: BattaliaDecision, seat: Seat, command: cmd.TakeArtefact) -> None:
    """PAY-03: take an artefact."""
    if command.artefact not in ARTEFACTS:
        raise UnknownChoice("There is no such artefact.", rule="SET-05", field="artefact")
    card = topmost(decision.state, command.artefact, command.faction, matching=wheel.matching(decision.state))
    price = lines.price_of(decision.state, seat, "take_artefact", decision.rules.take_artefact)
    lines.check_pays(decision.state, seat, command.cards, price, "PAY-03")
    decision.happen(ev.CardTaken(seat, command.artefact, card, command.cards))


def topmost(state: BattaliaState, pile: str, faction: str, *, matching: str) -> str:
    """The top card of a pile, or the topmost card of a named faction (DAY-07, Staff of Terra)."""
    if not state.piles.get(pile):
        raise EmptyPile("This pile is empty.", pile=pile)
    if not faction:
        return state.piles[pile][0]
    if pile != matching:
        raise UnknownChoice(
            "You can choose the faction only for the matching artefact type.", rule="DAY-07", field="faction"
        )
    for card in state.piles[pile]:
        if CARDS[card].faction == faction:
            return card
    raise EmptyPile("This card is not in the pile.", field="faction", pile=pile, faction=faction)


def factions_in(state: BattaliaState, pile: str) -> tuple[str, ...]:
    return _factions_among(state.piles[pile])


@lru_cache(maxsize=1 << 10)
def _factions_among(cards: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({CARDS[card].faction for card in cards} - {""}))


def acquiring_options(state: BattaliaState, held: Bag, costs: Tariff) -> Iterator[Option]:
    """The Options for hiring units and taking supplies and artefacts."""
    for price, units in _units_by_price(state, costs.hire):
        if held.pays[price]:
            for form in held.forms(price):
                yield lines.option("hire_unit", {}, form, units)
    if held.pays[costs.take_supply] and state.piles[SUPPLY]:
        for form in held.forms(costs.take_supply):
            yield lines.option("take_supply", {}, form)
    if not held.pays[costs.take_artefact]:
        return
    piles = tuple([artefact for artefact in ARTEFACTS if state.piles[artefact]])
    if not piles:
        return
    match = wheel.matching(state)
    for form in held.forms(costs.take_artefact):
        yield lines.option("take_artefact", {"faction": ""}, form, OneOf("artefact", piles))
        if match in piles:
            faction = OneOf("faction", factions_in(state, match))
            yield lines.option("take_artefact", {"artefact": match}, form, faction)
