"""Playing in teams (TEAM)."""

from __future__ import annotations

import pytest

from domain.games.battalia.commands import EndTurn, Flee, RebuildCity, Step, UpgradeCity
from domain.games.battalia.events import (
    BattleFought,
    CityTaken,
    EndReached,
    HeroDisbanded,
    HeroFled,
    HeroStepped,
    QuestionAsked,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.rulebook.map.figures import homes_of, hostile
from domain.games.battalia.rulebook.map.roads import sites
from domain.games.battalia.rulebook.turn import calendar
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.state import changed
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM, Seat
from tests.battalia.laid import at, city, hand, level, morning, night, rammoth, road, table, turn_of, weapons
from tests.story import LoadedDice, Story


def teams(seats=4, modules=(), **options):
    modules = modules if seats == 4 else ("stormgates", *modules)
    return table(seats, modules, teams=True, **options)


@pytest.mark.parametrize(("seats", "modules"), [(2, ()), (3, ()), (5, ("stormgates",))])
def test_team_01_teams_need_four_or_six_seats(seats, modules):
    with pytest.raises(BadSetup) as refusal:
        BATTALIA.rules.check(Setup(seats, "", {"teams": True}, modules))
    assert {"options.teams": "for 4 or 6 seats"} == refusal.value.faults
    assert not BATTALIA.rules.check(Setup(seats, "", {}, modules)).options["teams"]


@pytest.mark.parametrize(("seats", "pairs"), [(4, [(1, 3), (2, 4)]), (6, [(1, 4), (2, 5), (3, 6)])])
def test_team_01_partners_face_each_other(seats, pairs):
    state = teams(seats)

    friends = [(a, b) for a in state.players for b in state.players if a < b and not hostile(state, a, b)]
    assert pairs == friends
    assert all(hostile(state, seat, SYSTEM) for seat in state.players)
    assert [list(pair) for pair in pairs] == [
        team["seats"] for team in BATTALIA.knowledge.view(state)["npcs"]["teams"]["teams"]
    ]


def test_without_teams_all_seats_are_enemies():
    state = table(4)

    assert all(hostile(state, a, b) for a in state.players for b in state.players if a != b)
    assert "teams" not in BATTALIA.knowledge.view(state)["npcs"]


def beside_partner(owner=3, heroes=True):
    """Seat 1 on A1 with supplies and a lord in hand. B1 is a city of ``owner``, with a road to C1."""
    state = city(teams(), "B1", owner, 1, "ESW")
    state = road(state, "C1", "EW", "cloudborn")
    if heroes:
        state = at(state, **{f"hero_{owner}_1": "B1", f"hero_{owner}_2": "B1"})
    return hand(turn_of(state, 1), 1, "supply", "supply", "lord")


def test_team_01_partners_pass_and_enter_each_others_squares_freely():
    state = beside_partner()
    one, two, _ = state.players[1].hand

    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (one,)))
    story.then(HeroStepped(1, "hero-1-1", "A1", "B1", (one,), 0))
    story.when(1, Step("hero-1-1", "C1", (two,))).then(HeroStepped(1, "hero-1-1", "B1", "C1", (two,), 0))


def test_team_01_partners_never_attack_each_other():
    state = beside_partner()
    supply, _, lord = state.players[1].hand

    Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), (lord,), against=3)).refused("bad-line", "MAP-05")
    Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), against=3)).refused("no-fight", "MAP-09")


def test_team_01_enemies_attack_each_other():
    state = beside_partner(owner=2)
    supply, _, lord = state.players[1].hand

    story = Story(BATTALIA, state).when(1, Step("hero-1-1", "B1", (supply,), (lord,), against=2)).default(2)

    assert [("B1", 2)] == [(event.square, event.defender) for event in story.of(BattleFought)]


def test_team_01_only_heroes_of_the_owner_fight_and_fall_in_an_attacked_city():
    """Seat 4 attacks the city of seat 3, which also has a hero of seat 3's partner."""
    state = at(city(teams(), "B1", 3, 1, "ESW"), hero_1_1="B1", hero_3_1="B1", hero_4_1="C1", hero_3_2="")
    state = hand(turn_of(road(state, "C1", "EW", "barfolk"), 4), 4, "supply", "lord", "lord")
    supply, *lords = state.players[4].hand

    story = Story(BATTALIA, state).when(4, Step("hero-4-1", "B1", (supply,), tuple(lords), against=3))
    assert [3] == list(story.state.asking[-1].seats)
    story.default(3)

    story.with_(HeroDisbanded(3, "hero-3-1", "B1"), CityTaken(4, "B1", 1, 3))
    assert "B1" == story.state.heroes["hero-1-1"].square


def test_team_01_a_partners_city_does_not_count_as_an_own_city():
    state = city(teams(), "B1", 3, 1, "ESW")
    state = hand(turn_of(state, 1), 1, "chief", "chief", "frimen", "frimen")
    chiefs, frimen = state.players[1].hand[:2], state.players[1].hand[2:]

    Story(BATTALIA, state).when(1, UpgradeCity("B1", chiefs)).refused("not-your-city", "PAY-07")
    Story(BATTALIA, level(state, "B1", 0)).when(1, RebuildCity("B1", frimen)).refused("not-your-city", "PAY-08")
    assert ("A1",) == homes_of(state, Seat(1))
    apart = city(teams(), "D2", 3, 1, "ESW")
    assert not set(sites(apart, Seat(1))) & set(sites(apart, Seat(3)))


def test_team_01_a_partners_weapon_does_not_help():
    state = city(city(teams(modules=("armamentum",)), "B1", 1, 1, "ESW"), "C2", 3, 1)

    shown = BATTALIA.knowledge.view(weapons(state, "C2"))["npcs"]["armamentum"]["weapons"]["C2"]
    assert ["C2"] == shown["covers"]


def test_team_01_ram_14_heroes_may_flee_to_a_partner():
    state = city(teams(modules=("rammoth",)), "D2", 1, 1, "ESW", "cloudborn")
    state = city(state, "C2", 3, 1, "NES")
    state = city(state, "E2", 2, 1, "NSW")
    state = rammoth(at(state, hero_1_1="D2", hero_3_1="C2"), "D6")

    story = morning(night(state, 8), 1, 4, 5, 1)
    assert [("hero-1-1", "C2")] == [(fled.hero, fled.to) for fled in story.of(HeroFled)], "not into an enemy's city"

    story = morning(night(road(state, "D3", "NS"), 8), 1, 4, 5, 1)
    assert ["flee"] == [asked.kind for asked in story.of(QuestionAsked)]
    story.when(1, Flee("E2")).refused("no-way")
    assert "C2" == story.when(1, Flee("C2")).state.heroes["hero-1-1"].square


# -- scores -----------------------------------------------------------------------------------------------------------


def ended(state):
    """The outcome if the game ends with this board."""
    state = night(changed(state, options={**state.options, "max_weeks": 1}), 6)
    story = morning(state)
    assert ["weeks"] == [event.reason for event in story.of(EndReached)]
    return BATTALIA.rules.outcome(story.state)


def test_team_02_a_teams_score_is_the_sum_of_its_players():
    """Seat 1 has the most points, but seats 2 and 4 together have more."""
    state = city(teams(), "C2", 1, 3)
    state = city(city(state, "E2", 2, 2), "E6", 4, 2)

    outcome = ended(state)

    assert ((2, 4), {1: 4, 2: 3, 3: 1, 4: 3}) == (outcome.winners, dict(outcome.scores))
    assert [5, 6] == [team["points"] for team in BATTALIA.knowledge.view(state)["npcs"]["teams"]["teams"]]
    assert (1,) == _solo(state)


def _solo(state):
    alone = changed(state, modules=(), npcs={})
    return ended(alone).winners


def test_team_02_ties_are_broken_and_shared_as_teams():
    even = teams()
    assert (1, 2, 3, 4) == ended(even).winners

    more_cities = city(level(even, "A1", 2), "E2", 2, 1)  # both teams have three points; one of them has three cities
    assert (2, 4) == ended(more_cities).winners


def test_team_02_one_player_alone_must_reach_the_required_cities():
    state = teams(victory_cities=4)
    for square, owner in (("B2", 1), ("C3", 1), ("B4", 3), ("C5", 3)):
        state = city(state, square, owner, 4)
    state = turn_of(state, 2)
    assert [] == Story(BATTALIA, state).when(2, EndTurn()).of(EndReached)

    state = level(level(state, "A1", 4), "G1", 4)
    state = hand(turn_of(level(state, "B4", 3, 1), 1), 1, "lord", "lord")
    story = Story(BATTALIA, state).when(1, UpgradeCity("B4", state.players[1].hand))
    assert [("cities", "END-01")] == [(event.reason, event.clause) for event in story.of(EndReached)]


def test_team_02_the_last_remaining_team_wins():
    state = turn_of(teams(), 1)
    decision = start_decision(state, LoadedDice())

    calendar.put_out(decision, Seat(2))
    assert not decision.over
    calendar.put_out(decision, Seat(3))
    assert not decision.over
    calendar.put_out(decision, Seat(4))

    assert ("alone", "END-05") == (decision.state.ending, decision.state.clause)
    assert (1, 3) == BATTALIA.rules.outcome(decision.state).winners
