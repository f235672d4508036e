"""The Keeper (KEE-01 to KEE-04): he appears at battles and gives keys."""

from __future__ import annotations

import pytest

from domain.games.battalia.cards import FACTIONS
from domain.games.battalia.commands import Step
from domain.games.battalia.events import (
    BattleBegan,
    BattleFought,
    CityTaken,
    HeroDisbanded,
    SeatOut,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.keeper.kinds import KEYS, KeeperEntered, KeeperSummoned, KeyGiven
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.kernel.terms import Seat
from tests.battalia.keeping import (
    ALONE,
    GATED,
    attack,
    field,
    given,
    keeper,
    keys,
    where,
)
from tests.battalia.laid import (
    at,
    city,
    hand,
    morning,
    night,
    rammoth,
    remembers,
    road,
    table,
    turn_of,
)
from tests.story import LoadedDice, Story


def test_kee_01_the_keeper_enters_at_the_first_check_point_by_a_random_gate():
    story = morning(night(table(3, GATED)), 5, 2)

    story.with_(KeeperEntered("G1", 2, (5, 2)))
    assert "G1" == where(story)
    assert {"type": "keeper_entered", "square": "G1", "gate": 2, "rolls": [5, 2]} == BATTALIA.knowledge.reveal(
        story.of(KeeperEntered)[0], None
    )


def test_kee_01_without_gates_the_keeper_enters_on_the_center_square():
    story = morning(night(table(2, ALONE)))

    story.with_(KeeperEntered("D3", None, ()))
    assert BATTALIA.knowledge.view(story.state)["npcs"]["keeper"]["square"] == "D3"


@pytest.mark.parametrize("day", [0, 3, 5, 7, 13])
def test_kee_01_the_keeper_enters_once_and_never_moves_by_himself(day):
    state = table(2, GATED)
    if day > 6:
        state = keeper(state, "B2")
    story = morning(night(state, day))

    assert [] == story.of(KeeperEntered) + story.of(KeeperSummoned)
    assert ("B2" if day > 6 else "") == where(story)


def test_kee_02_a_battle_against_a_player_summons_the_keeper_and_he_stays():
    story = attack(field())

    assert "C1" == where(story)
    story = Story(BATTALIA, hand(field(), 1, "supply", "lord"))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("hero-1-1", "C1", (supply,), (lord,), against=2))
    story.with_(BattleBegan(1, "hero-1-1", "B1", "C1", 2, (supply,), 0), KeeperSummoned("D3", "C1"))


def test_kee_02_a_battle_on_the_keepers_square_does_not_move_him():
    story = attack(field(square="C1"))

    assert "C1" == where(story)
    assert [] == story.of(KeeperSummoned)


@pytest.mark.parametrize("target", ["G1", "D3"])
def test_kee_02_battles_for_neutral_cities_and_the_ruins_summon_the_keeper(target):
    state = table(2, ALONE)
    beside = {"G1": "F1", "D3": "D2"}[target]
    state = at(road(state, beside, {"G1": "EW", "D3": "NS"}[target]), hero_1_1=beside)
    story = attack(keeper(turn_of(state, 1), "A1"), foe=0, to=target)

    story.with_(KeeperSummoned("A1", target))


def test_kee_02_before_the_first_check_point_the_keeper_is_not_summoned():
    story = attack(field(square=""))

    assert "" == where(story)
    assert {} == keys(story)


def test_kee_02_attacks_of_the_rammoth_do_not_summon_the_keeper():
    state = city(table(2, ("rammoth", "keeper")), "D1", 1, 3, "ESW")
    story = morning(night(keeper(rammoth(state, "D5"), "B2"), 8), 3, 1, 1, 1)

    assert "B2" == where(story)
    assert [] == story.of(KeeperSummoned)


def test_kee_02_a_fight_with_the_unbound_buff_summons_the_keeper():
    state = table(2, ("keeper", "unbound_buff"))
    state = at(road(state, "B1", "EW", "emberians"), hero_1_1="A1")
    state = keeper(remembers(turn_of(state, 1), "unbound_buff", square="B1", horde=6), "D3")
    story = Story(BATTALIA, hand(state, 1, "supply")).when(
        1, Step("hero-1-1", "B1", tuple(hand(state, 1, "supply").players[1].hand))
    )
    assert [] == story.of(KeeperSummoned)

    story.default(1)

    story.with_(KeeperSummoned("D3", "B1"))


@pytest.mark.parametrize("foe", [2, 3, 4, 5, 6])
def test_kee_03_the_winner_over_a_player_gets_the_key_of_their_faction(foe):
    state = table(6, GATED)
    state = road(road(state, "B1", "EW"), "C1", "EW")
    state = keeper(turn_of(at(state, hero_1_1="B1", **{f"hero_{foe}_1": "C1"}), 1), "E4")
    story = attack(state, foe=foe, to="C1")

    story.with_(given(1, FACTIONS[foe - 1]))
    assert {1: [FACTIONS[foe - 1]]} == keys(story)


def test_kee_03_every_faction_has_a_color_and_an_element():
    shown = {faction: " ".join(KEYS[faction]) for faction in FACTIONS}

    assert shown == {
        "emberians": "red fire",
        "cloudborn": "gold air",
        "barfolk": "green earth",
        "islanders": "blue water",
        "wolfsclan": "white moon",
        "sunblessed": "orange sun",
    }


def test_kee_03_a_winning_defender_gets_the_attackers_key():
    story = attack(field(), units=("frimen",), defence=("lord",))

    story.with_(given(2, "barfolk"), HeroDisbanded(1, "hero-1-1", "C1"))
    assert {2: ["barfolk"]} == keys(story)


def test_kee_03_a_tie_gives_the_defender_the_key():
    story = attack(field(), units=("chief-emberians",), defence=("chief-emberians",))

    assert 2 == story.of(BattleFought)[0].winner
    assert {2: ["barfolk"]} == keys(story)


def test_kee_03_winning_a_city_without_a_hero_gives_its_owners_key():
    state = table(2, ALONE)
    state = at(city(road(state, "B1", "EW"), "C1", 2, 1, "EW", "emberians"), hero_1_1="B1")
    story = attack(keeper(turn_of(state, 1), "D3"))

    story.with_(given(1, "islanders"), CityTaken(1, "C1", 1, 2))


def test_kee_03_each_player_gets_a_key_once_even_if_others_have_it():
    state = field(seats=3)
    has = keeper(state, "D4", s1=["islanders"])
    story = attack(has)
    assert [] == story.of(KeyGiven)

    story = attack(keeper(state, "D4", s3=["islanders"]))
    assert {1: ["islanders"], 3: ["islanders"]} == keys(story)


def test_kee_03_neutral_cities_and_ruins_give_no_key():
    state = at(road(table(2, ALONE), "F1", "EW"), hero_1_1="F1")
    story = attack(keeper(turn_of(state, 1), "D3"), foe=0, to="G1", units=("lord", "lord", "lord"))

    assert {} == keys(story)
    assert story.of(CityTaken)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_kee_04_a_complete_set_has_a_key_of_every_faction_including_the_own(seats):
    state = keeper(table(seats, GATED), "A1", s1=FACTIONS[: seats - 1], s2=FACTIONS[:seats])
    shown = BATTALIA.knowledge.view(state)["npcs"]["keeper"]

    assert list(FACTIONS[:seats]) == [key["faction"] for key in shown["needed"]]
    assert [2] == shown["complete"]
    assert {"faction": "barfolk", "colour": "green", "element": "earth"} == shown["keys"]["1"][0]


def test_kee_04_end_06_the_key_of_a_player_who_is_out_is_no_longer_needed():
    state = keeper(table(3, ALONE), "A1", s1=FACTIONS[:2])
    decision = start_decision(state, LoadedDice())
    decision.happen(SeatOut(Seat(3)))

    assert [1] == BATTALIA.knowledge.view(decision.state)["npcs"]["keeper"]["complete"]
    assert ["barfolk", "islanders"] == [
        k["faction"] for k in BATTALIA.knowledge.view(decision.state)["npcs"]["keeper"]["needed"]
    ]
