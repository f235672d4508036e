"""Weapons on city walls (ARM), alone and where there is a besieger."""

from __future__ import annotations

import pytest

from domain.dice import Dice
from domain.errors import BadSetup
from domain.game import Setup
from domain.games.battalia.commands import Step
from domain.games.battalia.events import BattleFought, CityDestroyed, CityTaken, LinePaid
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.module_api.registry import registered
from domain.games.battalia.modules.armamentum import ArmamentumBuilt, ArmamentumLost, BuildArmamentum, stock
from domain.games.battalia.modules.rammoth.kinds import RammothAttacked, RammothRaged
from domain.games.battalia.rulebook.turn.calendar import put_out
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import Price
from domain.options import commands
from domain.terms import Seat
from tests.battalia.laid import at, city, hand, level, morning, night, rammoth, remembers, road, table, turn_of, weapons
from tests.battalia.random_play import steps
from tests.story import LoadedDice, Story

ALONE = ("armamentum",)
BOTH = ("rammoth", "armamentum")
PRICE = ("frimen", "frimen", "supply", "supply")
S = 3


def building(state, seat=1):
    """The seat's turn, the price of a weapon in its hand and nothing else."""
    return hand(turn_of(state, seat), seat, *PRICE)


def build(state, square, seat=1):
    return Story(BATTALIA, state).when(seat, BuildArmamentum(square, state.players[Seat(seat)].hand))


def squares_on_offer(state, seat=1):
    offered = [option for option in BATTALIA.legal(state, Seat(seat)) if option.type == "build_armamentum"]
    return sorted({command["square"] for option in offered for command in commands(option)})


def standing(story):
    return story.state.npcs["armamentum"]["weapons"]


# -- building ---------------------------------------------------------------------------------------------------------


def test_arm_01_a_weapon_is_built_in_a_city_for_two_frimen_and_two_supplies():
    state = building(table(2, ALONE))
    cards = state.players[1].hand

    build(state, "A1").then(LinePaid(1, cards), ArmamentumBuilt(1, "A1", 1))
    assert Price(2, 1, 2, building=True) == RULESETS["creation_v1"].modules["armamentum_price"]
    for line in (cards[:3], cards[1:], cards[:2]):
        Story(BATTALIA, state).when(1, BuildArmamentum("A1", line)).refused("does-not-pay", "PAY-09", "cards")


def test_arm_01_a_tool_stands_in_for_a_card_of_a_building_line():
    state = hand(turn_of(table(2, ALONE), 1), 1, "frimen", "supply", "supply", "tool")

    assert ["A1"] == standing(build(state, "A1"))


def test_arm_01_nowhere_but_in_a_city():
    state = building(road(table(2, ALONE), "B1", "EW"))

    for square in ("B1", "C3", "D3", "Z9"):
        build(state, square).refused("not-your-city", "ARM-01", "square")
    assert ["A1"] == squares_on_offer(state)


def test_arm_01_at_most_one_in_a_city():
    state = building(weapons(table(2, ALONE), "A1"))

    build(state, "A1").refused("weapon-there", "ARM-01", "square")
    assert [] == squares_on_offer(state)


def test_arm_01_any_number_in_a_turn():
    state = city(table(2, ALONE), "D1", 1, 1)
    state = hand(turn_of(state, 1), 1, *PRICE, *PRICE)
    frimen, supplies = state.players[1].hand[0:2], state.players[1].hand[2:4]
    more = state.players[1].hand[4:]

    story = Story(BATTALIA, state).when(1, BuildArmamentum("A1", (*frimen, *supplies)))
    assert ["A1", "D1"] == standing(story.when(1, BuildArmamentum("D1", more)))


@pytest.mark.parametrize(("sets", "in_all"), [(1, 6), (2, 12)])
def test_arm_02_six_weapons_or_twelve_and_no_more(sets, in_all):
    state = table(4, ALONE, armamentum_sets=sets)
    free = [f"{column}{row}" for row in (2, 3, 5, 6) for column in "CEG"]
    for square in free[: in_all - 1]:
        state = city(state, square, 2, 1, "", "wolfsclan" if "wolfsclan" in state.factions else _land(state))
    state = building(weapons(state, *free[: in_all - 1]))
    assert 1 == stock(state)

    story = build(state, "A1")
    assert (in_all, 0) == (len(standing(story)), BATTALIA.view(story.state)["npcs"]["armamentum"]["stock"])
    state = building(city(story.state, "D6", 1, 1, "", _land(story.state)))
    build(state, "D6").refused("no-weapon-left", "ARM-02")
    assert [] == squares_on_offer(state)


def _land(state):
    """A faction that still has city cards."""
    piles = [card for shape in ("tee", "bend") for card in state.piles[f"city-{shape}"]]
    return piles[0].split("-")[2]


def test_arm_02_a_lost_weapon_returns_to_the_stock():
    state = city(table(2, BOTH), "D1", 1, 1, "ESW", "islanders")
    before = stock(weapons(state, "D1"))

    story = morning(night(rammoth(weapons(state, "D1"), "D5"), 8), S, 1, 5, 1)

    assert (5, 6) == (before, stock(story.state))


# -- alone ------------------------------------------------------------------------------------------------------------


def test_arm_03_alone_in_own_cities_only():
    state = city(road(table(2, ALONE), "B1", "EW"), "C1", 2, 1, "ESW")
    state = building(state)

    build(state, "C1").refused("not-your-city", "ARM-03", "square")
    assert ["A1"] == squares_on_offer(state)


def attacked(state, square="B1", faction=""):
    """Seat 2 walks from A1 into seat 1's city on B1, with a lord; seat 1 lays nothing."""
    state = city(level(state, "A1", 1, 2), square, 1, 2, "ESW", faction or state.factions[2])
    state = hand(at(turn_of(state, 2), hero_2_1="A1"), 2, "supply", "lord-islanders", "lord", "lord")
    supply, *lords = state.players[2].hand
    story = Story(BATTALIA, state).when(2, Step("hero-2-1", square, (supply,), tuple(lords), against=1))
    return story.default(1)


def test_arm_04_a_weapon_adds_four_to_every_own_city_in_range():
    state = city(table(2, ALONE), "C2", 1, 1)

    (bare_,) = attacked(state).of(BattleFought)
    (far,) = attacked(weapons(city(state, "D1", 1, 1), "D1")).of(BattleFought)
    (near,) = attacked(weapons(state, "C2")).of(BattleFought)

    assert {"cards": 0, "level": 2} == bare_.defence == far.defence
    assert ({"cards": 0, "level": 2, "weapons": 4}, 6) == (near.defence, near.against)


def test_arm_04_weapons_add_up_where_their_ranges_overlap():
    state = city(city(table(2, ALONE), "C2", 1, 1), "B2", 1, 1, "", "islanders")
    story = attacked(weapons(state, "C2", "B2"))
    (fought,) = story.of(BattleFought)

    assert {"cards": 0, "level": 2, "weapons": 8} == fought.defence


def test_arm_04_an_opponents_weapon_in_range_helps_nobody_else():
    state = city(table(2, ALONE), "C2", 2, 1)

    (fought,) = attacked(weapons(state, "C2", "A1")).of(BattleFought)

    assert {"cards": 0, "level": 2} == fought.defence


def test_arm_04_no_weapon_helps_in_the_open_or_an_attacker():
    state = city(road(table(2, ALONE), "B1", "EW", "barfolk"), "C1", 2, 1, "ESW")
    state = hand(at(turn_of(weapons(state, "A1"), 2), hero_2_1="C1", hero_1_1="B1", hero_1_2=""), 2, "supply", "lord")
    supply, lord = state.players[2].hand

    story = Story(BATTALIA, state).when(2, Step("hero-2-1", "B1", (supply,), (lord,), against=1)).default(1)

    (fought,) = story.of(BattleFought)
    assert "weapons" not in {**fought.attack, **fought.defence}


@pytest.mark.parametrize(
    ("square", "reach"),
    [
        ("A1", "A1 A2 B1 B2"),
        ("D1", "C1 C2 D1 D2 E1 E2"),
        ("G5", "F4 F5 G4 G5"),
        ("A3", "A2 A3 A4 B2 B3 B4"),
        ("C3", "B2 B3 B4 C2 C3 C4 D2 D3 D4"),
    ],
)
def test_arm_04_range_ends_at_the_maps_edge(square, reach):
    state = table(2, ALONE)
    state = state if square in state.cities else city(state, square, 1, 1)

    (shown,) = BATTALIA.view(weapons(state, square))["npcs"]["armamentum"]["weapons"].values()
    assert reach.split() == sorted(shown["range"])
    assert square in shown["covers"]


# -- whose it is ------------------------------------------------------------------------------------------------------


def test_arm_05_it_goes_with_its_city_and_defends_its_new_owner():
    state = city(level(table(2, ALONE), "A1", 1, 2), "B1", 1, 1, "ESW", "")
    state = hand(at(turn_of(weapons(state, "B1"), 2), hero_2_1="A1"), 2, "supply", "lord", "lord", "lord")
    supply, *lords = state.players[2].hand

    story = Story(BATTALIA, state).when(2, Step("hero-2-1", "B1", (supply,), tuple(lords), against=1)).default(1)

    story.with_(CityTaken(2, "B1", 1, 1))
    assert [] == story.of(ArmamentumLost)
    shown = BATTALIA.view(story.state)["npcs"]["armamentum"]["weapons"]["B1"]
    assert (2, ["A1", "B1"]) == (shown["owner"], shown["covers"])


def test_arm_05_it_cannot_be_moved():
    assert {"build_armamentum"} == set(registered()["armamentum"].commands)


def test_arm_05_it_is_lost_with_the_citys_card():
    state = city(table(2, BOTH), "D1", 1, 1, "ESW", "islanders")

    story = morning(night(rammoth(weapons(state, "D1"), "D5"), 8), S, 1, 5, 1)

    story.with_(*story.of(CityDestroyed), ArmamentumLost("D1"))
    assert [] == standing(story)


def test_arm_05_it_stays_on_a_ruined_city():
    state = city(table(2, ("stormgates", *BOTH)), "D1", 1, 1, "ESW", "islanders")

    story = morning(night(rammoth(weapons(state, "D1"), "D5"), 8), S, 1, 1, 4)

    assert (0, ["D1"]) == (story.state.cities["D1"].level, standing(story))


def test_arm_05_it_stays_in_a_city_that_turns_neutral():
    decision = start_decision(weapons(table(3, ALONE), "A1"), LoadedDice())

    put_out(decision, Seat(1))

    assert (0, ["A1"]) == (decision.state.cities["A1"].owner, decision.state.npcs["armamentum"]["weapons"])
    assert BATTALIA.view(decision.state)["npcs"]["armamentum"]["weapons"]["A1"]["covers"] == []


# -- where there is a besieger ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("difficulty", "help_"), [("hard", 2), ("moderate", 3), ("easy", 4)])
def test_arm_06_a_weapon_helps_every_players_city_in_range_against_the_rammoth(difficulty, help_):
    state = city(table(2, BOTH, rammoth_difficulty=difficulty), "D1", 1, 3, "ESW", "islanders")
    state = city(city(state, "E2", 2, 1), "G3", 2, 1)

    def defence(*squares):
        return morning(night(rammoth(weapons(state, *squares), "D5"), 8), S, 1, 1, 1).of(RammothAttacked)[0].defence

    assert {"level": 3, "die": 1} == defence() == defence("G3")
    assert {"level": 3, "weapons": help_, "die": 1} == defence("E2") == defence("D1")
    assert {"level": 3, "weapons": 2 * help_, "die": 1} == defence("E2", "D1", "G3")


def test_arm_06_moderate_is_the_usual_difficulty():
    assert "moderate" == table(2, BOTH).options["rammoth_difficulty"]


def test_arm_06_a_neutral_city_is_not_helped():
    state = city(table(2, BOTH), "D1", 0, 3, "ESW", "islanders")
    state = weapons(city(state, "E2", 2, 1), "E2")

    (attack,) = morning(night(rammoth(state, "D5"), 8), S, 1, 1, 1).of(RammothAttacked)

    assert {"level": 3, "die": 1} == attack.defence


def test_arm_06_only_against_the_rammoth():
    state = city(table(2, BOTH), "C2", 1, 1)

    (fought,) = attacked(weapons(state, "C2")).of(BattleFought)

    assert {"cards": 0, "level": 2} == fought.defence


def test_arm_07_in_opponents_cities_that_are_reached_by_road():
    state = city(road(table(2, BOTH), "B1", "EW"), "C1", 2, 1, "ESW")
    state = city(state, "E2", 2, 1)
    state = building(state)

    build(state, "C1").then(LinePaid(1, state.players[1].hand), ArmamentumBuilt(1, "C1", 2))
    build(state, "E2").refused("not-connected", "ARM-07", "square")
    assert ["A1", "C1"] == squares_on_offer(state)


def test_arm_07_not_in_neutral_cities():
    state = city(road(table(2, BOTH), "B1", "EW"), "C1", 0, 4, "ESW", "islanders")

    build(building(state), "C1").refused("not-your-city", "ARM-01", "square")
    assert ["A1"] == squares_on_offer(building(state))


def test_arm_08_the_rammoth_attacks_with_horn_and_ballista():
    state = city(table(2, BOTH), "D1", 1, 4, "ESW")

    (attack,) = morning(night(rammoth(state, "D5"), 8), S, 1, 3, 4).of(RammothAttacked)

    assert ({"horn": 4, "ballista": 4, "die": 3}, 11) == (attack.attack, attack.strength)


def test_arm_09_his_six_destroys_all_weapons_in_his_range_and_costs_no_cards():
    state = city(table(2, BOTH), "D1", 1, 4, "ESW")
    state = city(city(state, "E2", 2, 1), "F2", 2, 1)
    state = hand(weapons(state, "D1", "E2", "F2"), 1, "frimen", "supply", "supply", "supply")

    story = morning(night(rammoth(state, "D5"), 8), S, 1, 6, 4)

    story.with_(*story.of(RammothRaged), ArmamentumLost("D1"), ArmamentumLost("E2"))
    assert ["F2"] == standing(story)
    assert "turn" == story.state.asking[-1].kind
    assert 4 == len(story.state.players[1].hand)
    assert ["A1", "D1"] == squares_on_offer(building(story.state))


# -- settings and what else there is ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("modules", "options", "faults"),
    [
        (
            (),
            {"rammoth_difficulty": "easy"},
            {"options.rammoth_difficulty": "only with the modules: armamentum, rammoth"},
        ),
        (
            ALONE,
            {"rammoth_difficulty": "easy"},
            {"options.rammoth_difficulty": "only with the modules: armamentum, rammoth"},
        ),
        (
            ("rammoth",),
            {"rammoth_difficulty": "easy"},
            {"options.rammoth_difficulty": "only with the modules: armamentum, rammoth"},
        ),
        (BOTH, {"rammoth_difficulty": "brutal"}, {"options.rammoth_difficulty": "one of easy, moderate, hard"}),
        (("rammoth",), {"armamentum_sets": 2}, {"options.armamentum_sets": "only with the modules: armamentum"}),
        (ALONE, {"armamentum_sets": 3}, {"options.armamentum_sets": "one of 1, 2"}),
        (ALONE, {"armamentum_sets": True}, {"options.armamentum_sets": "one of 1, 2"}),
    ],
)
def test_settings_that_do_not_fit_are_refused_by_name(modules, options, faults):
    with pytest.raises(BadSetup) as refusal:
        BATTALIA.check(Setup(2, "", options, modules))
    assert faults == refusal.value.faults


@pytest.mark.parametrize(
    ("modules", "names"),
    [
        ((), set()),
        (("rammoth",), set()),
        (ALONE, {"armamentum_sets"}),
        (BOTH, {"armamentum_sets", "rammoth_difficulty"}),
    ],
)
def test_a_game_has_the_settings_that_mean_something_in_it(modules, names):
    options = BATTALIA.check(Setup(2, "", {}, modules)).options

    assert names == {"armamentum_sets", "rammoth_difficulty"} & set(options)


@pytest.mark.parametrize("wrong", [["C3"], ["A1", "A1"], [["A1"]], "A1", None])
def test_a_position_with_weapons_that_cannot_be_is_found(wrong):
    assert BATTALIA.faults(remembers(table(2, ALONE), "armamentum", weapons=wrong))


def test_arm_02_a_position_with_more_weapons_than_were_made_is_found():
    squares = ("A1", "C3", "D2", "E3", "F2", "B4", "E4")

    def armed(sets):
        state = table(2, ALONE, armamentum_sets=sets)
        for place, name in enumerate(squares[1:]):
            state = city(state, name, 1, 1, "", ("barfolk", "islanders", "emberians")[place % 3])
        return weapons(state, *squares[: 6 * sets + 1])

    assert ["there are more weapons than were made"] == BATTALIA.faults(armed(1))
    assert [] == BATTALIA.faults(armed(2))


def test_a_greedy_player_builds_where_a_weapon_covers_two_of_its_cities():
    state = city(city(table(2, BOTH), "C3", 1, 3), "B2", 1, 2, "", "islanders")
    state = building(state)

    def choice(state):
        return BATTALIA.bots["greedy"](BATTALIA.imagine(state, Seat(1), Dice(b"x")), Seat(1), Dice(b"y"))

    assert ("build_armamentum", "B2") == (choice(state)["type"], choice(state)["square"])
    assert "build_armamentum" != choice(building(table(2, BOTH)))["type"]


def test_arm_05_a_weapon_whose_city_fell_as_the_game_ended_is_gone():
    """A random game in which the Rammoth destroys a last city, and with it the game is over (END-05 as first read)."""
    modules = ("stormgates", "rammoth", "armamentum", "unbound_buff")
    words = {"max_weeks": 4, "rammoth_difficulty": "hard", "armamentum_sets": 2}
    *_, (position, commit) = steps(2, 900763, cap=100, modules=modules, ruleset="creation_v1", **words)
    (fallen,) = [event.square for event in commit.events if isinstance(event, CityDestroyed)]

    assert position.over
    assert [] == BATTALIA.faults(position.state)
    assert fallen in position.state.npcs["armamentum"]["weapons"]
    assert fallen not in BATTALIA.view(position.state)["npcs"]["armamentum"]["weapons"]
