"""Cards that pay a price exactly (TURN-03), as counts of each sort. Artefacts can replace other cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from operator import gt

from domain.games.battalia.cards import RANKS
from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price

SORTS = (*RANKS, "supply", "tool", "title", "scroll", "hammer", "crown", "book")
"""The sorts of cards that can be in a paying line, in the order of the counts."""
_ORDINARY = range(7)
SUPPLY, TOOL, TITLE, SCROLL, HAMMER, CROWN, BOOK = range(4, 11)
_PLACES = {sort: place for place, sort in enumerate(SORTS)}
Counts = tuple[int, ...]


def counted(bag: Mapping[str, Sequence[str]]) -> Counts:
    """Counts of each sort among these cards, given by kind. Cards of other kinds never pay."""
    counts = [0] * len(SORTS)
    for kind, cards in bag.items():
        if kind in _PLACES:
            counts[_PLACES[kind]] = len(cards)
    return tuple(counts)


@lru_cache(maxsize=1 << 12)
def sorts_of(line: Counts) -> tuple[tuple[str, int], ...]:
    """The sorts of card in a line, each with their number."""
    return tuple((sort, count) for sort, count in zip(SORTS, line, strict=True) if count)


@lru_cache(maxsize=1 << 16)
def pays(line: Counts, price: Price, rules: BattaliaNumbers, lit: str) -> bool:
    """Whether the line pays exactly: every card of it is needed, and nothing is missing."""
    if any(map(gt, line, _most(price))):  # no paying line is this long, so its copies need no check
        return False
    if line[BOOK]:  # ART-09: copies any card of the line
        rest = _changed(line, BOOK, -1)
        return any(line[sort] and pays(_changed(rest, sort, 1), price, rules, lit) for sort in range(BOOK))
    if line[HAMMER]:  # ART-09: any ordinary artefact
        rest = _changed(line, HAMMER, -1)
        return any(pays(_changed(rest, sort, 1), price, rules, lit) for sort in (TOOL, TITLE, SCROLL))
    if line[SCROLL]:  # ART-05
        rest = _changed(line, SCROLL, -1)
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


def _fits(line: Counts, price: Price, rules: BattaliaNumbers, lit: str) -> bool:
    units, supplies, tools = sum(line[:4]), line[SUPPLY], line[TOOL]
    if units > price.units or supplies > price.supplies or (tools and not price.building):
        return False
    missing = price.units + price.supplies - units - supplies
    if not tools <= missing <= tools * (rules.lit if lit == "tool" else 1):  # ART-06
        return False
    if price.rank == 0:
        return not line[TITLE] and not line[CROWN]
    if any(line[price.rank : 4]):
        return False
    return _lifts(line, price, rules, lit)


def _lifts(line: Counts, price: Price, rules: BattaliaNumbers, lit: str) -> bool:
    """Whether titles (ART-04) and crowns (ART-09) raise every unit to the rank, and none of them is unnecessary."""
    titles, crowns = line[TITLE], line[CROWN]
    lacking = [price.rank - rank for rank in range(1, price.rank) for _ in range(line[rank - 1])]
    if crowns and price.rank < len(RANKS):
        return False
    least, most = titles * rules.title, titles * rules.title * (rules.lit if lit == "title" else 1)
    return any(least <= sum(lacking) - sum(crowned) <= most for crowned in combinations(lacking, crowns))


@lru_cache(maxsize=1 << 16)
def payments(have: Counts, price: Price, rules: BattaliaNumbers, lit: str) -> tuple[Counts, ...]:
    """Every line out of ``have`` that pays the price."""
    if not any(have[TOOL:]):
        return _themselves(have, price)
    return tuple(line for line in _candidates(have, price, rules.lit) if any(line) and pays(line, price, rules, lit))


def _themselves(have: Counts, price: Price) -> tuple[Counts, ...]:
    """The paying lines without artefacts that replace cards: exactly the units and supplies of the price."""
    units, supplies = have[:4], price.supplies
    if supplies > have[SUPPLY]:
        return ()
    if price.rank or not price.units:
        paying = [tuple([price.units if price.rank == rank else 0 for rank in range(1, 5)])]
        paying = [ranks for ranks in paying if not any(map(gt, ranks, units))]
    else:
        paying = [ranks for ranks in product(*[range(count + 1) for count in units]) if sum(ranks) == price.units]
    return tuple([(*ranks, supplies, *have[TOOL:]) for ranks in paying if any(ranks) or supplies])


def _candidates(have: Counts, price: Price, best: int) -> Iterator[Counts]:
    """Lines that could pay, given their length: each copying card must replace at least one card of the price.

    No card counts for more than ``best``.
    """
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
                copying = rest[0] + rest[1] + rest[3]
                # Copies can at most replace missing cards and raise units. At best they must cover what tools do not.
                if copying <= room + lift - titles + price.units and room <= tools * (best - 1) + copying * best:
                    yield (*ranks, supplies, tools, titles, *rest)


def useful(counts: Counts, price: Price) -> Counts:
    """The number of cards of each sort that could matter for the price."""
    return tuple(map(min, counts, _most(price)))


@lru_cache(maxsize=1 << 10)
def _most(price: Price) -> Counts:
    """Upper bounds by sort for a line that pays."""
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


class Purse(dict[Price, tuple[Counts, ...]]):
    """The lines that pay a price, by price, for given counts of each sort; computed on demand."""

    __slots__ = ("_counts", "_filling", "_lit", "_rules", "_units")

    def __init__(self, counts: Counts, rules: BattaliaNumbers, lit: str) -> None:
        super().__init__()
        self._counts, self._rules, self._lit = counts, rules, lit
        units, lifting = counts[:4], any(counts[sort] for sort in (TITLE, HAMMER, CROWN))
        self._units = (sum(units), *(sum(units[:rank]) if lifting else units[rank - 1] for rank in range(1, 5)))
        """Number of units of each rank, or that can be lifted to it; the first number is the total."""
        copying = counts[SCROLL] + counts[HAMMER] + counts[BOOK]
        self._filling = copying * rules.lit, (copying + counts[TOOL]) * rules.lit
        """Maximum number of cards that copying cards can replace; the second number is for prices that allow tools."""

    def __missing__(self, price: Price) -> tuple[Counts, ...]:
        found: tuple[Counts, ...] = ()
        units, rank, supplies, building = price
        lacking = max(units - self._units[rank], 0) + max(supplies - self._counts[SUPPLY], 0)
        if lacking <= self._filling[building]:
            found = payments(useful(self._counts, price), price, self._rules, self._lit)
        self[price] = found
        return found


@lru_cache(maxsize=1 << 13)
def purse(counts: Counts, rules: BattaliaNumbers, lit: str) -> Purse:
    """One object for all hands with the same counts."""
    return Purse(counts, rules, lit)
