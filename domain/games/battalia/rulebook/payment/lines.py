"""The lines with which a hand pays a price (TURN-03): their forms in Options, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import Any, TypeVar

from domain.games.battalia.cards import CARDS
from domain.games.battalia.evolve import zones
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Cost
from domain.games.battalia.rulebook.payment import exact, wheel
from domain.games.battalia.rulebook.refusals import DoesNotPay, NotInHand
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import Open, Option, Seat, SubsetOf

LISTED = 24
"""Maximum number of lines of one price that are listed individually. Beyond it, each sort of line becomes one template.
"""


@dataclass(frozen=True, slots=True)
class Wide:
    """A line with one choice of each part; the parts share no card."""

    parts: tuple[SubsetOf, ...]


T = TypeVar("T")
Form = tuple[str, ...] | SubsetOf | Wide
"""One way to pay: a line, a choice of equal cards, or a choice from each of several sorts."""


class Bag(dict[str, tuple[str, ...]]):
    """Cards by kind, and what they pay under one ruleset with the illuminated type ``lit``; immutable."""

    __slots__ = ("_forms", "_once", "listed", "pays")

    def __init__(self, cards: Iterable[str], rules: BattaliaNumbers, lit: str, listed: int) -> None:
        super().__init__({kind: tuple(several) for kind, several in bag_of(cards).items()})
        self.listed = listed
        """Maximum number of lines of one price that are listed individually."""
        self.pays = exact.purse(exact.counted(self), rules, lit)
        """The lines that pay a price, by price, as counts of each sort; empty if it cannot be paid."""
        self._forms: dict[Price, tuple[Form, ...]] = {}
        self._once: dict[Callable[[Bag], Any], Any] = {}

    def forms(self, price: Price) -> tuple[Form, ...]:
        """Every way to pay the price with these cards; computed on first use."""
        found = self._forms.get(price)
        if found is None:
            found = self._forms[price] = tuple(_forms(self, self.pays[price]))
        return found

    def once(self, work_out: Callable[[Bag], T]) -> T:
        """A value derived from these cards; computed on first use."""
        if work_out not in self._once:
            self._once[work_out] = work_out(self)
        found: T = self._once[work_out]
        return found


def bag_of(cards: Iterable[str]) -> dict[str, list[str]]:
    bag: dict[str, list[str]] = {}
    for card in cards:
        bag.setdefault(CARDS[card].kind, []).append(card)
    return bag


def bag(state: BattaliaState, seat: Seat) -> Bag:
    """The cards that the seat may play in a line, by kind."""
    return _bag(zones.at_hand(state.players[seat]), state.ruleset, wheel.lit(state), LISTED)


@lru_cache(maxsize=1 << 7)
def _bag(cards: tuple[str, ...], ruleset: str, lit: str, listed: int) -> Bag:
    return Bag(cards, RULESETS[ruleset], lit, listed)


def price_of(state: BattaliaState, seat: Seat, action: str, price: Price) -> Price:
    """The current price of the action for this player."""
    if not registry.adjusts(state.modules, Cost):
        return price
    return registry.adjusted(state, Cost(seat, action, price)).price


def _forms(held: Bag, paying: Sequence[exact.Counts]) -> list[Form]:
    found: list[Form] = []
    single: list[str] = []
    sorted_out = [[(held[sort], count) for sort, count in exact.sorts_of(line)] for line in paying]
    listed = sum(_ways(sorts) for sorts in sorted_out if len(sorts) > 1) <= held.listed
    for sorts in sorted_out:
        if len(sorts) > 1 and listed:
            parts = product(*(combinations(cards, count) for cards, count in sorts))
            found.extend(tuple(card for part in parts_ for card in part) for parts_ in parts)
        elif len(sorts) > 1:
            found.append(Wide(tuple(_some(cards, count, count) for cards, count in sorts)))
        elif sorts[0][1] == 1:
            single.extend(sorts[0][0])
        else:
            found.append(_some(sorts[0][0], sorts[0][1], sorts[0][1]))
    if single:
        found.append(_some(single, 1, 1))
    return found


def _ways(sorts: Sequence[tuple[Sequence[str], int]]) -> int:
    ways = 1
    for cards, count in sorts:
        ways *= comb(len(cards), count)
    return ways


def _some(cards: Sequence[str], least: int, most: int) -> SubsetOf:
    return SubsetOf("cards", tuple(cards), least, most)


def wide(*parts: tuple[Sequence[str], int, int]) -> Form:
    """A form that chooses from each part; empty parts are left out."""
    there = tuple(_some(*part) for part in parts if part[0])
    return there[0] if len(there) == 1 else Wide(there)


def with_one_more(forms_: Sequence[Form], card: str, most: int) -> Iterator[Form]:
    """The forms with one more card in every line; up to ``most`` are listed individually."""
    there = [form for form in forms_ if isinstance(form, SubsetOf)]
    listed = sum(comb(len(form.choices), form.min) for form in there) <= most
    for form in forms_:
        if isinstance(form, tuple):
            yield (*form, card)
        elif isinstance(form, Wide):
            yield Wide((*form.parts, _some((card,), 1, 1)))
        elif listed:
            yield from ((*map(str, line), card) for line in combinations(form.choices, form.min))
        else:
            yield Wide((form, _some((card,), 1, 1)))


def option(type_: str, fixed: Mapping[str, object], form: Form, *open_: Open) -> Option:
    """An Option paid in this form."""
    if isinstance(form, tuple):
        return Option(type_, {**fixed, "cards": list(form)}, open_)
    return Option(type_, fixed, (*open_, *(form.parts if isinstance(form, Wide) else (form,))))


def check_held(state: BattaliaState, seat: Seat, cards: Sequence[str], field: str = "cards") -> None:
    """Refuse cards that the seat does not have, or a card named twice."""
    held = zones.at_hand(state.players[seat])
    missing = [card for card in dict.fromkeys(cards) if card not in held]
    if missing:
        raise NotInHand("These cards are not yours to play.", field=field, missing=missing)
    if len(set(cards)) < len(cards):
        raise NotInHand("A card is named twice.", field=field)


def check_pays(state: BattaliaState, seat: Seat, cards: Sequence[str], price: Price, clause: str) -> None:
    """Refuse a line that does not pay exactly."""
    check_held(state, seat, cards)
    kinds = bag_of(cards)
    line = exact.counted(kinds)
    if sum(line) == len(cards) and exact.pays(line, price, RULESETS[state.ruleset], wheel.lit(state)):
        return
    raise DoesNotPay(
        f"This line does not pay exactly: the price is {_price_text(price)}.",
        rule=clause,
        field="cards",
        units=price.units,
        rank=price.rank,
        supplies=price.supplies,
    )


def _price_text(price: Price) -> str:
    units = f"{price.units} of rank {price.rank}" if price.rank else f"{price.units} of any rank"
    parts = ([f"{units}"] if price.units else []) + ([f"{price.supplies} supplies"] if price.supplies else [])
    return " and ".join(parts)
