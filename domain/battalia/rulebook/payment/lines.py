"""Which lines of cards pay a price exactly (TURN-03), with artefacts that stand in for other cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb
from operator import gt

from domain.battalia.cards import CARDS, RANKS
from domain.battalia.evolve import zones
from domain.battalia.modules import registry
from domain.battalia.modules.adjustments import Cost
from domain.battalia.rulebook.payment import wheel
from domain.battalia.rulebook.refusals import DoesNotPay, NotInHand
from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.rules import Price, Rules
from domain.battalia.state import State
from domain.terms import Open, Option, Seat, SubsetOf

SORTS = (*RANKS, "supply", "tool", "title", "scroll", "hammer", "crown", "book")
"""The sorts of card that may lie in a paying line; lines are counted in this order."""
_ORDINARY = range(7)
_SUPPLY, _TOOL, _TITLE, _SCROLL, _HAMMER, _CROWN, _BOOK = range(4, 11)
Counts = tuple[int, ...]

LISTED = 24
"""So many lines of one price are listed one by one; where there are more, each sort of line becomes one template."""


@dataclass(frozen=True, slots=True)
class Wide:
    """A line made of one choice of each part; the parts share no card."""

    parts: tuple[SubsetOf, ...]


Form = tuple[str, ...] | SubsetOf | Wide
"""One way to pay: a line, a choice of equal cards, or a choice of each of several sorts."""


class Bag(dict[str, list[str]]):
    """Cards by kind, and how many there are of each sort that may pay."""

    counts: Counts = ()


def bag_of(cards: Iterable[str]) -> dict[str, list[str]]:
    """The cards by kind."""
    bag: dict[str, list[str]] = {}
    for card in cards:
        bag.setdefault(CARDS[card].kind, []).append(card)
    return bag


def bag(state: State, seat: Seat) -> Bag:
    """The cards that the seat may lay in a line, by kind."""
    held = Bag(bag_of(zones.at_hand(state.players[seat])))
    held.counts = tuple(len(held.get(sort, ())) for sort in SORTS)
    return held


@lru_cache(maxsize=1 << 16)
def pays(line: Counts, price: Price, rules: Rules, lit: str) -> bool:
    """Whether the line pays exactly: every card of it is needed, and nothing is missing."""
    if any(map(gt, line, _most(price))):  # no line that pays is so long: nobody has to look at all its copies
        return False
    if line[_BOOK]:  # ART-09: copies any card of the line
        rest = _changed(line, _BOOK, -1)
        return any(line[sort] and pays(_changed(rest, sort, 1), price, rules, lit) for sort in range(_BOOK))
    if line[_HAMMER]:  # ART-09: any ordinary artefact
        rest = _changed(line, _HAMMER, -1)
        return any(pays(_changed(rest, sort, 1), price, rules, lit) for sort in (_TOOL, _TITLE, _SCROLL))
    if line[_SCROLL]:  # ART-05
        rest = _changed(line, _SCROLL, -1)
        most = rules.lit if lit == "scroll" else 1
        return any(pays(copied, price, rules, lit) for copied in _copies(rest, most))
    return _fits(line, price, rules, lit)


def _copies(line: Counts, most: int) -> Iterator[Counts]:
    """The line with one to ``most`` copies of its ordinary cards."""
    for sort in _ORDINARY:
        if line[sort]:
            copied = _changed(line, sort, 1)
            yield copied
            if most > 1:
                yield from _copies(copied, most - 1)


def _changed(line: Counts, sort: int, by: int) -> Counts:
    return (*line[:sort], line[sort] + by, *line[sort + 1 :])


def _fits(line: Counts, price: Price, rules: Rules, lit: str) -> bool:
    units, supplies, tools = sum(line[:4]), line[_SUPPLY], line[_TOOL]
    if units > price.units or supplies > price.supplies or (tools and not price.building):
        return False
    missing = price.units + price.supplies - units - supplies
    if not tools <= missing <= tools * (rules.lit if lit == "tool" else 1):  # ART-06
        return False
    if price.rank == 0:
        return not line[_TITLE] and not line[_CROWN]
    if any(line[price.rank : 4]):
        return False
    return _lifts(line, price, rules, lit)


def _lifts(line: Counts, price: Price, rules: Rules, lit: str) -> bool:
    """Whether titles (ART-04) and crowns (ART-09) bring every unit to the rank, none of them in vain."""
    titles, crowns = line[_TITLE], line[_CROWN]
    lacking = [price.rank - rank for rank in range(1, price.rank) for _ in range(line[rank - 1])]
    if crowns and price.rank < len(RANKS):
        return False
    least, most = titles * rules.title, titles * rules.title * (rules.lit if lit == "title" else 1)
    return any(least <= sum(lacking) - sum(crowned) <= most for crowned in combinations(lacking, crowns))


@lru_cache(maxsize=1 << 16)
def _paying(counts: Counts, price: Price, rules: Rules, lit: str) -> tuple[Counts, ...]:
    return payments(_useful(counts, price), price, rules, lit)


@lru_cache(maxsize=1 << 15)
def payments(have: Counts, price: Price, rules: Rules, lit: str) -> tuple[Counts, ...]:
    """Every line out of ``have`` that pays the price."""
    return tuple(line for line in _candidates(have, price) if any(line) and pays(line, price, rules, lit))


def _candidates(have: Counts, price: Price) -> Iterator[Counts]:
    """The lines that could pay by their length: each copying card must become at least one card of the price."""
    *units, supply, tool, title, scroll, hammer, crown, book = (range(count + 1) for count in have)
    for ranks in product(*units):
        lacking = [price.rank - rank for rank, count in enumerate(ranks, 1) if count and rank < price.rank]
        missing = price.units - sum(ranks)
        if missing < 0:
            continue
        lift = sum((price.rank - rank) * count for rank, count in enumerate(ranks, 1) if rank < price.rank)
        lift += missing * max(lacking, default=0)
        for supplies, tools, titles in product(supply, tool, title):
            room = missing + price.supplies - supplies - tools
            if room < 0 or titles > lift:
                continue
            for rest in product(scroll, hammer, crown, book):
                if rest[0] + rest[1] + rest[3] <= room + lift - titles + price.units:
                    yield (*ranks, supplies, tools, titles, *rest)


def _useful(counts: Counts, price: Price) -> Counts:
    """How many cards of each sort could matter for the price."""
    return tuple(map(min, counts, _most(price)))


@lru_cache(maxsize=1 << 10)
def _most(price: Price) -> Counts:
    """More cards of a sort than this are in no line that pays."""
    cards = price.units + price.supplies
    lifting = price.units * (len(RANKS) - 1) if price.rank > 1 else 0
    units = [price.units if price.rank in (0, rank) or (lifting and rank < price.rank) else 0 for rank in range(1, 5)]
    building = price.building
    crowns = price.units if price.rank == len(RANKS) else 0
    copying = cards > 1 or building
    return (
        *units,
        price.supplies,
        cards if building else 0,
        lifting,
        cards + lifting if copying else 0,
        cards + lifting if copying else 0,
        crowns,
        cards + lifting if copying else 0,
    )


def price_of(state: State, seat: Seat, action: str, price: Price) -> Price:
    """What the action costs this player now."""
    return registry.adjusted(state, Cost(seat, action, price)).price if state.modules else price


def forms(state: State, held: Bag, price: Price) -> list[Form]:
    """Every way to pay the price with these cards."""
    rules = RULESETS[state.ruleset]
    lines = _paying(held.counts, price, rules, wheel.lit(state))
    found: list[Form] = []
    if not lines:
        return found
    single: list[str] = []
    sorted_out = [[(held[sort], count) for sort, count in zip(SORTS, line, strict=True) if count] for line in lines]
    listed = sum(_ways(sorts) for sorts in sorted_out if len(sorts) > 1) <= LISTED
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
    """A form in which so many of each of these are chosen; parts without a card are left out."""
    there = tuple(_some(*part) for part in parts if part[0])
    return there[0] if len(there) == 1 else Wide(there)


def with_one_more(forms_: Sequence[Form], card: str) -> Iterator[Form]:
    """The forms with one more card in every line."""
    there = [form for form in forms_ if isinstance(form, SubsetOf)]
    listed = sum(comb(len(form.choices), form.min) for form in there) <= LISTED
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
    """An Option that is paid for in this form."""
    if isinstance(form, tuple):
        return Option(type_, {**fixed, "cards": list(form)}, open_)
    return Option(type_, fixed, (*open_, *(form.parts if isinstance(form, Wide) else (form,))))


def check_held(state: State, seat: Seat, cards: Sequence[str], field: str = "cards") -> None:
    """Refuse cards that the seat does not hold, or a card named twice."""
    held = zones.at_hand(state.players[seat])
    missing = [card for card in dict.fromkeys(cards) if card not in held]
    if missing:
        raise NotInHand("These cards are not yours to play.", field=field, missing=missing)
    if len(set(cards)) < len(cards):
        raise NotInHand("A card is named twice.", field=field)


def check_pays(state: State, seat: Seat, cards: Sequence[str], price: Price, clause: str) -> None:
    """Refuse a line that does not pay exactly."""
    check_held(state, seat, cards)
    kinds = bag_of(cards)
    line = tuple(len(kinds.get(sort, ())) for sort in SORTS)
    if sum(line) == len(cards) and pays(line, price, RULESETS[state.ruleset], wheel.lit(state)):
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
