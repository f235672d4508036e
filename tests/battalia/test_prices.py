"""PAY: prices."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.rulebook.payment.exact import SORTS, pays
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from tests.battalia.table import cards, city, command, day, hand, lay, stand, table, tell

RULES = next(iter(RULESETS.values()))
DULL = 3
"""The day of the amulet: no artefact of a paying line is lit."""


def line(**counts):
    return tuple(counts.get(sort, 0) for sort in SORTS)


@pytest.mark.parametrize(("unit", "price"), [("frimen", 2), ("chief", 2), ("priest", 3), ("lord", 4)])
def test_pay_01_a_unit_costs_its_rank_in_supplies_and_at_least_two(unit, price):
    state = day(hand(table(), 1, *["supply"] * 5), DULL)
    own = list(state.players[1].hand)
    for count in range(1, 6):
        story = tell(state).when(1, command("hire_unit", unit=unit, cards=own[:count]))
        if count == price:
            assert [(unit, state.piles[unit][0])] == [(e.pile, e.card) for e in story.of(ev.CardTaken)]
        else:
            story.refused("does-not-pay", "PAY-01")


def test_pay_01_a_mercenary_costs_the_same():
    state = day(hand(table(unbound_units=True), 1, *["supply"] * 4), DULL)
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("hire_unit", unit="unbound-priest", cards=own[:3]))
    assert story.of(ev.CardTaken)[0].card.startswith("unbound-priest")
    tell(state).when(1, command("hire_unit", unit="unbound-priest", cards=own)).refused("does-not-pay", "PAY-01")
    tell(state).when(1, command("hire_unit", unit="unbound-king", cards=own)).refused("unknown-choice")
    tell(table()).when(1, command("hire_unit", unit="unbound-lord", cards=[])).refused("empty-pile", "TURN-07")


@pytest.mark.parametrize("unit", ["frimen", "chief", "priest", "lord"])
def test_pay_02_a_supply_costs_a_unit_of_any_rank(unit):
    state = day(hand(table(), 1, unit, unit, "supply"), DULL)
    story = tell(state).when(1, command("take_supply", cards=cards(state, 1, unit)))
    assert ["supply"] == [event.pile for event in story.of(ev.CardTaken)]
    tell(state).when(1, command("take_supply", cards=cards(state, 1, unit, unit))).refused("does-not-pay", "PAY-02")
    tell(state).when(1, command("take_supply", cards=cards(state, 1, "supply"))).refused("does-not-pay", "PAY-02")
    tell(state).when(1, command("take_supply", cards=[])).refused("does-not-pay", "PAY-02")


def test_pay_03_an_artefact_costs_three_supplies():
    state = day(hand(table(), 1, *["supply"] * 4), DULL)
    own = list(state.players[1].hand)
    top = state.piles["horse"][0]
    story = tell(state).when(1, command("take_artefact", artefact="horse", cards=own[:3]))
    story.then(ev.CardTaken(1, "horse", top, tuple(own[:3])))
    tell(state).when(1, command("take_artefact", artefact="horse", cards=own)).refused("does-not-pay", "PAY-03")
    tell(state).when(1, command("take_artefact", artefact="sword", cards=own[:3])).refused("unknown-choice", "SET-05")


@pytest.mark.parametrize(("shape", "exits"), [("straight", "EW"), ("bend", "SW")])
def test_pay_04_a_straight_or_a_bend_costs_two_frimen(shape, exits):
    state = day(hand(table(), 1, "frimen", "frimen", "chief", "supply"), DULL)
    two = cards(state, 1, "frimen", "frimen")
    story = tell(state).when(1, command("build_road", shape=shape, square="B1", exits=exits, cards=two))
    top = state.piles[f"road-{shape}"][0]
    story.then(ev.RoadBuilt(1, top, "B1", exits, tuple(two)))
    for wrong in ([*two, cards(state, 1, "supply")[0]], two[:1], cards(state, 1, "frimen", "chief")):
        tell(state).when(1, command("build_road", shape=shape, square="B1", exits=exits, cards=wrong)).refused(
            "does-not-pay", "PAY-04"
        )


@pytest.mark.parametrize(("shape", "exits"), [("tee", "ESW"), ("cross", "NESW")])
def test_pay_05_a_tee_or_a_cross_costs_two_frimen_and_a_supply(shape, exits):
    state = day(hand(table(), 1, "frimen", "frimen", "supply"), DULL)
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("build_road", shape=shape, square="B1", exits=exits, cards=own))
    assert 1 == len(story.of(ev.RoadBuilt))
    tell(state).when(1, command("build_road", shape=shape, square="B1", exits=exits, cards=own[:2])).refused(
        "does-not-pay", "PAY-05"
    )


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize(("shape", "exits"), [("end", "W"), ("cross", "NESW")])
def test_pay_06_a_city_of_any_shape_costs_three_units_of_its_level(level, shape, exits):
    rank = ("frimen", "chief", "priest", "lord")[level - 1]
    state = day(hand(table(), 1, rank, rank, rank), DULL)
    own = list(state.players[1].hand)
    place = {"shape": shape, "square": "B1", "exits": exits}
    story = tell(state).when(1, command("found_city", **place, level=level, cards=own))
    assert level == story.state.cities["B1"].level
    for other in {1, 2, 3, 4} - {level}:
        tell(state).when(1, command("found_city", **place, level=other, cards=own)).refused("does-not-pay", "PAY-06")
    tell(state).when(1, command("found_city", **place, level=level, cards=own[:2])).refused("does-not-pay", "PAY-06")
    tell(state).when(1, command("found_city", **place, level=5, cards=own)).refused("wrong-level")


@pytest.mark.parametrize("level", [2, 3, 4])
def test_pay_07_an_upgrade_costs_two_units_of_the_new_level(level):
    rank = ("frimen", "chief", "priest", "lord")[level - 1]
    state = city(day(hand(table(), 1, rank, rank, rank), DULL), "A1", owner=1, level=level - 1)
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("upgrade_city", square="A1", cards=own[:2]))
    story.then(ev.CityUpgraded(1, "A1", level, tuple(own[:2])))
    tell(state).when(1, command("upgrade_city", square="A1", cards=own)).refused("does-not-pay", "PAY-07")
    tell(state).when(1, command("upgrade_city", square="G5", cards=own[:2])).refused(
        "not-your-city", "PAY-07", "square"
    )
    low = city(state, "A1", owner=1, level=4)
    tell(low).when(1, command("upgrade_city", square="A1", cards=own[:2])).refused("wrong-level")


def test_pay_08_a_ruined_city_is_rebuilt_for_two_frimen():
    state = city(day(hand(table(), 1, "frimen", "frimen"), DULL), "A1", owner=1, level=0)
    own = list(state.players[1].hand)
    tell(state).when(1, command("upgrade_city", square="A1", cards=own)).refused("wrong-level")
    story = tell(state).when(1, command("rebuild_city", square="A1", cards=own))
    story.then(ev.CityRebuilt(1, "A1", 1, tuple(own)))
    state = hand(story.state, 1, "frimen", "frimen")
    own = list(state.players[1].hand)
    tell(state).when(1, command("rebuild_city", square="A1", cards=own)).refused("wrong-level")


def test_pay_09_an_armamentum_costs_two_frimen_and_two_supplies():
    price = Price(units=2, rank=1, supplies=2, building=True)
    assert pays(line(frimen=2, supply=2), price, RULES, "")
    assert not pays(line(frimen=2, supply=1), price, RULES, "")
    assert pays(line(frimen=1, supply=2, tool=1), price, RULES, "")


def test_pay_10_a_bribe_costs_three_and_a_hire_four_supplies():
    for count in (3, 4):
        price = Price(supplies=count)
        assert [count] == [n for n in range(7) if pays(line(supply=n), price, RULES, "")]


def test_pay_11_a_step_costs_a_supply_or_a_horse():
    state = day(hand(table(), 1, "supply", "supply", "horse", "frimen"), DULL)
    state = lay(lay(state, "B1", "road-straight-emberians", "EW"), "C1", "road-straight-emberians", "EW")
    supply, other = cards(state, 1, "supply", "supply")
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=[supply]))
    story.then(ev.HeroStepped(1, "hero-1-1", "A1", "B1", (supply,), 0))
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=cards(state, 1, "horse")))
    assert 2 == story.state.heroes["hero-1-1"].steps
    story.when(1, command("step", hero="hero-1-1", to="C1", cards=[supply])).refused("does-not-pay", "PAY-11")
    story.when(1, command("step", hero="hero-1-1", to="C1"))
    assert ("C1", 1) == (story.state.heroes["hero-1-1"].square, story.state.heroes["hero-1-1"].steps)
    for wrong in ([], [supply, other], cards(state, 1, "frimen")):
        tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=wrong)).refused("does-not-pay", "PAY-11")


def test_pay_11_unused_steps_expire_at_the_end_of_the_turn():
    state = lay(day(hand(table(), 1, "horse"), DULL), "B1", "road-straight-emberians", "EW")
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=list(state.players[1].hand)))
    story.when(1, command("end_turn")).when(2, command("end_turn")).default(0)
    assert 0 == story.state.heroes["hero-1-1"].steps


LIT = [
    # line, price, lit type, whether it pays
    (line(frimen=1, tool=1), RULES.road["bend"], "", True),
    (line(tool=2), RULES.road["bend"], "", True),
    (line(tool=1), RULES.road["bend"], "", False),
    (line(tool=1), RULES.road["bend"], "tool", True),
    (line(frimen=1, tool=1), RULES.road["bend"], "tool", True),
    (line(frimen=2, tool=1), RULES.road["bend"], "tool", False),
    (line(tool=2), RULES.road["cross"], "tool", True),
    (line(supply=1, tool=1), RULES.hire_price(1), "", False),
    (line(frimen=1, scroll=1), RULES.road["bend"], "", True),
    (line(scroll=2), RULES.road["bend"], "", False),
    (line(frimen=1, scroll=1), RULES.found_price(1), "", False),
    (line(frimen=1, scroll=1), RULES.found_price(1), "scroll", True),
    (line(frimen=1, supply=1, scroll=1), RULES.road["cross"], "scroll", True),
    (line(tool=1, scroll=1), RULES.road["bend"], "", True),
    (line(supply=2, scroll=1), RULES.take_artefact, "", True),
    (line(chief=1, priest=1, title=1), RULES.upgrade_price(3), "", True),
    (line(chief=2, title=1), RULES.upgrade_price(3), "", False),
    (line(chief=2, title=1), RULES.upgrade_price(3), "title", True),
    (line(frimen=1, priest=1, title=1), RULES.upgrade_price(3), "title", True),
    (line(chief=1, priest=1, title=1), RULES.upgrade_price(3), "title", True),
    (line(priest=2, title=1), RULES.upgrade_price(3), "", False),
    (line(chief=1, priest=2), RULES.upgrade_price(3), "", False),
    (line(lord=1, frimen=1, crown=1), RULES.upgrade_price(4), "", True),
    (line(lord=2, crown=1), RULES.upgrade_price(4), "", False),
    (line(frimen=1, priest=1, crown=1), RULES.upgrade_price(3), "", False),
    (line(lord=1, frimen=2, crown=1, book=1), RULES.found_price(4), "", True),
    (line(lord=1, book=1), RULES.upgrade_price(4), "", True),
    (line(frimen=1, hammer=1), RULES.road["bend"], "", True),
    (line(supply=1, hammer=1), RULES.hire_price(1), "", True),
    (line(hammer=1), RULES.road["bend"], "", False),
    (line(hammer=1), RULES.road["bend"], "tool", True),
    (line(chief=1, priest=1, hammer=1), RULES.upgrade_price(3), "", True),
    (line(frimen=1), RULES.take_supply, "", True),
    (line(frimen=1, title=1), RULES.take_supply, "", False),
]


@pytest.mark.parametrize(("cards_", "price", "lit_", "expected"), LIT)
def test_art_10_and_pay_artefacts_count_in_paying_lines(cards_, price, lit_, expected):
    assert expected == pays(cards_, price, RULES, lit_)


def test_hero_of_another_player_or_off_the_board_may_not_move():
    state = hand(table(), 1, "supply")
    paid = list(state.players[1].hand)
    for hero in ("hero-2-1", "hero-9-9"):
        tell(state).when(1, command("step", hero=hero, to="B1", cards=paid)).refused("not-your-hero", "MAP-03", "hero")
    away = stand(state, "hero-1-1", "")
    tell(away).when(1, command("step", hero="hero-1-1", to="B1", cards=paid)).refused("not-your-hero", "MAP-03", "hero")


@pytest.mark.parametrize(
    "sorts",
    [
        ("supply", "frimen"),
        ("supply", "horse"),
        ("scroll",),
        ("great-book",),
        ("horse", "frimen"),
        ("great-hammer", "horse"),
    ],
)
def test_pay_11_other_lines_do_not_pay_for_a_step(sorts):
    state = lay(day(hand(table(), 1, *sorts), DULL), "B1", "road-straight-emberians", "EW")
    step = command("step", hero="hero-1-1", to="B1", cards=list(state.players[1].hand))
    tell(state).when(1, step).refused("does-not-pay", "PAY-11", "cards")


@pytest.mark.parametrize(
    ("sorts", "number", "steps"),
    [
        (("supply", "scroll"), 0, 2),
        (("supply", "scroll"), 6, 3),
        (("supply", "great-hammer"), 0, 2),
        (("supply", "great-book"), 0, 2),
        (("supply", "scroll", "great-book"), 6, 5),
        (("horse", "scroll"), 0, 6),
        (("horse", "scroll"), 1, 12),
        (("great-hammer", "great-book"), 0, 6),
    ],
)
def test_art_05_copies_pay_for_more_steps(sorts, number, steps):
    state = lay(day(hand(table(), 1, *sorts), number), "B1", "road-straight-emberians", "EW")
    step = command("step", hero="hero-1-1", to="B1", cards=list(state.players[1].hand))
    assert steps - 1 == tell(state).when(1, step).state.heroes["hero-1-1"].steps
