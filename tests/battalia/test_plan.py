"""The planning data of a seat agrees with the rules and reveals no hidden information."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from domain.games.battalia.evolve.changes import with_hero, with_player
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.plan import most_steps
from domain.games.battalia.rulebook.actions import march
from domain.games.battalia.rulebook.payment import lines, walking
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM, Seat
from tests.battalia.random_play import steps
from tests.battalia.table import hand, table
from tests.battalia.test_rammoth import flee, fleeing

MODULES = ((), ("armamentum", "rammoth"), ("unbound_buff", "keeper"))


def turns(modules, seed, every=7, most=25):
    """States of a game in which a seat is on turn, with the seat."""
    found = [
        (position.state, position.asked[0].question.seat)
        for position, _ in steps(2, seed, cap=600, modules=modules, bot="greedy" if seed % 2 else "random")
        if not position.over and position.asked[0].question.kind == "turn"
    ]
    return [each for each in found if each[1] != SYSTEM][::every][:most]


def refusal(state, seat, type_, **params):
    """The refusal of the command by the rules, or None."""
    command = build(BATTALIA.rules.commands, {"type": type_, **params})
    try:
        BATTALIA.rules.decide(state, seat, command, Dice(b"x"))
    except RuleViolation as violation:
        return violation
    return None


def assert_price(told, state, seat, type_, **params):
    violation = refusal(state, seat, type_, cards=(), **params)
    if violation is None or violation.code != "does-not-pay":
        return 0  # it is not available now
    facts = violation.facts
    assert (facts["units"], facts["rank"], facts["supplies"], violation.rule) == (
        told["units"],
        told["rank"],
        told["supplies"],
        told["clause"],
    )
    return 1


@pytest.mark.parametrize("modules", MODULES)
def test_prices_of_a_plan_match_the_rules(modules):
    compared = 0
    for state, seat in turns(modules, 1):
        prices = BATTALIA.knowledge.plan(state, seat)["prices"]
        for unit, told in prices["hire_unit"].items():
            compared += assert_price(told, state, seat, "hire_unit", unit=unit)
        for artefact, told in prices["take_artefact"].items():
            compared += assert_price(told, state, seat, "take_artefact", artefact=artefact)
            assert told["left"] == len(state.piles[artefact])
        compared += assert_price(prices["take_supply"], state, seat, "take_supply")
        for square, city in state.cities.items():
            if city.owner == seat and str(city.level + 1) in prices["upgrade_city"]:
                told = prices["upgrade_city"][str(city.level + 1)]
                compared += assert_price(told, state, seat, "upgrade_city", square=square)
            if "build_armamentum" in prices:
                compared += assert_price(prices["build_armamentum"], state, seat, "build_armamentum", square=square)
        for option in BATTALIA.rules.legal(state, seat):
            if option.type == "build_road":
                place = {part.name: part.choices[0] for part in option.open if part.name in ("square", "exits")}
                shape = option.fixed["shape"]
                told = prices["build_road"][shape]
                compared += assert_price(told, state, seat, "build_road", shape=shape, terrain="", **place)
    assert compared > 100


@pytest.mark.parametrize("modules", MODULES)
def test_first_steps_of_the_reach_match_the_options(modules):
    compared = 0
    for state, seat in turns(modules, 2, every=3, most=60):
        offered = {(option.fixed["hero"], to) for option in BATTALIA.rules.legal(state, seat) for to in _tos(option)}
        told = {
            (hero, each["square"], bool(each.get("foes")))
            for hero, squares in BATTALIA.knowledge.plan(state, seat)["reach"].items()
            for each in squares
            if len(each["way"]) == 1
        }
        # A battle also needs a unit.
        assert {(hero, to) for hero, to, foes in told if not foes} <= offered <= {(hero, to) for hero, to, _ in told}
        compared += len(offered)
    assert compared > 30


def _tos(option):
    if option.type != "step":
        return ()
    return (option.fixed["to"],) if "to" in option.fixed else next(p.choices for p in option.open if p.name == "to")


@pytest.mark.parametrize("modules", MODULES)
def test_every_path_of_the_reach_is_legal_at_its_price(modules):
    walked = 0
    for state, seat in turns(modules, 3, every=3, most=60):
        for name, squares in BATTALIA.knowledge.plan(state, seat)["reach"].items():
            for each in squares:
                walked += assert_walks(state, seat, name, each)
    assert walked > 30


def assert_walks(state, seat, name, told):
    hero = state.heroes[name]
    state, paid = with_hero(state, name, steps=99), 0
    for place, to in enumerate(told["way"]):
        paid += not march.is_free(state, state.heroes[name], to)
        violation = refusal(state, seat, "step", hero=name, to=to)
        if told["square"] == to and (told.get("foes") or told.get("npc")):
            assert violation is None or violation.code in ("no-fight", "bad-line")
            break
        assert violation is None, (to, violation)
        assert place + 1 == len(told["way"]) or told["square"] != to
        state = with_hero(state, name, square=to)
    assert told["pays"] == max(0, paid - hero.steps)
    return len(told["way"]) > 1


@pytest.mark.parametrize("modules", MODULES)
def test_plan_does_not_depend_on_hidden_information(modules):
    for number, (state, seat) in enumerate(turns(modules, 4)):
        for reader in (seat, Seat(3 - seat)):
            imagined = BATTALIA.knowledge.imagine(state, reader, Dice(b"%d" % number))
            assert BATTALIA.knowledge.plan(state, reader) == BATTALIA.knowledge.plan(imagined, reader)


def most_by_hand(state, cards):
    """The largest number of steps that these cards can pay, by exhaustive search over lines."""
    best = 0
    for size in range(1, len(cards) + 1):
        for line in combinations(cards, size):
            steps_ = walking.steps_for(state, line)
            if steps_:
                rest = tuple(card for card in cards if card not in line)
                best = max(best, steps_ + most_by_hand(state, rest))
    return best


@pytest.mark.parametrize("day", range(7))
def test_pay_11_the_maximum_number_of_steps_matches_an_exhaustive_search(day):
    for seed in range(25):
        dice = Dice(b"hand %d" % seed)
        ordinary = [dice.choose(("supply", "horse", "scroll", "frimen-barfolk")) for _ in range(3)]
        great = [card for card in ("great-hammer", "great-book") if dice.below(2)]
        laid = replace(hand(table(), 1, *ordinary), day=day)
        state = with_player(laid, Seat(1), lambda player: replace(player, hand=(*player.hand, *great)))  # noqa: B023
        cards = tuple(state.players[1].hand)

        assert most_by_hand(state, cards) == most_steps(lines.bag(state, Seat(1)), state), cards


def test_ram_14_a_hero_that_must_flee_has_no_reach():
    state = flee(*fleeing()).state

    assert "flee" == state.asking[-1].kind
    hero = state.asking[-1].about["hero"]
    assert state.heroes[hero].square not in state.board
    assert [] == BATTALIA.knowledge.plan(state, Seat(1))["reach"][hero]
