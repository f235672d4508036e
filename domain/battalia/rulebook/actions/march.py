"""Heroes on the roads: where they step, what a step costs and whom they meet (PAY-11, MAP-02 to MAP-05)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations

from domain.battalia import commands as cmd
from domain.battalia import events as ev
from domain.battalia.modules import registry
from domain.battalia.modules.adjustments import Entrance, StepCost
from domain.battalia.modules.decision import Decision
from domain.battalia.rulebook.battle import combat
from domain.battalia.rulebook.map import roads
from domain.battalia.rulebook.map.figures import city_answers, enemies_on, heroes_of
from domain.battalia.rulebook.payment import lines, wheel
from domain.battalia.rulebook.payment.lines import Bag
from domain.battalia.rulebook.refusals import (
    BadLine,
    DoesNotPay,
    MoveEnded,
    NoFight,
    NotYourHero,
    NoWay,
    RuinsBeatenAlready,
)
from domain.battalia.rulesets import RULESETS
from domain.battalia.state import NOBODY, Hero, State
from domain.terms import OneOf, Option, Seat, SubsetOf

FREE: lines.Form = ()


def entrance(state: State, hero: Hero, to: str) -> Entrance:
    """MAP-05, MAP-09: what a hero meets on a square."""
    enemies = enemies_on(state, hero.seat, to)
    foes, closed = enemies, False
    if city_answers(state, hero.seat, to):
        foes = (state.cities[to].owner,)
    elif to == state.centre and not enemies:
        foes, closed = (NOBODY,), state.turn.ruins  # BAT-11
    met = Entrance(hero, to, foes, closed=closed)
    return registry.adjusted(state, met) if state.modules else met


def is_free(state: State, hero: Hero, to: str) -> bool:
    """Whether the step costs nothing: native terrain (MAP-04), the Wings (ART-09), or a module."""
    native = hero.native and roads.terrain(state, to) == state.players[hero.seat].faction
    free = hero.winged or (native and state.options["movement"] == "advanced")
    return registry.adjusted(state, StepCost(hero, to, free)).free if state.modules else free


def ways(state: State, hero: Hero) -> tuple[str, ...]:
    """MAP-02: where a step may lead."""
    if not hero.square or hero.fought:
        return ()
    return roads.network(state).links[hero.square]


# -- paying -----------------------------------------------------------------------------------------------------------


def _copies(state: State, copying: tuple[str, ...], held: Mapping[str, str]) -> int:
    """How many copies scrolls, the Hammer as a scroll, and the Book give."""
    lit = wheel.times(state, "scroll")
    scrolls = any(held[card] in ("scroll", "hammer") for card in copying)
    return sum(lit if held[card] != "book" or scrolls else 1 for card in copying)


def steps_for(state: State, cards: tuple[str, ...]) -> int:
    """PAY-11, ART-02, ART-05: how many steps a line pays for; 0 if it is no such line."""
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


def _paying(held: Bag) -> Iterator[tuple[lines.Form, tuple[str, ...]]]:
    """Every way to pay for a step, and which of those cards could otherwise have fought."""
    supplies, hammers = tuple(held.get("supply", ())), tuple(held.get("hammer", ()))
    scrolls, books = tuple(held.get("scroll", ())), tuple(held.get("book", ()))
    horses = (*held.get("horse", ()), *hammers)
    copying = (*scrolls, *books)
    if _is_much(held):
        yield from _widely_paying(supplies, held.get("horse", ()), hammers, scrolls, books)
        return
    if supplies:
        yield SubsetOf("cards", supplies, 1, 1), ()
        for supply in supplies:
            for some in _subsets((*copying, *hammers)):
                yield (supply, *some), some
    for horse in horses:
        yield (horse,), (horse,)
        for some in _subsets(copying):
            yield (horse, *some), (horse, *some)


def _is_much(held: Bag) -> bool:
    hammers = len(held.get("hammer", ()))
    copying = len(held.get("scroll", ())) + len(held.get("book", ()))
    lines_ = (len(held.get("supply", ())) << copying + hammers) + ((len(held.get("horse", ())) + hammers) << copying)
    return lines_ > lines.LISTED


def _widely_paying(
    supplies: Sequence[str], horses: Sequence[str], hammers: Sequence[str], scrolls: Sequence[str], books: Sequence[str]
) -> Iterator[tuple[lines.Form, tuple[str, ...]]]:
    """The same in templates. What could have fought stands fixed in them, since it limits the line beside it."""
    besides, either = (books, 0, len(books)), (*books, *hammers)
    for some in ((), *_subsets(tuple(scrolls))):
        copies = (some, len(some), len(some))
        if supplies:
            yield lines.wide((supplies, 1, 1), copies, (either, 0, len(either))), some
        for horse in horses:
            yield lines.wide(((horse,), 1, 1), copies, besides), (horse, *some)
        if hammers:
            yield lines.wide((hammers, 1, 1), copies, besides), some


def _widely(held: Bag) -> Iterator[lines.Form]:
    """Every way to pay for a step beside which no line is laid."""
    hammers = tuple(held.get("hammer", ()))
    copying = (*held.get("scroll", ()), *held.get("book", ()))
    either, horses = (*copying, *hammers), (*held.get("horse", ()), *hammers)
    if held.get("supply"):
        yield lines.wide((held["supply"], 1, 1), (either, 0, len(either)))
    if horses:
        yield lines.wide((horses, 1, 1), (copying, 0, len(copying)))


def _subsets(cards: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(cards, size) for size in range(1, len(cards) + 1))


def _pay_step(state: State, hero: Hero, command: cmd.Step) -> int:
    """The steps left after the one that is taken."""
    free = is_free(state, hero, command.to)
    if free or hero.steps:
        if command.cards:
            raise DoesNotPay(_why_free(state, hero, command.to), rule="PAY-11", field="cards")
        return hero.steps if free else hero.steps - 1
    lines.check_held(state, hero.seat, command.cards)
    steps = steps_for(state, command.cards)
    if not steps:
        raise DoesNotPay(_why_paid(state, hero, command.to), rule="PAY-11", field="cards", supplies=1)
    return steps - 1


def _why_free(state: State, hero: Hero, to: str) -> str:
    if not is_free(state, hero, to):
        return "This step is paid already, by the line before: it takes no cards."
    if hero.winged:
        return "This step is free, by the Wings: it takes no cards."
    return f"The step onto {to} is free, the {_terrain(state, to)} being your own terrain: it takes no cards."


def _why_paid(state: State, hero: Hero, to: str) -> str:
    price = f"The step onto {to} costs one supply or a horse"
    if not hero.native or state.options["movement"] != "advanced" or not _terrain(state, to):
        return f"{price}."
    return f"{price}: the {_terrain(state, to)} is not your own terrain."


def _terrain(state: State, square: str) -> str:
    return roads.terrain_name(roads.terrain(state, square))


def _why_no_way(state: State, hero: Hero, to: str) -> str:
    """MAP-02: what of a step is missing."""
    here = hero.square
    edge = next((edge for edge, square in roads.neighbours(state, here).items() if square == to), "")
    if not edge:
        return f"{to} is not beside {here}, where the hero stands."
    if to not in state.board:
        return f"No road leads from {here} to {to}: no card lies there."
    closed = here if edge not in state.board[here].exits else to
    return f"No road leads from {here} to {to}: the card on {closed} is not open on that side."


# -- stepping ---------------------------------------------------------------------------------------------------------


def step(decision: Decision, seat: Seat, command: cmd.Step) -> None:
    """PAY-11, MAP-02 to MAP-05: one square, or into a battle."""
    state = decision.state
    hero = state.heroes.get(command.hero)
    if hero is None or hero.seat != seat or not hero.square:
        raise NotYourHero("No such hero of yours stands on the board.", rule="MAP-03", field="hero")
    if hero.fought:
        raise MoveEnded("This hero has met somebody, and walks no further in this turn.", field="hero")
    if command.to not in ways(state, hero):
        raise NoWay(_why_no_way(state, hero, command.to), field="to", ways=list(ways(state, hero)))
    met = entrance(state, hero, command.to)
    if met.closed:
        raise RuinsBeatenAlready(
            "You have beaten the ruins in this turn, and may not enter them a second time.", field="to"
        )
    steps = _pay_step(state, hero, command)
    if met.npc or not met.foes:
        _check_peaceful(command)
        if met.npc:
            decision.happen(ev.StepPaid(seat, hero.id, command.to, command.cards))
            registry.registered()[met.npc].entered(decision, hero, command)
        else:
            decision.happen(ev.HeroStepped(seat, hero.id, hero.square, command.to, command.cards, steps))
        return
    if command.against not in met.foes:
        raise NoFight("Whom you name does not defend this square.", field="against", foes=list(met.foes))
    combat.check_line(state, seat, command, needs_unit=True, paid=command.cards)
    combat.attack(decision, seat, hero, command, steps)


def _check_peaceful(command: cmd.Step) -> None:
    for field in ("units", "support", "ambush"):
        if getattr(command, field):
            raise BadLine("Nobody is fought there.", rule="MAP-05", field=field)
    if command.against:
        raise NoFight("Nobody is fought there.", field="against", foes=[])


def step_options(state: State, seat: Seat, held: Bag) -> Iterator[Option]:
    """Every step of every hero."""
    for hero in heroes_of(state, seat):
        peaceful: dict[bool, list[str]] = {}
        for to in ways(state, hero):
            paid = bool(hero.steps) or is_free(state, hero, to)
            met = entrance(state, hero, to)
            if met.closed:
                continue
            if met.npc or not met.foes:
                peaceful.setdefault(paid, []).append(to)
            else:
                yield from _battle_options(state, hero, to, met.foes, iter([(FREE, ())]) if paid else _paying(held))
        for paid, squares in peaceful.items():
            yield from _peaceful_options(hero, squares, [FREE] if paid else _merged(held))


def _merged(held: Bag) -> list[lines.Form]:
    """The forms where no line is laid beside, single cards as one choice."""
    if _is_much(held):
        return list(_widely(held))
    forms = [form for form, _ in _paying(held)]
    single = [card for form in forms if not isinstance(form, lines.Wide) and _one(form) for card in _cards(form)]
    found: list[lines.Form] = [form for form in forms if not _one(form)]
    if single:
        found.append(SubsetOf("cards", tuple(single), 1, 1))
    return found


def _cards(form: tuple[str, ...] | SubsetOf) -> Iterator[str]:
    return iter(form) if isinstance(form, tuple) else map(str, form.choices)


def _one(form: lines.Form) -> bool:
    return isinstance(form, SubsetOf) or (isinstance(form, tuple) and len(form) == 1)


def _peaceful_options(hero: Hero, squares: list[str], forms: list[lines.Form]) -> Iterator[Option]:
    for form in forms:
        yield lines.option("step", {"hero": hero.id}, form, OneOf("to", tuple(squares)))


def _battle_options(
    state: State, hero: Hero, to: str, foes: tuple[Seat, ...], paying: Iterator[tuple[lines.Form, tuple[str, ...]]]
) -> Iterator[Option]:
    against = OneOf("against", foes)
    for form, fighting in paying:
        open_ = combat.line_parameters(state, hero.seat, units_at_least=1, without=fighting)
        if open_ is not None:
            yield lines.option("step", {"hero": hero.id, "to": to}, form, against, *open_)
