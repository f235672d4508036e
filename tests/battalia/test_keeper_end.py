"""How a game with the Keeper ends, and who wins it (KEE-06 to KEE-09)."""

from __future__ import annotations

import pytest

from domain.battalia.cards import FACTIONS
from domain.battalia.commands import Step
from domain.battalia.events import (
    BattleBegan,
    EndReached,
    HeroDisbanded,
    SeatOut,
)
from domain.battalia.game import BATTALIA
from domain.battalia.npcs.keeper.kinds import ChallengeKeeper
from domain.battalia.rulebook.turn.deciding import start_decision
from domain.terms import Seat
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
    road,
    table,
    turn_of,
)
from tests.story import LoadedDice, Story


def test_kee_06_ends_when_somebody_has_all_keys_and_four_cities_of_level_four():
    state = keeper(crowned(arena("lord-barfolk", "lord-barfolk", "frimen"), 1, 4), "D2", s1=["islanders"])
    story = duel(state)

    story.with_(given(1, "barfolk", "duel"), EndReached("keys", "KEE-06"))
    outcome = BATTALIA.outcome(story.state)
    assert ("keys", "KEE-06", (1,)) == (outcome.reason, outcome.clause, outcome.winners)


@pytest.mark.parametrize(("cities", "own"), [(3, ["islanders"]), (4, [])])
def test_kee_06_neither_alone_ends_it(cities, own):
    state = keeper(crowned(arena("lord-barfolk", "lord-barfolk", "frimen"), 1, cities), "D2", s1=own)

    assert "" == duel(state).state.ending


def test_kee_06_five_cities_do_not_end_it():
    state = crowned(arena("frimen", "lord", "lord"), 1, 5)

    assert "" == duel(state).state.ending
    same = crowned(road(table(2), "D2", "NS", "emberians"), 1, 5)
    decision = start_decision(turn_of(same, 1), LoadedDice())
    decision.happen(HeroDisbanded(Seat(1), "hero-1-1", "A1"))
    assert "cities" == decision.state.ending, "without the Keeper it would"


def test_kee_06_neither_a_full_map_nor_the_want_of_squares_ends_it():
    # Two lonely starts with no way out: without the Keeper the game would be over.
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


def test_kee_07_only_players_with_all_keys_compare_scores():
    state = table(3, ALONE, max_weeks=2)
    state = level(level(state, "A1", 1), "G1", 4)
    every = FACTIONS[:3]

    assert (1,) == ended(keeper(state, "D4", s1=every)).winners
    assert (2,) == ended(keeper(state, "D4", s1=every, s2=every)).winners
    assert {1: 1, 2: 4, 3: 1} == ended(keeper(state, "D4", s1=every)).scores


def test_kee_07_end_05_who_is_left_alone_has_won_without_any_key():
    decision = start_decision(keeper(table(2, ALONE), "D3", s2=FACTIONS[:2]), LoadedDice())
    decision.happen(SeatOut(Seat(2)))

    assert "alone" == decision.state.ending
    assert (1,) == BATTALIA.outcome(decision.state).winners


def test_kee_08_partners_do_not_attack_each_other_and_pass_freely():
    state = field(seats=4, foe=3, teams=True)
    state = hand(state, 1, "supply", "lord")
    supply, lord = state.players[1].hand
    Story(BATTALIA, state).when(1, Step("hero-1-1", "C1", (supply,), (lord,), against=3)).refused("bad-line")
    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "C1", (supply,)))
    assert [] == story.of(BattleBegan)


def test_kee_08_the_first_duel_gives_the_own_key_and_the_second_the_partners():
    state = table(4, ALONE, teams=True)
    state = at(road(state, "D2", "NS", "cloudborn"), hero_1_1="D2", hero_1_2="D2")
    line = ("lord-islanders", "lord-barfolk", "frimen")
    story = duel(hand(keeper(turn_of(state, 1), "D2"), 1, *line))
    story.with_(given(1, "barfolk", "duel"))

    story = duel(hand(story.state, 1, *line), "hero-1-2")
    story.with_(given(1, "emberians", "duel"))

    third = hand(keeper(state, "D2", s1=["barfolk", "emberians"]), 1, *line)
    duel(turn_of(third, 1)).refused("no-key-to-win")


def test_kee_08_six_players_in_teams():
    state = table(6, GATED, teams=True)
    state = at(road(state, "D2", "NS", "cloudborn"), hero_2_1="D2")
    state = hand(keeper(turn_of(state, 2), "D2", s2=["islanders"]), 2, "lord", "lord", "priest")
    story = Story(BATTALIA, state).when(2, ChallengeKeeper("hero-2-1", state.players[2].hand))

    story.with_(given(2, "wolfsclan", "duel"))


def test_kee_08_team_02_only_partners_with_all_keys_count_and_the_team_wins():
    state = table(4, ALONE, teams=True, max_weeks=2)
    state = level(level(state, "A1", 4), "G7", 3)
    every = FACTIONS[:4]

    assert (2, 4) == ended(keeper(state, "D4", s2=every)).winners
    assert (1, 3) == ended(keeper(state, "D4", s1=every, s2=every)).winners
    assert (2, 4) == ended(keeper(state, "D4", s3=every, s2=every)).winners, "seat 1 has 4 points and no keys"


def test_kee_09_nobody_with_all_keys_most_keys_count_first():
    state = table(3, ALONE, max_weeks=2)
    state = level(state, "G1", 4)

    assert (3,) == ended(keeper(state, "D4", s3=["islanders"])).winners
    assert (2,) == ended(keeper(state, "D4", s3=["islanders"], s2=["emberians"])).winners
    assert (2,) == ended(keeper(state, "D4")).winners
    outcome = ended(keeper(state, "D4", s1=["islanders"], s3=["barfolk"]))
    assert ("weeks", (1, 3)) == (outcome.reason, outcome.winners)
