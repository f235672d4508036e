"""Weapons on city walls (ARM), with and without a besieger."""

from __future__ import annotations

import pytest

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
from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from domain.kernel.options import commands
from domain.kernel.terms import Seat
from tests.battalia.laid import at, city, hand, level, morning, night, rammoth, remembers, road, table, turn_of, weapons
from tests.battalia.random_play import steps
from tests.story import LoadedDice, Story

ALONE = ("armamentum",)
BOTH = ("rammoth", "armamentum")
PRICE = ("frimen", "frimen", "supply", "supply")
S = 3


def building(state, seat=1):
    """The seat's turn, with exactly the price of a weapon in its hand."""
    return hand(turn_of(state, seat), seat, *PRICE)


def build(state, square, seat=1):
    return Story(BATTALIA, state).when(seat, BuildArmamentum(square, state.players[Seat(seat)].hand))


def squares_on_offer(state, seat=1):
    offered = [option for option in BATTALIA.rules.legal(state, Seat(seat)) if option.type == "build_armamentum"]
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


def test_arm_01_a_tool_replaces_a_missing_card_of_the_price():
    state = hand(turn_of(table(2, ALONE), 1), 1, "frimen", "supply", "supply", "tool")

    assert ["A1"] == standing(build(state, "A1"))


def test_arm_01_a_weapon_is_built_only_in_a_city():
    state = building(road(table(2, ALONE), "B1", "EW"))

    for square in ("B1", "C3", "D3", "Z9"):
        build(state, square).refused("not-your-city", "ARM-01", "square")
    assert ["A1"] == squares_on_offer(state)


def test_arm_01_a_city_has_at_most_one_weapon():
    state = building(weapons(table(2, ALONE), "A1"))

    build(state, "A1").refused("weapon-there", "ARM-01", "square")
    assert [] == squares_on_offer(state)


def test_arm_01_a_turn_may_build_any_number_of_weapons():
    state = city(table(2, ALONE), "D1", 1, 1)
    state = hand(turn_of(state, 1), 1, *PRICE, *PRICE)
    frimen, supplies = state.players[1].hand[0:2], state.players[1].hand[2:4]
    more = state.players[1].hand[4:]

    story = Story(BATTALIA, state).when(1, BuildArmamentum("A1", (*frimen, *supplies)))
    assert ["A1", "D1"] == standing(story.when(1, BuildArmamentum("D1", more)))


@pytest.mark.parametrize(("sets", "in_all"), [(1, 6), (2, 12)])
def test_arm_02_the_stock_has_six_weapons_per_set(sets, in_all):
    state = table(4, ALONE, armamentum_sets=sets)
    free = [f"{column}{row}" for row in (2, 3, 5, 6) for column in "CEG"]
    for square in free[: in_all - 1]:
        state = city(state, square, 2, 1, "", "wolfsclan" if "wolfsclan" in state.factions else _land(state))
    state = building(weapons(state, *free[: in_all - 1]))
    assert 1 == stock(state)

    story = build(state, "A1")
    assert (in_all, 0) == (len(standing(story)), BATTALIA.knowledge.view(story.state)["npcs"]["armamentum"]["stock"])
    state = building(city(story.state, "D6", 1, 1, "", _land(story.state)))
    build(state, "D6").refused("no-weapon-left", "ARM-02")
    assert [] == squares_on_offer(state)


def _land(state):
    piles = [card for shape in ("tee", "bend") for card in state.piles[f"city-{shape}"]]
    return piles[0].split("-")[2]


def test_arm_02_a_lost_weapon_returns_to_the_stock():
    state = city(table(2, BOTH), "D1", 1, 1, "ESW", "islanders")
    before = stock(weapons(state, "D1"))

    story = morning(night(rammoth(weapons(state, "D1"), "D5"), 8), S, 1, 5, 1)

    assert (5, 6) == (before, stock(story.state))


# -- without a besieger -----------------------------------------------------------------------------------------------


def test_arm_03_without_a_besieger_weapons_are_built_only_in_own_cities():
    state = city(road(table(2, ALONE), "B1", "EW"), "C1", 2, 1, "ESW")
    state = building(state)

    build(state, "C1").refused("not-your-city", "ARM-03", "square")
    assert ["A1"] == squares_on_offer(state)


def attacked(state, square="B1", faction=""):
    """Seat 2 attacks seat 1's city on B1 from A1, with lords; seat 1 plays no cards."""
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


def test_arm_04_a_weapon_does_not_help_cities_of_opponents():
    state = city(table(2, ALONE), "C2", 2, 1)

    (fought,) = attacked(weapons(state, "C2", "A1")).of(BattleFought)

    assert {"cards": 0, "level": 2} == fought.defence


def test_arm_04_weapons_help_neither_in_the_open_nor_an_attacker():
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

    (shown,) = BATTALIA.knowledge.view(weapons(state, square))["npcs"]["armamentum"]["weapons"].values()
    assert reach.split() == sorted(shown["range"])
    assert square in shown["covers"]


# -- ownership --------------------------------------------------------------------------------------------------------


def test_arm_05_a_weapon_stays_with_its_city_and_defends_its_new_owner():
    state = city(level(table(2, ALONE), "A1", 1, 2), "B1", 1, 1, "ESW", "")
    state = hand(at(turn_of(weapons(state, "B1"), 2), hero_2_1="A1"), 2, "supply", "lord", "lord", "lord")
    supply, *lords = state.players[2].hand

    story = Story(BATTALIA, state).when(2, Step("hero-2-1", "B1", (supply,), tuple(lords), against=1)).default(1)

    story.with_(CityTaken(2, "B1", 1, 1))
    assert [] == story.of(ArmamentumLost)
    shown = BATTALIA.knowledge.view(story.state)["npcs"]["armamentum"]["weapons"]["B1"]
    assert (2, ["A1", "B1"]) == (shown["owner"], shown["covers"])


def test_arm_05_a_weapon_cannot_be_moved():
    assert {"build_armamentum"} == set(registered()["armamentum"].commands)


def test_arm_05_a_weapon_is_lost_with_its_citys_card():
    state = city(table(2, BOTH), "D1", 1, 1, "ESW", "islanders")

    story = morning(night(rammoth(weapons(state, "D1"), "D5"), 8), S, 1, 5, 1)

    story.with_(*story.of(CityDestroyed), ArmamentumLost("D1"))
    assert [] == standing(story)


def test_arm_05_a_weapon_stays_on_a_ruined_city():
    state = city(table(2, ("stormgates", *BOTH)), "D1", 1, 1, "ESW", "islanders")

    story = morning(night(rammoth(weapons(state, "D1"), "D5"), 8), S, 1, 1, 4)

    assert (0, ["D1"]) == (story.state.cities["D1"].level, standing(story))


def test_arm_05_a_weapon_stays_in_a_city_that_turns_neutral():
    decision = start_decision(weapons(table(3, ALONE), "A1"), LoadedDice())

    put_out(decision, Seat(1))

    assert (0, ["A1"]) == (decision.state.cities["A1"].owner, decision.state.npcs["armamentum"]["weapons"])
    assert BATTALIA.knowledge.view(decision.state)["npcs"]["armamentum"]["weapons"]["A1"]["covers"] == []


# -- with a besieger --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("difficulty", "help_"), [("hard", 2), ("moderate", 3), ("easy", 4)])
def test_arm_06_a_weapon_helps_every_players_city_in_range_against_the_rammoth(difficulty, help_):
    state = city(table(2, BOTH, rammoth_difficulty=difficulty), "D1", 1, 3, "ESW", "islanders")
    state = city(city(state, "E2", 2, 1), "G3", 2, 1)

    def defence(*squares):
        return morning(night(rammoth(weapons(state, *squares), "D5"), 8), S, 1, 1, 1).of(RammothAttacked)[0].defence

    assert {"level": 3, "die": 1} == defence() == defence("G3")
    assert {"level": 3, "weapons": help_, "die": 1} == defence("E2") == defence("D1")
    assert {"level": 3, "weapons": 2 * help_, "die": 1} == defence("E2", "D1", "G3")


def test_arm_06_moderate_is_the_default_difficulty():
    assert "moderate" == table(2, BOTH).options["rammoth_difficulty"]


def test_arm_06_weapons_do_not_help_a_neutral_city():
    state = city(table(2, BOTH), "D1", 0, 3, "ESW", "islanders")
    state = weapons(city(state, "E2", 2, 1), "E2")

    (attack,) = morning(night(rammoth(state, "D5"), 8), S, 1, 1, 1).of(RammothAttacked)

    assert {"level": 3, "die": 1} == attack.defence


def test_arm_06_weapons_help_only_against_the_rammoth():
    state = city(table(2, BOTH), "C2", 1, 1)

    (fought,) = attacked(weapons(state, "C2")).of(BattleFought)

    assert {"cards": 0, "level": 2} == fought.defence


def test_arm_07_weapons_may_be_built_in_connected_cities_of_opponents():
    state = city(road(table(2, BOTH), "B1", "EW"), "C1", 2, 1, "ESW")
    state = city(state, "E2", 2, 1)
    state = building(state)

    build(state, "C1").then(LinePaid(1, state.players[1].hand), ArmamentumBuilt(1, "C1", 2))
    build(state, "E2").refused("not-connected", "ARM-07", "square")
    assert ["A1", "C1"] == squares_on_offer(state)


def test_arm_07_weapons_are_not_built_in_neutral_cities():
    state = city(road(table(2, BOTH), "B1", "EW"), "C1", 0, 4, "ESW", "islanders")

    build(building(state), "C1").refused("not-your-city", "ARM-01", "square")
    assert ["A1"] == squares_on_offer(building(state))


def test_arm_08_the_rammoth_attacks_with_horn_and_ballista():
    state = city(table(2, BOTH), "D1", 1, 4, "ESW")

    (attack,) = morning(night(rammoth(state, "D5"), 8), S, 1, 3, 4).of(RammothAttacked)

    assert ({"horn": 4, "ballista": 4, "die": 3}, 11) == (attack.attack, attack.strength)


def test_arm_09_a_six_of_the_rammoth_destroys_all_weapons_in_range_but_no_cards():
    state = city(table(2, BOTH), "D1", 1, 4, "ESW")
    state = city(city(state, "E2", 2, 1), "F2", 2, 1)
    state = hand(weapons(state, "D1", "E2", "F2"), 1, "frimen", "supply", "supply", "supply")

    story = morning(night(rammoth(state, "D5"), 8), S, 1, 6, 4)

    story.with_(*story.of(RammothRaged), ArmamentumLost("D1"), ArmamentumLost("E2"))
    assert ["F2"] == standing(story)
    assert "turn" == story.state.asking[-1].kind
    assert 4 == len(story.state.players[1].hand)
    assert ["A1", "D1"] == squares_on_offer(building(story.state))


# -- settings, faults, and the bot ------------------------------------------------------------------------------------


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
def test_invalid_settings_are_refused_by_field(modules, options, faults):
    with pytest.raises(BadSetup) as refusal:
        BATTALIA.rules.check(Setup(2, "", options, modules))
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
def test_game_has_only_the_settings_of_its_modules(modules, names):
    options = BATTALIA.rules.check(Setup(2, "", {}, modules)).options

    assert names == {"armamentum_sets", "rammoth_difficulty"} & set(options)


@pytest.mark.parametrize("wrong", [["C3"], ["A1", "A1"], [["A1"]], "A1", None])
def test_position_with_impossible_weapons_has_faults(wrong):
    assert BATTALIA.rules.faults(remembers(table(2, ALONE), "armamentum", weapons=wrong))


def test_arm_02_a_position_with_more_weapons_than_the_stock_has_a_fault():
    squares = ("A1", "C3", "D2", "E3", "F2", "B4", "E4")

    def armed(sets):
        state = table(2, ALONE, armamentum_sets=sets)
        for place, name in enumerate(squares[1:]):
            state = city(state, name, 1, 1, "", ("barfolk", "islanders", "emberians")[place % 3])
        return weapons(state, *squares[: 6 * sets + 1])

    assert ["there are more weapons than were made"] == BATTALIA.rules.faults(armed(1))
    assert [] == BATTALIA.rules.faults(armed(2))


def test_greedy_bot_builds_a_weapon_only_where_it_covers_two_of_its_cities():
    state = city(city(table(2, BOTH), "C3", 1, 3), "B2", 1, 2, "", "islanders")
    state = building(state)

    def choice(state):
        return BATTALIA.bots.by_name["greedy"](
            BATTALIA.knowledge.imagine(state, Seat(1), Dice(b"x")), Seat(1), Dice(b"y")
        )

    assert ("build_armamentum", "B2") == (choice(state)["type"], choice(state)["square"])
    assert "build_armamentum" != choice(building(table(2, BOTH)))["type"]


def test_arm_05_a_weapon_of_a_city_destroyed_at_the_end_is_not_shown():
    """A random game in which the Rammoth destroys the last city and so ends the game (first reading of END-05)."""
    modules = ("stormgates", "rammoth", "armamentum", "unbound_buff")
    words = {"max_weeks": 4, "rammoth_difficulty": "hard", "armamentum_sets": 2}
    *_, (position, commit) = steps(2, 900763, cap=100, modules=modules, ruleset="creation_v1", **words)
    (fallen,) = [event.square for event in commit.events if isinstance(event, CityDestroyed)]

    assert position.over
    assert [] == BATTALIA.rules.faults(position.state)
    assert fallen in position.state.npcs["armamentum"]["weapons"]
    assert fallen not in BATTALIA.knowledge.view(position.state)["npcs"]["armamentum"]["weapons"]
