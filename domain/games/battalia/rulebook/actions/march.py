"""Movement of heroes: legal steps, their price, and what a hero meets (PAY-11, MAP-02 to MAP-05)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Entrance, StepCost
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.rulebook.battle import combat
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import city_answers, enemies_on, heroes_of
from domain.games.battalia.rulebook.map.land import ReachableLand
from domain.games.battalia.rulebook.payment import lines, walking
from domain.games.battalia.rulebook.payment.lines import Bag
from domain.games.battalia.rulebook.refusals import (
    BadLine,
    DoesNotPay,
    MoveEnded,
    NoFight,
    NotYourHero,
    NoWay,
    RuinsBeatenAlready,
)
from domain.games.battalia.state import NOBODY, BattaliaState, Hero
from domain.kernel.terms import OneOf, Option, Seat

FREE: lines.Form = ()


class Meeting(NamedTuple):
    """The opponents and figures on a square, as in `Entrance`."""

    foes: tuple[Seat, ...] = ()
    npc: str = ""
    closed: bool = False


NOBODY_THERE = Meeting()


def entrance(state: BattaliaState, hero: Hero, to: str) -> Meeting:
    """MAP-05, MAP-09: what a hero meets on a square."""
    foes: tuple[Seat, ...]
    closed = False
    if to in state.cities and city_answers(state, hero.seat, to):
        foes = (state.cities[to].owner,)
    else:
        foes = enemies_on(state, hero.seat, to)
        if to == state.centre and not foes:
            foes, closed = (NOBODY,), state.turn.ruins  # BAT-11
    if registry.adjusts(state.modules, Entrance):
        met = registry.adjusted(state, Entrance(hero, to, foes, closed=closed))
        return Meeting(met.foes, met.npc, met.closed)
    return Meeting(foes, "", closed) if foes else NOBODY_THERE


def is_free(state: BattaliaState, hero: Hero, to: str) -> bool:
    """Whether the step is free: native terrain (MAP-04), the Wings (ART-09), or a module."""
    free = hero.winged or roads.terrain(state, to) == _native_terrain(state, hero)
    if not registry.adjusts(state.modules, StepCost):
        return free
    return registry.adjusted(state, StepCost(hero, to, free)).free


def _native_terrain(state: BattaliaState, hero: Hero) -> str | None:
    """MAP-04: the faction in whose terrain the hero moves free. None if no terrain is free."""
    if not hero.native or state.options["movement"] != "advanced":
        return None
    return state.players[hero.seat].faction


def ways(state: BattaliaState, hero: Hero) -> tuple[str, ...]:
    """MAP-02: the squares of legal steps."""
    if not hero.square or hero.fought:
        return ()
    return roads.network(state).links[hero.square]


# -- paying -----------------------------------------------------------------------------------------------------------


def _pay_step(state: BattaliaState, hero: Hero, command: cmd.Step) -> int:
    """Check the payment of a step. Returns the number of steps left after it."""
    free = is_free(state, hero, command.to)
    if free or hero.steps:
        if command.cards:
            raise DoesNotPay(_why_free(state, hero, command.to), rule="PAY-11", field="cards")
        return hero.steps if free else hero.steps - 1
    lines.check_held(state, hero.seat, command.cards)
    steps = walking.steps_for(state, command.cards)
    if not steps:
        raise DoesNotPay(_why_paid(state, hero, command.to), rule="PAY-11", field="cards", supplies=1)
    return steps - 1


def _why_free(state: BattaliaState, hero: Hero, to: str) -> str:
    if not is_free(state, hero, to):
        return "This step is paid already, by the line before: it takes no cards."
    if hero.winged:
        return "This step is free, by the Wings: it takes no cards."
    return f"The step onto {to} is free, the {_terrain(state, to)} being your own terrain: it takes no cards."


def _why_paid(state: BattaliaState, hero: Hero, to: str) -> str:
    price = f"The step onto {to} costs one supply or a horse"
    if not hero.native or state.options["movement"] != "advanced" or not _terrain(state, to):
        return f"{price}."
    return f"{price}: the {_terrain(state, to)} is not your own terrain."


def _terrain(state: BattaliaState, square: str) -> str:
    return roads.terrain_name(roads.terrain(state, square))


def _why_no_way(state: BattaliaState, hero: Hero, to: str) -> str:
    """MAP-02: the reason why the step is illegal."""
    here = hero.square
    edge = next((edge for edge, square in roads.neighbours(state, here).items() if square == to), "")
    if not edge:
        return f"{to} is not beside {here}, where the hero stands."
    if to not in state.board:
        return f"No road leads from {here} to {to}: no card lies there."
    closed = here if edge not in state.board[here].exits else to
    return f"No road leads from {here} to {to}: the card on {closed} is not open on that side."


# -- stepping ---------------------------------------------------------------------------------------------------------


def step(decision: BattaliaDecision, seat: Seat, command: cmd.Step) -> None:
    """PAY-11, MAP-02 to MAP-05: move one square, or attack."""
    state = decision.state
    hero = state.heroes.get(command.hero)
    if hero is None or hero.seat != seat or not hero.square:
        raise NotYourHero("You have no such hero on the board.", rule="MAP-03", field="hero")
    if hero.fought:
        raise MoveEnded("This hero has met an enemy and cannot move further in this turn.", field="hero")
    if command.to not in ways(state, hero):
        raise NoWay(_why_no_way(state, hero, command.to), field="to", ways=list(ways(state, hero)))
    met = entrance(state, hero, command.to)
    if met.closed:
        raise RuinsBeatenAlready(
            "You have already conquered the ruins in this turn. You cannot enter them again.", field="to"
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
        raise NoFight("The player you name does not defend this square.", field="against", foes=list(met.foes))
    combat.check_line(state, seat, command, needs_unit=True, paid=command.cards)
    combat.attack(decision, seat, hero, command, steps)


def _check_peaceful(command: cmd.Step) -> None:
    for field in ("units", "support", "ambush"):
        if getattr(command, field):
            raise BadLine("There is no one to fight there.", rule="MAP-05", field=field)
    if command.against:
        raise NoFight("There is no one to fight there.", field="against", foes=[])


def step_options(state: BattaliaState, seat: Seat, held: Bag, land: ReachableLand) -> Iterator[Option]:
    adjusted = registry.adjusts(state.modules, Entrance)
    charged = registry.adjusts(state.modules, StepCost)
    # Apart from the ruins, a hero can meet opponents only on these squares, unless modules add others.
    busy = {hero.square for hero in state.heroes.values() if hero.seat != seat}.union(state.cities)
    for hero in heroes_of(state, seat):
        if not hero.square or hero.fought:  # the result of `ways` would be empty
            continue
        peaceful: dict[bool, list[str]] = {}
        paid = bool(hero.steps or hero.winged)
        native = _native_terrain(state, hero)
        for to in land.roads.links[hero.square]:
            if charged:
                paid = bool(hero.steps) or is_free(state, hero, to)
            elif native is not None and not (hero.steps or hero.winged):
                paid = land.roads.terrain[to] == native
            quiet = not (adjusted or to in busy or to == state.centre)
            met = NOBODY_THERE if quiet else entrance(state, hero, to)
            if met.closed:
                continue
            if met.npc or not met.foes:
                peaceful.setdefault(paid, []).append(to)
            else:
                yield from _battle_options(state, hero, to, met.foes, ((FREE, ()),) if paid else walking.paying(held))
        for paid, squares in peaceful.items():
            for form in (FREE,) if paid else walking.alone(held):
                yield lines.option("step", {"hero": hero.id}, form, OneOf("to", tuple(squares)))


def _battle_options(
    state: BattaliaState, hero: Hero, to: str, foes: tuple[Seat, ...], paying: Iterable[walking.Paying]
) -> Iterator[Option]:
    against = OneOf("against", foes)
    for form, fighting in paying:
        open_ = combat.line_parameters(state, hero.seat, units_at_least=1, without=fighting)
        if open_ is not None:
            yield lines.option("step", {"hero": hero.id, "to": to}, form, against, *open_)
