"""Payment of a hero's steps: supplies, horses, and the cards that copy them (PAY-11, ART-02, ART-05)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations

from domain.games.battalia.rulebook.payment import lines, wheel
from domain.games.battalia.rulebook.payment.lines import Bag
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import SubsetOf

Cards = tuple[str, ...]
Paying = tuple[lines.Form, Cards]
"""A way to pay for a step, and the cards in it that could otherwise have fought."""


def _copies(state: BattaliaState, copying: Cards, held: Mapping[str, str]) -> int:
    """The number of copies that scrolls, the Hammer as a scroll, and the Book give."""
    lit = wheel.times(state, "scroll")
    scrolls = any(held[card] in ("scroll", "hammer") for card in copying)
    return sum(lit if held[card] != "book" or scrolls else 1 for card in copying)


def steps_for(state: BattaliaState, cards: Cards) -> int:
    """PAY-11, ART-02, ART-05: the number of steps that a line pays for; 0 for any other line."""
    rules = RULESETS[state.ruleset]
    bag = lines.bag_of(cards)
    kinds = {card: kind for kind, several in bag.items() for card in several}
    for base, steps in (("supply", 1), ("horse", rules.horse_steps), ("hammer", rules.horse_steps)):
        if len(bag.get(base, ())) != 1:
            continue
        rest = tuple(card for card in cards if kinds[card] != base)
        if not all(
            kinds[card] in ("scroll", "book") or (kinds[card] == "hammer" and base == "supply") for card in rest
        ):
            return 0
        each = steps if base == "supply" else steps * wheel.times(state, "horse")
        return each * (1 + _copies(state, rest, kinds))
    return 0


def paying(held: Bag) -> Iterable[Paying]:
    """Every way to pay for a step that is played together with a battle line."""
    supplies, horses, hammers, scrolls, books = _walking(held)
    if _is_much(held):
        return _widely_paying(supplies, horses, hammers, scrolls, books)
    return _paying(supplies, horses, hammers, scrolls, books)


def alone(held: Bag) -> Sequence[lines.Form]:
    """Every way to pay for a step without a battle line; single cards are one choice."""
    return held.once(_forms_alone)


def _forms_alone(held: Bag) -> Sequence[lines.Form]:
    supplies, horses, hammers, scrolls, books = _walking(held)
    if not (supplies or horses or hammers):
        return ()
    if _is_much(held):
        return tuple(_widely(supplies, horses, hammers, scrolls, books))
    return _alone(supplies, horses, hammers, scrolls, books)


def _walking(held: Bag) -> tuple[Cards, Cards, Cards, Cards, Cards]:
    of = held.get
    return of("supply", ()), of("horse", ()), of("hammer", ()), of("scroll", ()), of("book", ())


def _is_much(held: Bag) -> bool:
    supplies, horses, hammers, scrolls, books = map(len, _walking(held))
    copying = scrolls + books
    return (supplies << copying + hammers) + ((horses + hammers) << copying) > held.listed


@lru_cache(maxsize=1 << 8)
def _paying(supplies: Cards, horses: Cards, hammers: Cards, scrolls: Cards, books: Cards) -> tuple[Paying, ...]:
    copying = (*scrolls, *books)
    found: list[Paying] = []
    if supplies:
        found.append((SubsetOf("cards", supplies, 1, 1), ()))
        found += [((supply, *some), some) for supply in supplies for some in _subsets((*copying, *hammers))]
    for horse in (*horses, *hammers):
        found.append(((horse,), (horse,)))
        found += [((horse, *some), (horse, *some)) for some in _subsets(copying)]
    return tuple(found)


def _alone(supplies: Cards, horses: Cards, hammers: Cards, scrolls: Cards, books: Cards) -> tuple[lines.Form, ...]:
    forms = [form for form, _ in _paying(supplies, horses, hammers, scrolls, books)]
    single = [*supplies, *horses, *hammers]
    found = [form for form in forms if isinstance(form, tuple) and len(form) > 1]
    return (*found, SubsetOf("cards", tuple(single), 1, 1)) if single else tuple(found)


def _widely_paying(
    supplies: Sequence[str], horses: Sequence[str], hammers: Sequence[str], scrolls: Sequence[str], books: Sequence[str]
) -> Iterator[Paying]:
    """The ways of `_paying` as templates.

    Cards that could fight are fixed in each, so that the battle line excludes them.
    """
    besides, either = (books, 0, len(books)), (*books, *hammers)
    for some in ((), *_subsets(tuple(scrolls))):
        copies = (some, len(some), len(some))
        if supplies:
            yield lines.wide((supplies, 1, 1), copies, (either, 0, len(either))), some
        for horse in horses:
            yield lines.wide(((horse,), 1, 1), copies, besides), (horse, *some)
        if hammers:
            yield lines.wide((hammers, 1, 1), copies, besides), some


def _widely(supplies: Cards, horses: Cards, hammers: Cards, scrolls: Cards, books: Cards) -> Iterator[lines.Form]:
    copying = (*scrolls, *books)
    either, bases = (*copying, *hammers), (*horses, *hammers)
    if supplies:
        yield lines.wide((supplies, 1, 1), (either, 0, len(either)))
    if bases:
        yield lines.wide((bases, 1, 1), (copying, 0, len(copying)))


def _subsets(cards: Cards) -> Iterator[Cards]:
    return chain.from_iterable(combinations(cards, size) for size in range(1, len(cards) + 1))
