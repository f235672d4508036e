"""Endings and winners of games with the Keeper (KEE-06 to KEE-09)."""

from __future__ import annotations

import pytest

from domain.games.battalia.cards import FACTIONS
from domain.games.battalia.commands import Defend, Flee, Step
from domain.games.battalia.events import (
    BattleBegan,
    BattleFought,
    CityDestroyed,
    CityTaken,
    EndReached,
    HeroDisbanded,
    HeroEntered,
    SeatOut,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.keeper.kinds import ChallengeKeeper, KeyGiven
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.kernel.game.rules import Setup
from domain.kernel.terms import Seat
from tests.battalia.keeping import (
    ALONE,
    GATED,
    arena,
    crowned,
    duel,
    ended,
    field,
    given,
    keeper,
)
from tests.battalia.laid import (
    at,
    bare,
    city,
    hand,
    level,
    morning,
    night,
    road,
    table,
    turn_of,
)
from tests.battalia.test_endings import filled
from tests.story import LoadedDice, Story


def test_kee_06_all_keys_and_four_cities_of_level_four_end_the_game():
    state = keeper(crowned(arena("lord-barfolk", "lord-barfolk", "frimen"), 1, 4), "D2", s1=["islanders"])
    story = duel(state)

    story.with_(given(1, "barfolk", "duel"), EndReached("keys", "KEE-06"))
    outcome = BATTALIA.rules.outcome(story.state)
    assert ("keys", "KEE-06", (1,)) == (outcome.reason, outcome.clause, outcome.winners)


@pytest.mark.parametrize(("cities", "own"), [(3, ["islanders"]), (4, [])])
def test_kee_06_keys_or_cities_alone_do_not_end_the_game(cities, own):
    state = keeper(crowned(arena("lord-barfolk", "lord-barfolk", "frimen"), 1, cities), "D2", s1=own)

    assert "" == duel(state).state.ending


def test_kee_06_five_cities_do_not_end_the_game():
    state = crowned(arena("frimen", "lord", "lord"), 1, 5)

    assert "" == duel(state).state.ending
    same = crowned(road(table(2), "D2", "NS", "emberians"), 1, 5)
    decision = start_decision(turn_of(same, 1), LoadedDice())
    decision.happen(HeroDisbanded(Seat(1), "hero-1-1", "A1"))
    assert "cities" == decision.state.ending, "without the Keeper it would"


def last_battle(ruleset):
    """Seat 1, with four cities of level 4 and one of level 1, takes a fifth of level 4. Seat 3 has all keys and 18 points."""
    state = table(3, ALONE, ruleset=ruleset)
    for square in ("D1", "A4", "G7"):
        state = level(state, square, 4, 1)
    state = city(city(state, "B7", 1, 4, "EW", "barfolk"), "A2", 2, 4, "NS", "islanders")
    for square, points, land in (
        ("C3", 4, "emberians"),
        ("D3", 4, "cloudborn"),
        ("E3", 4, "barfolk"),
        ("F3", 3, "islanders"),
    ):
        state = city(state, square, 3, points, faction=land)
    state = level(state, "A7", 3)
    state = keeper(at(state, hero_1_1="A1"), "D4", s1=["barfolk", "emberians"], s3=FACTIONS[:3])
    state = hand(hand(turn_of(state, 1), 1, "supply", "lord", "lord"), 2)
    supply, *lords = state.players[1].hand
    return Story(BATTALIA, state).when(1, Step("hero-1-1", "A2", (supply,), tuple(lords), against=2)).when(2, Defend())


def test_end_05_kee_06_all_results_of_a_battle_count_before_the_end():
    """The key and the city of one battle both count: seat 1 wins 21 to 18."""
    story = last_battle("creation_v2")

    won = [BattleFought, KeyGiven, CityTaken, HeroEntered, EndReached]
    assert won == [type(event) for event in story.events if type(event) in won]
    outcome = BATTALIA.rules.outcome(story.state)
    assert ("keys", "KEE-06", (1,)) == (outcome.reason, outcome.clause, outcome.winners)
    assert (21, 18) == (outcome.scores[1], outcome.scores[3])


@pytest.mark.parametrize("ruleset", ["creation_v2", "creation_v1"])
def test_end_05_map_07_heroes_flee_a_destroyed_city_before_the_end_in_creation_v2(ruleset):
    """Seat 1 wins the last key in the battle for a ruined city with heroes of its owner and of seat 3."""
    state = table(3, ALONE, ruleset=ruleset)
    for square in ("D1", "A4", "G7"):
        state = level(state, square, 4, 1)
    state = city(city(state, "B7", 1, 4, "EW", "barfolk"), "A2", 2, 0, "NES", "islanders")
    state = road(road(state, "B2", "EW"), "A3", "NS")
    state = keeper(at(state, hero_1_1="A1", hero_2_1="A2", hero_3_1="A2"), "D4", s1=["barfolk", "emberians"])
    state = hand(hand(turn_of(state, 1), 1, "supply", "lord", "lord"), 2)
    supply, *lords = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "A2", (supply,), tuple(lords), against=2)).when(2, Defend())
    if ruleset == "creation_v2":
        assert not story.state.ending
        assert ("flee", (3,)) == (story.state.asking[-1].kind, story.state.asking[-1].seats)
        assert "A2" not in story.state.cities
        story.when(3, Flee("A3"))
        assert "A3" == story.state.heroes["hero-3-1"].square
    else:
        assert [] == story.of(CityDestroyed)
    assert EndReached("keys", "KEE-06") == story.events[-1]


def test_end_05_in_creation_v1_the_key_ends_the_game_before_the_city_is_taken():
    story = last_battle("creation_v1")

    assert [KeyGiven, EndReached] == [type(event) for event in story.events[-2:]]
    assert [] == story.of(CityTaken)
    outcome = BATTALIA.rules.outcome(story.state)
    assert ((3,), 17, 18) == (outcome.winners, outcome.scores[1], outcome.scores[3])


def test_kee_06_a_lack_of_building_squares_does_not_end_the_game():
    # Neither start has an exit to build on: without the Keeper the game would be over.
    for modules, ending in (((), "no-square"), (ALONE, "")):
        state = city(
            city(
                bare(at(table(2, modules), hero_1_1="", hero_1_2="", hero_2_1="", hero_2_2=""), "A1", "G5"),
                "A1",
                1,
                1,
                "N",
            ),
            "G5",
            2,
            1,
            "S",
        )
        decision = start_decision(turn_of(state, 1), LoadedDice())
        decision.happen(HeroDisbanded(Seat(1), "hero-1-1", "A1"))
        assert ending == decision.state.ending


@pytest.mark.parametrize(("modules", "ending"), [((), "full-map"), (ALONE, "")], ids=["without", "with"])
def test_kee_06_a_full_map_does_not_end_a_game_with_the_keeper(modules, ending):
    decision = start_decision(turn_of(filled(table(2, modules), empty=()), 1), LoadedDice())
    decision.happen(HeroDisbanded(Seat(1), "hero-1-1", "A1"))
    assert ending == decision.state.ending


def test_kee_07_only_players_with_all_keys_compare_scores():
    state = table(3, ALONE, max_weeks=2)
    state = level(level(state, "A1", 1), "G1", 4)
    every = FACTIONS[:3]

    assert (1,) == ended(keeper(state, "D4", s1=every)).winners
    assert (2,) == ended(keeper(state, "D4", s1=every, s2=every)).winners
    assert {1: 1, 2: 4, 3: 1} == ended(keeper(state, "D4", s1=every)).scores


def test_kee_07_end_05_the_last_remaining_player_wins_without_any_key():
    decision = start_decision(keeper(table(2, ALONE), "D3", s2=FACTIONS[:2]), LoadedDice())
    decision.happen(SeatOut(Seat(2)))

    assert "alone" == decision.state.ending
    assert (1,) == BATTALIA.rules.outcome(decision.state).winners


def test_kee_08_partners_do_not_attack_each_other_and_pass_freely():
    state = field(seats=4, foe=3, teams=True)
    state = hand(state, 1, "supply", "lord")
    supply, lord = state.players[1].hand
    Story(BATTALIA, state).when(1, Step("hero-1-1", "C1", (supply,), (lord,), against=3)).refused("bad-line")
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "C1", (supply,)))
    assert [] == story.of(BattleBegan)


def test_kee_08_the_first_duel_gives_the_own_key_and_the_second_the_partners_key():
    state = table(4, ALONE, teams=True)
    state = at(road(state, "D2", "NS", "cloudborn"), hero_1_1="D2", hero_1_2="D2")
    line = ("lord-islanders", "lord-barfolk", "frimen")
    story = duel(hand(keeper(turn_of(state, 1), "D2"), 1, *line))
    story.with_(given(1, "barfolk", "duel"))

    story = duel(hand(story.state, 1, *line), "hero-1-2")
    story.with_(given(1, "emberians", "duel"))

    third = hand(keeper(state, "D2", s1=["barfolk", "emberians"]), 1, *line)
    duel(turn_of(third, 1)).refused("no-key-to-win")


def test_kee_08_a_duel_gives_the_partners_key_with_six_players_in_teams():
    state = table(6, GATED, teams=True)
    state = at(road(state, "D2", "NS", "cloudborn"), hero_2_1="D2")
    state = hand(keeper(turn_of(state, 2), "D2", s2=["islanders"]), 2, "lord", "lord", "priest")
    story = Story(BATTALIA, state).when(2, ChallengeKeeper("hero-2-1", state.players[2].hand))

    story.with_(given(2, "wolfsclan", "duel"))


def test_kee_08_team_02_only_partners_with_all_keys_count_and_their_team_wins():
    state = table(4, ALONE, teams=True, max_weeks=2)
    state = level(level(state, "A1", 4), "G7", 3)
    every = FACTIONS[:4]

    assert (2, 4) == ended(keeper(state, "D4", s2=every)).winners
    assert (1, 3) == ended(keeper(state, "D4", s1=every, s2=every)).winners
    assert (2, 4) == ended(keeper(state, "D4", s3=every, s2=every)).winners, "seat 1 has 4 points and no keys"


@pytest.mark.parametrize(
    ("ruleset", "modules", "chosen", "weeks"),
    [
        ("creation_v2", ALONE, {}, 12),
        ("creation_v2", (*GATED, "unbound_buff"), {}, 12),
        ("creation_v2", ALONE, {"max_weeks": 0}, 0),
        ("creation_v2", ALONE, {"max_weeks": 5}, 5),
        ("creation_v2", (), {}, 0),
        ("creation_v2", ("rammoth",), {}, 0),
        ("creation_v1", ALONE, {}, 0),
    ],
)
def test_kee_06_end_04_a_game_with_the_keeper_has_twelve_weeks_by_default(ruleset, modules, chosen, weeks):
    assert weeks == BATTALIA.rules.check(Setup(2, ruleset, chosen, modules)).options["max_weeks"]


def test_kee_06_end_04_the_default_is_shown_and_ends_the_game():
    (setting,) = [each for each in BATTALIA.rules.settings if each.name == "max_weeks"]
    assert (0, {"keeper": 12}) == (setting.default, setting.defaults)

    state = keeper(level(table(3, ALONE), "G1", 4), "D4")
    assert not morning(night(state, 7 * 12 - 8)).state.ending
    outcome = ended(state, weeks=12)
    assert ("weeks", "END-04", (2,)) == (outcome.reason, outcome.clause, outcome.winners)


def test_kee_09_without_a_complete_set_the_most_keys_win():
    state = table(3, ALONE, max_weeks=2)
    state = level(state, "G1", 4)

    assert (3,) == ended(keeper(state, "D4", s3=["islanders"])).winners
    assert (2,) == ended(keeper(state, "D4", s3=["islanders"], s2=["emberians"])).winners
    assert (2,) == ended(keeper(state, "D4")).winners
    outcome = ended(keeper(state, "D4", s1=["islanders"], s3=["barfolk"]))
    assert ("weeks", (1, 3)) == (outcome.reason, outcome.winners)
