"""The Rammoth Deleo-Arx (RAM), with Armamentum if a clause mentions it. ARM-10 is the first test."""

from __future__ import annotations

import pytest

from domain.games.battalia.cards import CARDS
from domain.games.battalia.commands import EndTurn, Flee, RebuildCity, Step
from domain.games.battalia.events import (
    CardsDiscarded,
    CityDestroyed,
    CityLevelled,
    HeroDisbanded,
    HeroFled,
    HeroStepped,
    QuestionAnswered,
    QuestionAsked,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.module_api.registry import registered
from domain.games.battalia.modules.rammoth.kinds import (
    DiscardHalf,
    RammothAttacked,
    RammothDrivenOff,
    RammothEntered,
    RammothMoved,
    RammothRaged,
)
from domain.games.battalia.modules.rammoth.siege import way
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from tests.battalia.laid import (
    at,
    bare,
    city,
    hand,
    level,
    morning,
    night,
    rammoth,
    remembers,
    road,
    table,
    turn_of,
    weapons,
)
from tests.story import LoadedDice, Story

ALONE = ("rammoth",)
GATED = ("stormgates", "rammoth")
ARMED = ("rammoth", "armamentum")
N, E, S, W = 1, 2, 3, 4


def beast(state):
    return state.npcs["rammoth"]["square"]


def hit(modules=ALONE, *, defender=1, city_level=3, faction="", faces=(), cards=6, seats=2, **options):
    """The Rammoth on D5 moves one step south, across the edge, to the defender's city on D1 and attacks with these dice."""
    state = city(table(seats, modules, **options), "D1", defender, city_level, "ESW", faction)
    if defender:
        state = hand(state, defender, *["frimen", "supply", "chief", "supply", "priest", "supply"][:cards])
    return morning(night(rammoth(state, "D5"), 8), S, 1, *faces)


# -- ARM-10 -----------------------------------------------------------------------------------------------------------


def example(count):
    state = city(table(2, ARMED), "D1", 1, 3, "ESW")
    state = city(state, "E2", 2, 2)
    return morning(night(rammoth(weapons(state, *("D1", "E2")[:count]), "D5"), 8), S, 1, 5, 4)


def test_arm_10_two_weapons_repel_the_rammoth():
    story = example(2)

    story.with_(
        RammothMoved("D5", "S", 1, ("D1",)),
        RammothAttacked(
            "D1",
            Seat(1),
            {"horn": 4, "ballista": 4, "die": 5},
            {"level": 3, "terrain": 1, "weapons": 6, "die": 4},
            13,
            14,
            0,
        ),
    )
    assert 3 == story.state.cities["D1"].level


def test_arm_10_one_weapon_does_not_repel_the_rammoth():
    story = example(1)

    (attack,) = story.of(RammothAttacked)
    assert (13, 11, 2) == (attack.strength, attack.against, attack.damage)
    story.with_(attack, CityLevelled("D1", 1))


# -- entering and moving ----------------------------------------------------------------------------------------------


def test_ram_01_the_rammoth_enters_by_a_random_gate():
    story = morning(night(table(3, GATED)), 5, 2)

    story.with_(RammothEntered("G1", 2, (5, 2), 7))
    assert "G1" == beast(story.state)


def test_ram_02_the_rammoth_enters_at_the_first_check_point_and_not_before():
    for day in range(6):
        story = morning(night(table(2, ALONE), day))
        assert [] == story.of(RammothEntered)
        assert "" == beast(story.state)
    assert "D3" == beast(morning(night(table(2, ALONE), 6)).state)


def test_ram_03_the_rammoth_moves_on_every_day_after_the_day_of_his_appearance():
    story = morning(night(table(2, GATED)), 2)
    assert [] == story.of(RammothMoved)

    for day in (7, 8, 9):
        story = morning(night(story.state, day), N, 1)
        assert 1 == len(story.of(RammothMoved))
    assert "G2" == beast(story.state)


def test_ram_03_after_a_later_appearance_the_rammoth_moves_from_the_next_day_on():
    state = remembers(table(2, GATED), "rammoth", square="", since=7)

    story = morning(night(state, 13), 1)
    assert ([], "A1") == (story.of(RammothMoved), beast(story.state))
    assert ["A2"] == [event.path[-1] for event in morning(night(story.state, 14), S, 1).of(RammothMoved)]


@pytest.mark.parametrize(("face", "to"), [(N, "D1"), (E, "F3"), (S, "D5"), (W, "B3")])
def test_ram_04_a_d4_gives_the_direction_and_a_d6_the_distance(face, to):
    story = morning(night(rammoth(table(2, ALONE), "D3"), 8), face, 2)

    assert [("D3", "NESW"[face - 1], 2)] == [(e.origin, e.direction, e.steps) for e in story.of(RammothMoved)]
    assert to == beast(story.state)


@pytest.mark.parametrize(
    ("origin", "face", "steps", "to"),
    [
        ("B1", N, 1, "B5"),
        ("G2", E, 1, "A2"),
        ("B5", S, 2, "B2"),
        ("A2", W, 3, "E2"),
        ("F4", E, 6, "E4"),
        ("C4", N, 6, "C3"),
    ],
)
def test_ram_05_the_rammoth_moves_straight_and_wraps_to_the_opposite_edge(origin, face, steps, to):
    assert to == beast(morning(night(rammoth(table(2, ALONE), origin), 8), face, steps).state)


def test_ram_06_the_rammoth_needs_no_roads_and_crosses_empty_squares():
    state = rammoth(table(2, ALONE), "B2")

    (moved,) = morning(night(state, 8), E, 5).of(RammothMoved)

    assert ("C2", "D2", "E2", "F2", "G2") == moved.path
    assert not set(moved.path) & set(state.board)


@pytest.mark.parametrize("owner", [0, 1, 2])
def test_ram_07_the_rammoth_stops_at_the_first_city_of_any_owner(owner):
    state = city(table(2, ALONE), "D2", owner, 3, "ESW", "barfolk")
    state = city(state, "F2", 2, 4)

    story = morning(night(rammoth(state, "B2"), 8), E, 6, 1, 1)

    assert [("C2", "D2")] == [event.path for event in story.of(RammothMoved)]
    assert "D2" == beast(story.state)
    assert [("D2", owner)] == [(event.square, event.owner) for event in story.of(RammothAttacked)]


def test_ram_07_the_ruins_do_not_stop_the_rammoth():
    story = morning(night(rammoth(table(2, ALONE), "D2"), 8), S, 2)

    assert ([], "D4") == (story.of(RammothAttacked), beast(story.state))


def test_ram_08_the_rammoth_may_enter_the_square_of_a_hero():
    state = at(road(table(2, ALONE), "B1", "EW"), hero_1_1="B1")

    story = morning(night(rammoth(state, "B2"), 8), N, 1)

    assert "B1" == beast(story.state) == story.state.heroes["hero-1-1"].square
    assert [] == story.of(RammothAttacked)


def test_ram_08_heroes_cannot_attack_the_rammoth():
    state = hand(at(road(table(2, ALONE), "B1", "EW"), hero_1_1="A1"), 1, "supply", "lord")
    supply, lord = state.players[1].hand
    state = turn_of(rammoth(state, "B1"), 1)

    Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), (lord,), against=0)).refused("bad-line", "MAP-05")
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,)))
    story.then(HeroStepped(1, "hero-1-1", "A1", "B1", (supply,), 0))


def test_ram_09_the_rammoth_attacks_one_city_a_day_at_once():
    state = city(city(table(2, ALONE), "D1", 1, 4, "ESW"), "D4", 2, 4)

    story = morning(night(rammoth(state, "D5"), 8), S, 6, 1, 1)

    assert ["D1"] == [event.square for event in story.of(RammothAttacked)]
    assert 1 == len(story.of(RammothMoved))


# -- the attack -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("die", range(1, 6))
def test_ram_10_the_rammoth_attacks_with_2_and_a_die(die):
    (attack,) = hit(faces=(die, 5)).of(RammothAttacked)

    assert ({"horn": 2, "die": die}, 2 + die) == (attack.attack, attack.strength)


def test_ram_11_the_city_defends_with_level_own_terrain_and_a_die():
    (own,) = hit(city_level=2, faces=(1, 5)).of(RammothAttacked)
    (foreign,) = hit(city_level=2, faction="islanders", faces=(1, 5)).of(RammothAttacked)
    (neutral,) = hit(defender=0, city_level=4, faction="barfolk", faces=(1, 5)).of(RammothAttacked)

    assert ({"level": 2, "terrain": 1, "die": 5}, 8) == (own.defence, own.against)
    assert ({"level": 2, "die": 5}, 7) == (foreign.defence, foreign.against)
    assert ({"level": 4, "die": 5}, 9) == (neutral.defence, neutral.against)


def test_ram_11_no_cards_are_played_against_the_rammoth():
    story = hit(faces=(5, 1))

    assert "turn" == story.state.asking[-1].kind
    assert 6 == len(story.state.players[1].hand)


@pytest.mark.parametrize(("die", "left"), [(5, 1), (4, 2), (3, 3), (2, 3), (1, 3)])
def test_ram_12_the_city_loses_levels_by_the_difference_and_a_tie_repels(die, left):
    """The city defends with 5: level 3 on foreign terrain, and a die of 2. The Rammoth attacks with 2 and his die."""
    story = hit(faction="islanders", faces=(die, 2))

    damage = max(0, die + 2 - 5)
    assert [damage] == [event.damage for event in story.of(RammothAttacked)]
    assert left == 3 - damage == story.state.cities["D1"].level
    assert "D1" == beast(story.state)


def test_ram_13_more_damage_than_levels_destroys_the_city():
    state = table(2, ALONE)
    story = hit(city_level=1, faction="islanders", faces=(5, 1))

    (gone,) = story.of(CityDestroyed)
    assert ("D1", 1) == (gone.square, gone.owner)
    assert "D1" not in story.state.board
    assert gone.card == story.state.piles[CARDS[gone.card].pile][-1]
    assert state.board.keys() == story.state.board.keys()


# -- flight -----------------------------------------------------------------------------------------------------------


def fleeing(*, around=True, modules=ALONE, both=False, faces=(5, 1)):
    """Heroes of seat 1 on D1, a city of level 1 with exits E, S, and W, which will be destroyed."""
    state = city(table(2, modules), "D1", 1, 1, "ESW", "islanders")
    if around:
        state = road(road(road(state, "C1", "EW"), "D2", "NS"), "E1", "EW")
    state = at(state, hero_1_1="D1", hero_1_2="D1" if both else "A1")
    return night(rammoth(state, "D5"), 8), (S, 1, *faces)


def flee(state, faces):
    return morning(state, *faces)


def test_ram_14_the_owner_chooses_where_a_hero_flees():
    story = flee(*fleeing())

    assert [("flee", (1,), "RAM-14")] == [(q.kind, q.seats, q.clause) for q in story.of(QuestionAsked)]
    assert [("to", ("E1", "D2", "C1"))] == [
        (part.name, part.choices) for o in story.offered(1, "flee") for part in o.open
    ]
    story.when(1, Flee("E1"))
    assert [("hero-1-1", "D1", "E1")] == [(e.hero, e.origin, e.to) for e in story.of(HeroFled)]
    assert "E1" == story.state.heroes["hero-1-1"].square


def test_ram_14_two_heroes_flee_one_by_one():
    story = flee(*fleeing(both=True))

    story.when(1, Flee("C1")).when(1, Flee("D2"))
    assert ["C1", "D2"] == [story.state.heroes[f"hero-1-{n}"].square for n in (1, 2)]
    assert "turn" == story.state.asking[-1].kind


def test_ram_14_heroes_flee_only_along_a_connected_road():
    state, faces = fleeing()
    state = road(bare(state, "C1"), "C1", "NS")

    story = flee(state, faces).when(1, Flee("C1")).refused("no-way", "RAM-14", "to")
    assert ("E1", "D2") == story.offered(1, "flee")[0].open[0].choices


def test_ram_14_heroes_do_not_flee_to_enemies_foreign_cities_or_the_ruins():
    state = city(table(2, ALONE), "D2", 1, 1, "ESW", "islanders")  # next to the ruins on D3
    state = city(state, "C2", 2, 1, "ESW")
    state = at(road(state, "E2", "EW"), hero_1_1="D2", hero_2_1="E2")

    story = morning(night(rammoth(state, "D1"), 8), S, 1, 5, 1)

    story.with_(HeroDisbanded(1, "hero-1-1", "D2", story.of(HeroDisbanded)[0].answers))
    assert [] == story.of(HeroFled)


def test_ram_14_heroes_may_flee_to_an_own_city():
    state, faces = fleeing(around=False)
    state = city(state, "C1", 1, 2, "EW")

    story = flee(state, faces)

    assert ("C1", "turn") == (story.state.heroes["hero-1-1"].square, story.state.asking[-1].kind)


def test_ram_14_a_hero_without_a_square_to_flee_to_is_disbanded():
    story = flee(*fleeing(around=False))

    assert [("hero-1-1", "D1")] == [(event.hero, event.square) for event in story.of(HeroDisbanded)]
    assert [] == story.of(HeroFled)


def test_ram_14_day_08_heroes_with_one_way_out_flee_without_a_question():
    state, faces = fleeing(both=True)

    story = flee(bare(state, "E1", "D2"), faces)

    assert [("hero-1-1", "C1"), ("hero-1-2", "C1")] == [(event.hero, event.to) for event in story.of(HeroFled)]
    assert "turn" == story.state.asking[-1].kind


@pytest.mark.parametrize(("gone", "to"), [((), "E1"), (("E1",), "D2")])
def test_ram_14_on_timeout_a_hero_flees_to_the_first_of_n_e_s_w(gone, to):
    state, faces = fleeing()

    story = flee(bare(state, *gone), faces).default(1)

    assert [to] == [event.to for event in story.of(HeroFled)]


# -- level 0 ----------------------------------------------------------------------------------------------------------


def test_ram_15_damage_equal_to_the_level_leaves_a_city_that_can_be_rebuilt():
    story = hit(GATED, city_level=2, faction="islanders", faces=(5, 3))

    story.with_(CityLevelled("D1", 0))
    assert (1, 0) == (story.state.cities["D1"].owner, story.state.cities["D1"].level)
    state = hand(turn_of(story.state, 1), 1, "frimen", "frimen")
    rebuilt = Story(BATTALIA, state).when(1, RebuildCity("D1", state.players[1].hand))
    assert 1 == rebuilt.state.cities["D1"].level


def test_ram_15_any_damage_destroys_a_ruined_city_and_a_tie_repels():
    assert ["D1"] == [e.square for e in hit(GATED, city_level=0, faces=(4, 4, 1)).of(CityDestroyed)]
    assert [] == hit(GATED, city_level=0, faces=(3, 4)).of(CityDestroyed)


def test_ram_16_without_a_marker_a_city_reduced_to_level_0_is_destroyed():
    assert ["D1"] == [e.square for e in hit(city_level=2, faction="islanders", faces=(5, 3)).of(CityDestroyed)]


def test_ram_16_with_the_marker_in_use_a_city_reduced_to_level_0_is_destroyed():
    state = city(city(table(2, GATED), "D1", 1, 2, "ESW", "islanders"), "B3", 1, 0)

    story = morning(night(rammoth(state, "D5"), 8), S, 1, 5, 3, 6, 1)

    assert ["D1"] == [event.square for event in story.of(CityDestroyed)]


def test_ram_16_a_neutral_city_reduced_to_level_0_is_destroyed():
    story = hit(GATED, defender=0, city_level=4, faction="barfolk", faces=(5, 1))
    assert 2 == story.state.cities["D1"].level

    story = morning(night(rammoth(story.state, "D5"), 8), S, 1, 5, 3, 1)
    assert [("D1", 0)] == [(event.square, event.owner) for event in story.of(CityDestroyed)]


# -- sixes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("die", [1, 5])
def test_ram_17_a_six_of_the_city_drives_the_rammoth_off_regardless_of_the_outcome(die):
    story = hit(city_level=0 if die == 5 else 3, faction="islanders", faces=(die, 6))

    story.with_(RammothDrivenOff("D1"))
    assert "" == beast(story.state)
    assert [] == morning(night(story.state, 9)).of(RammothEntered)


def losing(cards, faces=(6, 5)):
    return hit(faction="islanders", faces=faces, cards=cards)


@pytest.mark.parametrize(("cards", "count"), [(6, 3), (5, 2), (3, 1), (2, 1)])
def test_ram_18_a_six_of_the_rammoth_costs_half_the_hand_rounded_down(cards, count):
    story = losing(cards)

    (asked,) = story.of(QuestionAsked)
    assert ("discard", (1,), "RAM-18", count) == (asked.kind, asked.seats, asked.clause, asked.about["count"])
    given = story.state.players[1].hand[:count]
    serial = story.state.asking[-1].serial
    story.when(1, DiscardHalf(given)).with_(CardsDiscarded(1, given), QuestionAnswered(1, serial))
    assert cards - count == len(story.state.players[1].hand)
    assert set(given) <= set(story.state.players[1].discard)


@pytest.mark.parametrize("cards", [0, 1])
def test_ram_18_a_hand_of_one_card_or_none_loses_nothing(cards):
    assert [] == losing(cards).of(QuestionAsked)


def test_ram_18_the_owner_chooses_exactly_half_of_the_hand():
    story = losing(6)
    own, state = story.state.players[1].hand, story.state
    (option,) = story.offered(1, "discard_half")

    assert (own, 3, 3) == (option.open[0].choices, option.open[0].min, option.open[0].max)
    for wrong in (own[:2], own[:4], (own[0], own[0], own[1]), (*own[:2], state.players[2].hand[0])):
        Story(BATTALIA, state).when(1, DiscardHalf(wrong)).refused("not-half", "RAM-18", "cards")
    Story(BATTALIA, state).when(1, EndTurn()).refused("not-now")
    turn = turn_of(state, 1)
    Story(BATTALIA, turn).when(1, DiscardHalf(own[:3])).refused("not-now")


def test_ram_18_on_timeout_random_cards_are_discarded():
    state = losing(6).state

    given = {BATTALIA.rules.default(state, Seat(1), Dice(bytes([n]))).cards for n in range(30)}

    assert len(given) > 10
    assert {3} == {len(set(cards)) for cards in given}
    assert 3 == len(Story(BATTALIA, state).default(1).state.players[1].hand)


def test_ram_18_a_six_against_a_neutral_city_costs_no_cards():
    assert [] == hit(defender=0, city_level=4, faction="barfolk", faces=(6, 5)).of(QuestionAsked)


def test_ram_18_the_hand_stays_short_in_the_next_turn():
    story = losing(6).default(1)

    assert ("turn", 3) == (story.state.asking[-1].kind, len(story.state.players[1].hand))


def test_ram_19_both_sixes_apply_and_a_driven_off_rammoth_does_not_reappear():
    """The city is destroyed, a hero flees, half the hand is discarded, and the Rammoth is driven off."""
    state, faces = fleeing(modules=GATED, faces=(6, 6))
    state = hand(level(state, "D1", 0), 1, "frimen", "supply", "chief", "supply")

    story = flee(state, faces)
    assert ["D1"] == [event.square for event in story.of(CityDestroyed)]
    assert "flee" == story.state.asking[-1].kind
    assert "D1" == beast(story.state)
    story.when(1, Flee("C1"))
    assert [("discard", 2)] == [(e.kind, e.about["count"]) for e in story.of(QuestionAsked)]
    assert "D1" == beast(story.state)
    story.default(1)
    story.with_(*story.of(CardsDiscarded), RammothDrivenOff("D1"))
    assert [] == story.of(RammothEntered)
    assert ("", "turn") == (beast(story.state), story.state.asking[-1].kind)


def test_ram_19_with_weapons_the_range_is_measured_from_the_attacked_city():
    state = city(city(table(2, ARMED), "D1", 1, 4, "ESW"), "E2", 2, 1)
    state = city(state, "F1", 1, 1, "ESW", "islanders")

    story = morning(night(rammoth(weapons(state, "E2", "F1"), "D5"), 8), S, 1, 6, 6)

    story.with_(RammothRaged("D1", ("C1", "D1", "E1", "C2", "D2", "E2")), RammothDrivenOff("D1"))
    assert ["F1"] == story.state.npcs["armamentum"]["weapons"]


def test_ram_19_sixes_apply_when_the_rammoth_is_repelled_too():
    story = hit(city_level=4, faces=(6, 6))

    assert [0] == [event.damage for event in story.of(RammothAttacked)]
    assert ["discard"] == [event.kind for event in story.of(QuestionAsked)]
    assert "" == beast(story.default(1).state)


# -- afterwards -------------------------------------------------------------------------------------------------------


def test_ram_20_the_rammoth_stays_on_the_city_and_moves_the_next_day():
    story = hit(faces=(3, 3))
    assert "D1" == beast(story.state)

    story = morning(night(story.state, 9), S, 1)
    assert [("D1", ("D2",))] == [(event.origin, event.path) for event in story.of(RammothMoved)]


def test_ram_20_the_rammoth_reappears_at_once_after_destroying_a_city():
    story = hit(GATED, city_level=1, faction="islanders", faces=(5, 1, 4, 2))

    story.with_(*story.of(CityDestroyed), RammothEntered("G5", 2, (4, 2), 9))
    assert "G5" == beast(story.state)
    assert 1 == len(morning(night(story.state, 9), N, 1).of(RammothMoved))


def test_ram_20_the_rammoth_reappears_after_the_heroes_have_fled():
    story = flee(*fleeing())

    assert [] == story.of(RammothEntered)
    story.when(1, Flee("C1")).with_(RammothEntered("D3", None, (), 9))


def test_ram_21_an_absent_rammoth_returns_at_the_check_point():
    away = hit(GATED, faces=(1, 6)).state

    for day in (9, 10, 11, 12):
        assert [] == morning(night(away, day)).of(RammothEntered)
    story = morning(night(away, 13), 1)
    story.with_(RammothEntered("A1", 1, (1,), 14))
    assert [] == story.of(RammothMoved)


def test_ram_21_a_present_rammoth_does_not_enter_again_and_moves_as_usual():
    story = morning(night(rammoth(table(2, GATED), "B3"), 13), E, 1)

    assert [] == story.of(RammothEntered)
    assert ["C3"] == [event.path[-1] for event in story.of(RammothMoved)]


def test_ram_22_figures_of_other_modules_do_not_stop_the_rammoth():
    everything = ("stormgates", "rammoth", "armamentum", "keeper", "unbound_buff")
    state = rammoth(table(2, everything), "B2")
    state = remembers(remembers(state, "keeper", square="C2"), "unbound_buff", square="D2", horde=6)
    decision = _flow(state, E, 3)

    assert [RammothMoved("B2", "E", 3, ("C2", "D2", "E2"))] == decision.events
    assert {**state.npcs, "rammoth": decision.state.npcs["rammoth"]} == decision.state.npcs


def _flow(state, *faces):
    decision = start_decision(night(state, 8), LoadedDice(*faces))
    registered()["rammoth"].act(decision, "move")
    return decision


def test_ram_23_appearing_on_a_city_is_no_attack():
    story = morning(night(table(2, GATED)), 1)

    assert ("A1", []) == (beast(story.state), story.of(RammothAttacked))


def test_ram_23_wrapping_back_to_the_starting_square_attacks_its_city():
    state = city(table(2, ALONE), "D2", 1, 4, "NES")
    assert ("D3", "D4", "D5", "D1", "D2") == way(state, "D2", "S", 6)

    story = morning(night(rammoth(state, "D2"), 8), S, 6, 1, 1)

    assert ["D2"] == [event.square for event in story.of(RammothAttacked)]
    assert [] == morning(night(rammoth(state, "D2"), 8), S, 4).of(RammothAttacked)


# -- view, faults, and the bot ----------------------------------------------------------------------------------------


def test_view_shows_the_square_and_range_of_the_rammoth():
    state = rammoth(table(2, ALONE), "G1")

    shown = BATTALIA.knowledge.view(state)["npcs"]["rammoth"]
    assert ("G1", ["F1", "G1", "F2", "G2"]) == (shown["square"], shown["range"])
    assert BATTALIA.knowledge.view(table(2, ALONE))["npcs"]["rammoth"]["square"] is None


@pytest.mark.parametrize(
    "wrong", [{"square": "Z9"}, {"since": 99}, {"square": 4}, {"attack": {}}, {"attack": {"square": "A1"}}, {"more": 1}]
)
def test_invalid_memory_of_the_rammoth_is_a_fault(wrong):
    assert BATTALIA.rules.faults(remembers(table(2, ALONE), "rammoth", **wrong))


def test_greedy_bot_discards_the_least_useful_cards():
    state = losing(6).state

    command = BATTALIA.bots.by_name["greedy"](
        BATTALIA.knowledge.imagine(state, Seat(1), Dice(b"x")), Seat(1), Dice(b"y")
    )

    assert ["supply"] * 3 == [CARDS[card].kind for card in command["cards"]]
