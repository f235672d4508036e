"""Standing orders: answers that a seat gives in advance, at any time. Only that seat sees them (FRO-16, 7.7)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from math import prod
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import SetGrowth, SetLosses, SetRefuges, SetStance, SetWithdrawal
from domain.games.fronela.episode_api.ways import closed
from domain.games.fronela.phases.population import DECLINE
from domain.games.fronela.phases.retreat.attacker import ALWAYS, IF_OUTNUMBERED
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.scenarios.tables import Nation
from domain.games.fronela.state import FronelaState, Orders
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import OneOf, Option, Seat, SubsetOf

ASK = "ask"
STANCES = (ASK, "hold", "retreat_if_outnumbered", "always_retreat")
WIZARDS = (ASK, "weaken", "strengthen", "rest")
LOSSES = (ASK, "usual", *(",".join(order) for order in permutations(("farmer", "soldier", "lord", "wizard"))))
WITHDRAWALS = (ASK, IF_OUTNUMBERED, ALWAYS)
GROW = "grow"
GROWTHS = (GROW, DECLINE)
MOST_REFUGES = 3
ALL = "all"
"""All own nations, in a growth order."""
SHORT = 6
"""Maximum number of allowed words listed in a refusal."""


class NotYourNation(RuleViolation):
    """Orders can be given only to nations of the player's color."""

    code = "not-your-nation"
    rule = "FRO-D28"


class NoSuchStandingOrder(RuleViolation):
    """There is no standing order with this name."""

    code = "no-such-order"
    rule = "FRO-16"


@lru_cache(maxsize=64)
def legal(scenario: str, seat: Seat) -> tuple[Option, ...]:
    """All orders that the seat may give, which are the same at any time."""
    tables = SCENARIOS[scenario]
    nations = tables.seats[seat]
    malkioni = tuple(nation for nation in nations if tables.nations[nation].kind == "malkioni")
    return (
        Option("set_stance", {}, (OneOf("nation", nations), OneOf("stance", STANCES))),
        *(
            Option("set_refuges", {"nation": nation}, (SubsetOf("areas", refuges(scenario, nation), 0, MOST_REFUGES),))
            for nation in nations
        ),
        Option("set_losses", {}, (OneOf("nation", nations), OneOf("own", LOSSES), OneOf("enemy", LOSSES))),
        Option("set_wizards", {}, (OneOf("nation", malkioni), OneOf("policy", WIZARDS))),
        Option("set_growth", {}, (OneOf("nation", (*nations, ALL)), OneOf("growth", GROWTHS))),
        Option("set_withdrawal", {}, (OneOf("nation", nations), OneOf("withdrawal", WITHDRAWALS))),
    )


@lru_cache(maxsize=64)
def refuges(scenario: str, nation: str) -> tuple[str, ...]:
    """The land areas that the nation can ever enter."""
    tables = SCENARIOS[scenario]
    reach = {to for ways in tables.nations[nation].ways.values() for to in ways}
    return tuple(area for area in tables.land if area in reach)


def decide(state: FronelaState, seat: Seat, command: Any) -> list[Any]:
    """The events of the order. Raises `NotYourNation` or `NoSuchStandingOrder`."""
    if isinstance(command, SetGrowth) and command.nation == ALL:
        growth = _word("growth", command.growth, GROWTHS)
        return [ev.GrowthSet(seat, each, growth) for each in state.tables.seats[seat]]
    nation = state.tables.nations.get(command.nation)
    if nation is None or nation.seat != seat:
        raise NotYourNation(_whose(nation), field="nation", nations=list(state.tables.seats[seat]))
    match command:
        case SetStance(_, stance):
            return [ev.StanceSet(seat, nation.id, _word("stance", stance, STANCES))]
        case SetRefuges(_, areas):
            return [ev.RefugesSet(seat, nation.id, _areas(state, nation.id, areas))]
        case SetLosses(_, own, enemy):
            return [ev.LossesSet(seat, nation.id, _word("own", own, LOSSES), _word("enemy", enemy, LOSSES))]
        case SetGrowth(_, growth):
            return [ev.GrowthSet(seat, nation.id, _word("growth", growth, GROWTHS))]
        case SetWithdrawal(_, withdrawal):
            return [ev.WithdrawalSet(seat, nation.id, _word("withdrawal", withdrawal, WITHDRAWALS))]
        case _:  # SetWizards
            if nation.kind != "malkioni":
                raise NoSuchStandingOrder("Only Malkioni have wizards.", rule="FRO-D29", field="nation")
            return [ev.WizardsSet(seat, nation.id, _word("policy", command.policy, WIZARDS))]


def _word(field: str, word: str, words: Sequence[str]) -> str:
    if word not in words:
        raise NoSuchStandingOrder(
            f"There is no such order; there are: {_listed(words)}.", field=field, words=list(words)
        )
    return _noted(word)


def _whose(nation: Nation | None) -> str:
    return "There is no nation called so." if nation is None else f"Orders for {nation.folk} are not yours to give."


def _listed(words: Sequence[str]) -> str:
    """The words, cut to the first `SHORT`."""
    return ", ".join(words) if len(words) <= SHORT else ", ".join(words[:SHORT]) + " …"


def _never(state: FronelaState, nation: str, area: str) -> str:
    if area not in state.tables.areas:
        return "There is no area called so."
    return closed(state, state.tables.nations[nation], area)


def _areas(state: FronelaState, nation: str, areas: Sequence[str]) -> tuple[str, ...]:
    reach = refuges(state.scenario, nation)
    if len(areas) > MOST_REFUGES or len(set(areas)) != len(areas):
        raise NoSuchStandingOrder(
            f"At most {MOST_REFUGES} areas can be named, each once.", field="areas", most=MOST_REFUGES, asked=len(areas)
        )
    for area in areas:
        if area not in reach:
            raise NoSuchStandingOrder(_never(state, nation, area), rule="FRO-D39", field="areas", area=area)
    return tuple(areas)


def imagined(state: FronelaState, nation: str, dice: Dice) -> Orders:
    """Random orders in place of secret ones. One draw for all parts, because there are many nations."""
    sizes, combinations = _imaginable(state.scenario, nation)
    number = dice.below(combinations)
    drawn = []
    for each in sizes:
        number, rest = divmod(number, each)
        drawn.append(rest)
    stance, wizards, growth, withdrawal, own, enemy, many, *places = drawn
    reach = refuges(state.scenario, nation)
    return Orders(
        _noted(STANCES[stance]),
        tuple(dict.fromkeys([reach[place] for place in places[:many]])),
        _noted(LOSSES[own]),
        _noted(LOSSES[enemy]),
        _noted(WIZARDS[wizards]) if state.tables.nations[nation].kind == "malkioni" else "",
        _noted(GROWTHS[growth]),
        _noted(WITHDRAWALS[withdrawal]),
    )


@lru_cache(maxsize=256)
def _imaginable(scenario: str, nation: str) -> tuple[tuple[int, ...], int]:
    """The number of possible words of each part of the orders, and the number of combinations."""
    words = (STANCES, WIZARDS, GROWTHS, WITHDRAWALS, LOSSES, LOSSES)
    sizes = (*map(len, words), MOST_REFUGES + 1, *[len(refuges(scenario, nation))] * MOST_REFUGES)
    return sizes, prod(sizes)


def _noted(word: str) -> str:
    return "" if word in (ASK, GROW) else word


def as_json(orders: Orders) -> dict[str, Any]:
    return {
        "stance": orders.stance or ASK,
        "refuges": list(orders.refuges),
        "own_losses": orders.own_losses or ASK,
        "enemy_losses": orders.enemy_losses or ASK,
        "wizards": orders.wizards or ASK,
        "growth": orders.growth or GROW,
        "withdrawal": orders.withdrawal or ASK,
    }
