"""Stormgates: gates, factions, seats, markers (GATE)."""

from __future__ import annotations

import pytest

from domain.games.battalia.cards import CARDS, FACTIONS
from domain.games.battalia.commands import Step
from domain.games.battalia.events import BattleFought, CityDestroyed, CityTaken
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.rammoth.kinds import RammothEntered
from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from tests.battalia.laid import at, bare, city, hand, level, morning, night, table, turn_of
from tests.story import Story

BOTH = ("stormgates", "rammoth")


def refused(seats, options=None, modules=()):
    with pytest.raises(BadSetup) as refusal:
        BATTALIA.rules.check(Setup(seats, "", options or {}, modules))
    return refusal.value.faults


@pytest.mark.parametrize(
    ("seats", "rolls", "square"),
    [(2, (6, 3, 1), "A1"), (2, (2,), "G5"), (3, (5, 4, 3), "A7"), (5, (6, 5), "E1"), (6, (6,), "E7")],
)
def test_gate_01_a_gate_is_rolled_until_it_is_in_play_and_all_rolls_are_public(seats, rolls, square):
    story = morning(night(table(seats, BOTH)), *rolls)

    story.with_(RammothEntered(square, rolls[-1], rolls, 7))
    (entered,) = story.of(RammothEntered)
    shown = {"type": "rammoth_entered", "square": square, "gate": rolls[-1], "rolls": list(rolls), "day": 7}
    assert shown == BATTALIA.knowledge.reveal(entered, None)


def test_gate_01_gates_are_the_start_squares_with_or_without_a_card():
    state = table(4, BOTH)
    state = at(state, hero_2_1="A1", hero_2_2="A1")
    story = morning(night(bare(state, "G7")), 2)

    story.with_(RammothEntered("G7", 2, (2,), 7))
    assert {"1": "A1", "2": "G7", "3": "G1", "4": "A7"} == BATTALIA.knowledge.view(state)["npcs"]["stormgates"]["gates"]


@pytest.mark.parametrize(("seats", "centre"), [(2, "D3"), (3, "D4"), (4, "D4")])
def test_gate_02_without_the_module_an_npc_enters_on_the_center_square(seats, centre):
    story = morning(night(table(seats, ("rammoth",))))

    story.with_(RammothEntered(centre, None, (), 7))


def test_gate_03_the_module_adds_two_factions_with_cards_and_heroes():
    state = table(6, ("stormgates",))

    assert FACTIONS == state.factions
    assert ["wolfsclan", "sunblessed"] == [state.players[seat].faction for seat in (5, 6)]
    assert "tundra" == BATTALIA.knowledge.view(state)["squares"]["E1"]["terrain"]
    assert "plain" == BATTALIA.knowledge.view(state)["squares"]["E7"]["terrain"]
    assert ["E1", "E1", "E7", "E7"] == [state.heroes[f"hero-{seat}-{n}"].square for seat in (5, 6) for n in (1, 2)]
    zones = [*state.piles.values(), *(p.hand + p.deck for p in state.players.values())]
    ranks = [CARDS[card] for cards in zones for card in cards if CARDS[card].group == "unit"]
    for faction in FACTIONS:
        assert [5, 5, 5, 5] == [sum(c.faction == faction and c.rank == rank for c in ranks) for rank in (1, 2, 3, 4)]


@pytest.mark.parametrize(("seats", "neutrals"), [(5, "A4 C4 G4 I4"), (6, "A4 C4 G4 I4")])
def test_gate_03_the_module_adds_five_and_six_players_and_the_large_map(seats, neutrals):
    state = table(seats, ("stormgates",))

    assert (9, 7, "E4") == (state.columns, state.rows, state.centre)
    assert neutrals.split() == sorted(name for name, there in state.cities.items() if there.owner == 0)
    assert refused(seats) == {"seats": "one of 2, 3, 4; 5, 6 with the module stormgates"}


def test_gate_03_with_two_players_three_of_six_factions_are_in_play():
    setup = BATTALIA.rules.check(Setup(2, "", {}, ("stormgates",)))
    found = {BATTALIA.rules.begin(setup, Dice(bytes([n])))[0].factions for n in range(40)}

    assert {3} == {len(factions) for factions in found}
    assert set(FACTIONS) == {faction for factions in found for faction in factions}


def test_gate_03_the_module_adds_the_level_0_marker():
    assert 1 == table(2, ("stormgates",)).markers
    assert 0 == table(2).markers


def _beats_ruined_city(state):
    """Seat 1 beats seat 2's ruined city on B1."""
    state = city(level(state, "A1", 1), "B1", 2, 0, "ESW")
    state = hand(at(turn_of(state, 1), hero_1_1="A1"), 1, "supply", "lord")
    supply, lord = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), (lord,), against=2))
    return story.default(2)


def test_gate_03_a_player_with_a_free_marker_takes_a_ruined_city():
    story = _beats_ruined_city(table(2, ("stormgates",)))

    story.with_(CityTaken(1, "B1", 0, 2))
    assert "B1" == story.state.heroes["hero-1-1"].square
    assert {"1": 0, "2": 1} == BATTALIA.knowledge.view(story.state)["npcs"]["stormgates"]["markers"]


def test_gate_03_a_player_whose_marker_is_in_use_destroys_a_ruined_city():
    state = city(table(2, ("stormgates",)), "D1", 1, 0)

    story = _beats_ruined_city(state)

    assert ["B1"] == [event.square for event in story.of(CityDestroyed)]
    assert "A1" == story.state.heroes["hero-1-1"].square


def test_gate_03_without_the_module_a_ruined_city_is_destroyed():
    assert ["B1"] == [event.square for event in _beats_ruined_city(table(2)).of(CityDestroyed)]


@pytest.mark.parametrize(("options", "against"), [({}, 4), ({"neutral_strength": 2}, 6)])
def test_gate_03_an_option_makes_neutral_cities_stronger(options, against):
    state = table(5, ("stormgates",), **options)
    state = city(state, "A3", 1, 1, "NES")
    state = hand(at(turn_of(state, 1), hero_1_1="A3"), 1, "supply", "lord", "chief")
    supply, *units = state.players[1].hand

    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "A4", (supply,), tuple(units)))

    assert [against] == [event.against for event in story.of(BattleFought)]


@pytest.mark.parametrize(("options", "against"), [({}, 8), ({"ruins_strength": 10}, 10)])
def test_gate_03_an_option_makes_the_ruins_stronger(options, against):
    state = table(6, ("stormgates",), **options)
    state = city(state, "E3", 1, 1, "ESW")
    state = hand(at(turn_of(state, 1), hero_1_1="E3"), 1, "supply", "lord")
    supply, *units = state.players[1].hand

    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "E4", (supply,), tuple(units)))

    assert [against] == [event.against for event in story.of(BattleFought)]


@pytest.mark.parametrize("option", [{"neutral_strength": 2}, {"neutral_strength": 0}, {"ruins_strength": 10}])
def test_gate_03_bat_11_the_strength_options_need_the_module(option):
    (name,) = option
    for modules in ((), ("rammoth", "keeper")):
        assert {f"options.{name}": "only with the modules: stormgates"} == refused(2, option, modules)
    assert name not in BATTALIA.rules.check(Setup(2, "")).options
    assert option[name] == BATTALIA.rules.check(Setup(2, "", option, ("stormgates",))).options[name]
    assert ("stormgates",) == next(each.needs for each in BATTALIA.rules.settings if each.name == name)


def test_gate_03_bat_11_creation_v1_has_the_strength_options_in_every_game():
    checked = BATTALIA.rules.check(Setup(2, "creation_v1", {"neutral_strength": 2, "ruins_strength": 10}))
    assert (2, 10) == (checked.options["neutral_strength"], checked.options["ruins_strength"])
    assert (0, 8) == tuple(
        BATTALIA.rules.check(Setup(2, "creation_v1")).options[name] for name in ("neutral_strength", "ruins_strength")
    )


def test_unknown_or_repeated_modules_are_refused_by_field():
    named = "each once, out of: stormgates, rammoth, armamentum, keeper, unbound_buff"

    assert {"modules": named} == refused(2, modules=("dragon",))
    assert {"modules": named} == refused(2, modules=("rammoth", "rammoth"))
    assert {"modules": named} == refused(4, modules=("teams",))


def test_a_game_without_modules_has_none_of_their_settings():
    options = BATTALIA.rules.check(Setup(2, "")).options

    assert not {"rammoth_difficulty", "armamentum_sets"} & set(options)


def test_checking_a_setup_is_idempotent():
    setup = BATTALIA.rules.check(Setup(6, "", {"teams": True}, ("armamentum", "rammoth", "stormgates")))

    assert setup == BATTALIA.rules.check(setup)
    assert ("stormgates", "rammoth", "armamentum") == setup.modules
