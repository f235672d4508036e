"""The Keeper (KEE): he comes to battles, gives keys, fights duels, and changes how the game ends."""

from __future__ import annotations

import pytest

from domain.battalia.cards import FACTIONS
from domain.battalia.commands import Defend, Step
from domain.battalia.events import (
    BattleBegan,
    BattleFought,
    CityTaken,
    EndReached,
    FigureFought,
    HeroDisbanded,
    HeroJoined,
    LineRevealed,
    SeatOut,
)
from domain.battalia.flow import Flow
from domain.battalia.game import BATTALIA
from domain.battalia.npcs.keeper import KEYS, ChallengeKeeper, KeeperChallenged, KeeperEntered, KeeperSummoned, KeyGiven
from domain.battalia.npcs.unbound_buff.events import BuffGone, BuffHired
from domain.battalia.rulesets import RULESETS
from domain.battalia.state import changed
from domain.options import commands
from domain.terms import Seat
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
    said,
    table,
    turn_of,
    weapons,
)
from tests.story import LoadedDice, Story

ALONE = ("keeper",)
GATED = ("stormgates", "keeper")


def keeper(state, square, *, duels=None, **keys):
    """He stands there, and seats (``s1``) have these keys."""
    held = {str(seat): [] for seat in state.players} | {name[1:]: list(several) for name, several in keys.items()}
    return remembers(state, "keeper", square=square, keys=held, duels=duels or {})


def keys(story):
    return {int(seat): held for seat, held in story.state.npcs["keeper"]["keys"].items() if held}


def where(story):
    return story.state.npcs["keeper"]["square"]


def given(seat, faction, by="battle"):
    return KeyGiven(seat, faction, *KEYS[faction], by)


def field(modules=ALONE, *, seats=2, foe=2, land="emberians", square="D3", **options):
    """Seat 1's hero on B1 can walk to C1, where a hero of the foe's stands on a road; the Keeper is on a square."""
    state = road(road(table(seats, modules, **options), "B1", "EW"), "C1", "EW", land)
    return keeper(turn_of(at(state, hero_1_1="B1", **{f"hero_{foe}_1": "C1"}), 1), square)


def attack(state, foe=2, hero="hero-1-1", to="C1", units=("lord",), defence=(), dice=()):
    """Seat 1 attacks and is answered."""
    state = hand(state, 1, "supply", *units)
    state = hand(state, foe, *defence) if foe else state
    supply, *line = state.players[1].hand
    story = Story(BATTALIA, state).when(1, Step(hero, to, (supply,), tuple(line), against=foe))
    if foe:
        story.when(foe, Defend(state.players[Seat(foe)].hand), LoadedDice(*dice))
    return story


# -- entering and being summoned --------------------------------------------------------------------------------------


def test_kee_01_he_enters_at_the_first_check_point_through_a_random_gate():
    story = morning(night(table(3, GATED)), 5, 2)

    story.with_(KeeperEntered("G1", 2, (5, 2)))
    assert "G1" == where(story)
    assert {"type": "keeper_entered", "square": "G1", "gate": 2, "rolls": [5, 2]} == BATTALIA.reveal(
        story.of(KeeperEntered)[0], None
    )


def test_kee_01_without_gates_he_enters_on_the_centre_square():
    story = morning(night(table(2, ALONE)))

    story.with_(KeeperEntered("D3", None, ()))
    assert BATTALIA.view(story.state)["npcs"]["keeper"]["square"] == "D3"


@pytest.mark.parametrize("day", [0, 3, 5, 7, 13])
def test_kee_01_he_enters_once_and_never_moves_by_himself(day):
    state = table(2, GATED)
    if day > 6:
        state = keeper(state, "B2")
    story = morning(night(state, day))

    assert [] == story.of(KeeperEntered) + story.of(KeeperSummoned)
    assert ("B2" if day > 6 else "") == where(story)


def test_kee_02_a_battle_against_a_player_summons_him_and_he_stays():
    story = attack(field())

    assert "C1" == where(story)
    story = Story(BATTALIA, hand(field(), 1, "supply", "lord"))
    supply, lord = story.state.players[1].hand
    story.when(1, Step("hero-1-1", "C1", (supply,), (lord,), against=2))
    story.with_(BattleBegan(1, "hero-1-1", "B1", "C1", 2, (supply,), 0), KeeperSummoned("D3", "C1"))


def test_kee_02_a_battle_on_his_own_square_leaves_him_there():
    story = attack(field(square="C1"))

    assert "C1" == where(story)
    assert [] == story.of(KeeperSummoned)


@pytest.mark.parametrize("target", ["G1", "D3"])
def test_kee_02_neutral_cities_and_the_ruins_summon_him_too(target):
    state = table(2, ALONE)
    beside = {"G1": "F1", "D3": "D2"}[target]
    state = at(road(state, beside, {"G1": "EW", "D3": "NS"}[target]), hero_1_1=beside)
    story = attack(keeper(turn_of(state, 1), "A1"), foe=0, to=target)

    story.with_(KeeperSummoned("A1", target))


def test_kee_02_before_the_first_check_point_nobody_comes():
    story = attack(field(square=""))

    assert "" == where(story)
    assert {} == keys(story)


def test_kee_02_the_rammoths_own_attacks_do_not_summon_him():
    state = city(table(2, ("rammoth", "keeper")), "D1", 1, 3, "ESW")
    story = morning(night(keeper(rammoth(state, "D5"), "B2"), 8), 3, 1, 1, 1)

    assert "B2" == where(story)
    assert [] == story.of(KeeperSummoned)


def test_kee_02_a_fight_with_the_unbound_buff_summons_him():
    state = table(2, ("keeper", "unbound_buff"))
    state = at(road(state, "B1", "EW", "emberians"), hero_1_1="A1")
    state = keeper(remembers(turn_of(state, 1), "unbound_buff", square="B1", horde=6), "D3")
    story = Story(BATTALIA, hand(state, 1, "supply")).when(
        1, Step("hero-1-1", "B1", tuple(hand(state, 1, "supply").players[1].hand))
    )
    assert [] == story.of(KeeperSummoned)

    story.default(1)

    story.with_(KeeperSummoned("D3", "B1"))


# -- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("foe", [2, 3, 4, 5, 6])
def test_kee_03_who_beats_a_player_gets_the_key_of_his_faction_in_every_colour(foe):
    state = table(6, GATED)
    state = road(road(state, "B1", "EW"), "C1", "EW")
    state = keeper(turn_of(at(state, hero_1_1="B1", **{f"hero_{foe}_1": "C1"}), 1), "E4")
    story = attack(state, foe=foe, to="C1")

    story.with_(given(1, FACTIONS[foe - 1]))
    assert {1: [FACTIONS[foe - 1]]} == keys(story)


def test_kee_03_every_faction_has_a_colour_and_an_element():
    told = {faction: " ".join(KEYS[faction]) for faction in FACTIONS}

    assert told == {
        "emberians": "red fire",
        "cloudborn": "gold air",
        "barfolk": "green earth",
        "islanders": "blue water",
        "wolfsclan": "white moon",
        "sunblessed": "orange sun",
    }


def test_kee_03_the_defender_who_wins_gets_the_attackers_key():
    story = attack(field(), units=("frimen",), defence=("lord",))

    story.with_(given(2, "barfolk"), HeroDisbanded(1, "hero-1-1", "C1"))
    assert {2: ["barfolk"]} == keys(story)


def test_kee_03_a_tie_is_the_defenders_victory_here_too():
    story = attack(field(), units=("chief-emberians",), defence=("chief-emberians",))

    assert 2 == story.of(BattleFought)[0].winner
    assert {2: ["barfolk"]} == keys(story)


def test_kee_03_a_city_without_a_hero_is_a_battle_against_its_owner():
    state = table(2, ALONE)
    state = at(city(road(state, "B1", "EW"), "C1", 2, 1, "EW", "emberians"), hero_1_1="B1")
    story = attack(keeper(turn_of(state, 1), "D3"))

    story.with_(given(1, "islanders"), CityTaken(1, "C1", 1, 2))


def test_kee_03_a_key_is_given_once_to_each_whoever_else_holds_it():
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
def test_kee_04_needed_is_one_key_of_every_faction_played_the_own_included(seats):
    state = keeper(table(seats, GATED), "A1", s1=FACTIONS[: seats - 1], s2=FACTIONS[:seats])
    shown = BATTALIA.view(state)["npcs"]["keeper"]

    assert list(FACTIONS[:seats]) == [key["faction"] for key in shown["needed"]]
    assert [2] == shown["complete"]
    assert {"faction": "barfolk", "colour": "green", "element": "earth"} == shown["keys"]["1"][0]


def test_kee_04_end_06_the_key_of_who_is_out_is_no_longer_needed():
    state = keeper(table(3, ALONE), "A1", s1=FACTIONS[:2])
    flow = Flow(state, LoadedDice())
    flow.happen(SeatOut(Seat(3)))

    assert [1] == BATTALIA.view(flow.state)["npcs"]["keeper"]["complete"]
    assert ["barfolk", "islanders"] == [k["faction"] for k in BATTALIA.view(flow.state)["npcs"]["keeper"]["needed"]]


# -- the duel ---------------------------------------------------------------------------------------------------------


def arena(*line, modules=ALONE, land="emberians", **held):
    """Seat 1's hero stands with the Keeper on D2, and holds this line."""
    state = road(
        table(2, modules, **({"unbound_units": True} if "unbound" in " ".join(line) else {})), "D2", "NS", land
    )
    return hand(keeper(turn_of(at(state, hero_1_1="D2"), 1), "D2", **held), 1, *line)


def great(state, seat, card):
    """The great artefact in the seat's hand, wherever it was."""
    players = {**state.players, seat: changed(state.players[seat], hand=(*state.players[seat].hand, card))}
    rest = {zone: tuple(other for other in getattr(state, zone) if other != card) for zone in ("great", "gone")}
    return changed(state, players=players, **rest)


def duel(state, hero="hero-1-1", units=None, support=(), ambush=(), faces=()):
    line = state.players[1].hand if units is None else units
    dice = LoadedDice(*faces)
    return Story(BATTALIA, state).when(1, ChallengeKeeper(hero, tuple(line), tuple(support), tuple(ambush)), dice)


def test_kee_05_the_own_key_is_won_in_a_duel():
    state = arena("lord-barfolk", "lord-islanders", "frimen-islanders")
    line = state.players[1].hand
    story = duel(state)

    story.then(
        KeeperChallenged(1, "hero-1-1", "D2", 7),
        LineRevealed(1, line, (), ()),
        FigureFought(1, "hero-1-1", "D2", "keeper", {"cards": 9}, 9, 8, True),
        given(1, "barfolk", "duel"),
    )
    assert {1: ["barfolk"]} == keys(story)
    assert "D2" == where(story)
    assert set(line) <= set(story.state.players[1].discard)


def test_kee_05_the_line_must_beat_his_strength():
    assert (8, "S") == (
        RULESETS["creation_v1"].modules["keeper_strength"],
        RULESETS["creation_v1"].rulings["keeper_strength"].mark,
    )
    story = duel(arena("lord-barfolk", "lord-islanders"))

    story.with_(
        FigureFought(1, "hero-1-1", "D2", "keeper", {"cards": 8}, 8, 8, False),
        HeroDisbanded(1, "hero-1-1", "D2"),
    )
    assert {} == keys(story)
    assert "" == story.state.heroes["hero-1-1"].square


def test_kee_05_the_line_has_an_attackers_bonuses():
    story = duel(arena("lord-barfolk", "priest-barfolk", land="barfolk"))
    assert {"cards": 7, "terrain": 1, "moral": 1} == story.of(FigureFought)[0].parts
    assert {1: ["barfolk"]} == keys(story)

    state = great(arena("lord-barfolk", "frimen-islanders", "amulet-emberians"), 1, "great-sword")
    *units, amulet, sword = state.players[1].hand
    story = duel(state, units=units, support=(sword, amulet), faces=(3,))
    assert 4 + 1 + 4 + 3 == story.of(FigureFought)[0].strength


def test_kee_05_in_an_own_city_its_level_and_weapons_do_not_help_the_challenger():
    state = city(table(2, ("armamentum", "keeper")), "D2", 1, 4, "NS", "emberians")
    state = keeper(turn_of(at(weapons(state, "D2"), hero_1_1="D2"), 1), "D2")
    story = duel(hand(state, 1, "lord-islanders"))

    assert {"cards": 4} == story.of(FigureFought)[0].parts


def test_kee_05_a_hero_left_there_by_a_battle_may_challenge_in_the_same_turn():
    state = field()
    story = attack(hand(state, 1), units=("lord-barfolk",))
    assert "C1" == where(story)
    assert story.state.heroes["hero-1-1"].fought
    story = Story(BATTALIA, hand(story.state, 1, "lord-barfolk", "lord-barfolk", "frimen"))

    story.when(1, ChallengeKeeper("hero-1-1", story.state.players[1].hand))

    assert {1: ["islanders", "barfolk"]} == keys(story)


def test_kee_05_a_duel_is_no_battle_of_the_hero_who_walks_on():
    story = duel(arena("lord-barfolk", "lord-barfolk", "frimen-barfolk"))

    assert not story.state.heroes["hero-1-1"].fought


def test_kee_05_once_per_hero_and_turn():
    state = keeper(arena("lord-barfolk", "lord-barfolk", "frimen"), "D2", duels={"hero-1-1": 7})
    duel(state).refused("too-late", "KEE-05", "hero")
    assert [] == Story(BATTALIA, state).offered(1, "challenge_keeper")

    other = at(state, hero_1_2="D2")
    assert ["hero-1-2"] == sorted(
        {c["hero"] for o in Story(BATTALIA, other).offered(1, "challenge_keeper") for c in commands(o)}
    )
    assert {1: ["barfolk"]} == keys(duel(keeper(state, "D2", duels={"hero-1-1": 6})))


def test_kee_05_the_hero_stands_on_his_square():
    state = at(arena("lord-barfolk", "lord-barfolk", "frimen"), hero_1_1="A1")
    duel(state).refused("not-your-hero", "KEE-05", "hero")
    duel(at(state, hero_2_1="D2"), hero="hero-2-1").refused("not-your-hero", "KEE-05", "hero")
    assert [] == Story(BATTALIA, state).offered(1, "challenge_keeper")


def test_kee_05_without_a_key_to_win_or_before_he_is_there_there_is_no_duel():
    for state in (
        arena("lord-barfolk", "lord-barfolk", "frimen", s1=["barfolk"]),
        keeper(arena("lord-barfolk", "lord-barfolk", "frimen"), ""),
    ):
        duel(state).refused("no-key-to-win", "KEE-05")
        assert [] == Story(BATTALIA, state).offered(1, "challenge_keeper")


def test_kee_05_the_line_holds_a_unit_and_only_what_may_fight():
    state = arena("weapon", "supply", "lord")
    weapon, supply, lord = state.players[1].hand
    duel(state, units=(), support=(weapon,)).refused("bad-line", "BAT-02", "units")
    duel(state, units=(lord,), support=(supply,)).refused("bad-line", "BAT-02", "support")
    duel(state, units=state.players[2].hand[:1]).refused("not-in-hand")
    assert [] == Story(BATTALIA, arena("weapon", "supply")).offered(1, "challenge_keeper")


def test_kee_05_only_in_the_own_turn():
    state = turn_of(arena("lord", "lord", "frimen"), 2)
    duel(state).refused("not-your-turn")


def test_kee_05_a_hired_buff_may_challenge_and_leads_and_is_gone_when_he_loses():
    state = arena("unbound-lord", "lord-barfolk", modules=("keeper", "unbound_buff"))
    state = at(state, hero_1_1="A1")
    flow = Flow(remembers(state, "unbound_buff", square="D2", horde=6), LoadedDice())
    flow.happen(BuffHired(Seat(1), "D2", 14, 1, 3))
    flow.happen(HeroJoined(Seat(1), "buff", "D2", native=False, returns=False))
    story = duel(flow.state, "buff")
    assert {"cards": 8, "unbound": 1} == story.of(FigureFought)[0].parts
    assert {1: ["barfolk"]} == keys(story)

    story = duel(hand(flow.state, 1, "frimen"), "buff")
    story.with_(HeroDisbanded(1, "buff", "D2"), BuffGone("D2", "beaten"))
    assert "buff" not in story.state.heroes


# -- how it ends ------------------------------------------------------------------------------------------------------


def crowned(state, seat, cities):
    """The player has this many cities of level 4."""
    for square, exits in (("B1", "ES"), ("C1", "SW"), ("D1", "ESW"), ("E1", "EW"), ("F1", "NEW"))[:cities]:
        state = city(state, square, seat, 4, exits, "emberians")
    return state


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
    flow = Flow(turn_of(same, 1), LoadedDice())
    flow.happen(HeroDisbanded(Seat(1), "hero-1-1", "A1"))
    assert "cities" == flow.state.ending, "without the Keeper it would"


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
        flow = Flow(turn_of(state, 1), LoadedDice())
        flow.happen(HeroDisbanded(Seat(1), "hero-1-1", "A1"))
        assert ending == flow.state.ending


def ended(state, weeks=2):
    """The check-point of `max_weeks` comes."""
    return BATTALIA.outcome(morning(night(state, 7 * weeks - 1)).state)


def test_kee_07_only_players_with_all_keys_compare_scores():
    state = table(3, ALONE, max_weeks=2)
    state = level(level(state, "A1", 1), "G1", 4)
    every = FACTIONS[:3]

    assert (1,) == ended(keeper(state, "D4", s1=every)).winners
    assert (2,) == ended(keeper(state, "D4", s1=every, s2=every)).winners
    assert {1: 1, 2: 4, 3: 1} == ended(keeper(state, "D4", s1=every)).scores


def test_kee_07_end_05_who_is_left_alone_has_won_without_any_key():
    flow = Flow(keeper(table(2, ALONE), "D3", s2=FACTIONS[:2]), LoadedDice())
    flow.happen(SeatOut(Seat(2)))

    assert "alone" == flow.state.ending
    assert (1,) == BATTALIA.outcome(flow.state).winners


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


# -- what is told and advised -----------------------------------------------------------------------------------------


def test_kee_every_option_is_accepted_and_the_bot_challenges_only_where_it_wins():
    state = arena("lord-barfolk", "lord-islanders", "frimen-islanders")
    (offer,) = Story(BATTALIA, state).offered(1, "challenge_keeper")
    assert 7 == len(list(commands(offer)))
    for command in commands(offer):
        assert Story(BATTALIA, state).when(1, ChallengeKeeper(command["hero"], tuple(command["units"]))).refusal is None
    said(state, 1, ChallengeKeeper("hero-1-1", state.players[1].hand))

    chosen = BATTALIA.bots["greedy"](state, Seat(1), LoadedDice())
    assert ("challenge_keeper", 3) == (chosen["type"], len(chosen["units"]))
    weak = arena("lord-barfolk", "priest-islanders")
    assert "challenge_keeper" != BATTALIA.bots["greedy"](weak, Seat(1), LoadedDice())["type"]


def test_kee_a_memory_that_is_none_is_a_fault():
    state = keeper(table(2, ALONE), "D3")
    assert BATTALIA.faults(changed(state, npcs={"keeper": {"square": 3}}))
    assert BATTALIA.faults(keeper(state, "D3", s1=["islanders", "islanders"]))
    assert BATTALIA.faults(keeper(state, "far away"))
