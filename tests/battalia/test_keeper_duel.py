"""The duel with the Keeper (KEE-05), and how bots use it."""

from __future__ import annotations

from domain.games.battalia.events import (
    FigureFought,
    HeroDisbanded,
    HeroJoined,
    LineRevealed,
)
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.keeper.kinds import ChallengeKeeper, KeeperChallenged
from domain.games.battalia.modules.unbound_buff.events import BuffGone, BuffHired
from domain.games.battalia.rulebook.turn.deciding import start_decision
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import changed
from domain.kernel.options import commands
from domain.kernel.terms import Seat
from tests.battalia.keeping import (
    ALONE,
    arena,
    attack,
    duel,
    field,
    given,
    great,
    keeper,
    keys,
    where,
)
from tests.battalia.laid import (
    at,
    city,
    hand,
    remembers,
    said,
    table,
    turn_of,
    weapons,
)
from tests.story import LoadedDice, Story


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


def test_kee_05_the_line_must_beat_the_keepers_strength():
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


def test_kee_05_level_and_weapons_of_an_own_city_do_not_help_the_challenger():
    state = city(table(2, ("armamentum", "keeper")), "D2", 1, 4, "NS", "emberians")
    state = keeper(turn_of(at(weapons(state, "D2"), hero_1_1="D2"), 1), "D2")
    story = duel(hand(state, 1, "lord-islanders"))

    assert {"cards": 4} == story.of(FigureFought)[0].parts


def test_kee_05_a_hero_may_challenge_in_the_same_turn_after_a_battle():
    state = field()
    story = attack(hand(state, 1), units=("lord-barfolk",))
    assert "C1" == where(story)
    assert story.state.heroes["hero-1-1"].fought
    story = Story(BATTALIA, hand(story.state, 1, "lord-barfolk", "lord-barfolk", "frimen"))

    story.when(1, ChallengeKeeper("hero-1-1", story.state.players[1].hand))

    assert {1: ["islanders", "barfolk"]} == keys(story)


def test_kee_05_a_duel_does_not_count_as_the_heros_battle():
    story = duel(arena("lord-barfolk", "lord-barfolk", "frimen-barfolk"))

    assert not story.state.heroes["hero-1-1"].fought


def test_kee_05_a_hero_challenges_at_most_once_a_turn():
    state = keeper(arena("lord-barfolk", "lord-barfolk", "frimen"), "D2", duels={"hero-1-1": 7})
    duel(state).refused("too-late", "KEE-05", "hero")
    assert [] == Story(BATTALIA, state).offered(1, "challenge_keeper")

    other = at(state, hero_1_2="D2")
    assert ["hero-1-2"] == sorted(
        {c["hero"] for o in Story(BATTALIA, other).offered(1, "challenge_keeper") for c in commands(o)}
    )
    assert {1: ["barfolk"]} == keys(duel(keeper(state, "D2", duels={"hero-1-1": 6})))


def test_kee_05_the_challenging_hero_must_be_on_the_keepers_square():
    state = at(arena("lord-barfolk", "lord-barfolk", "frimen"), hero_1_1="A1")
    duel(state).refused("not-your-hero", "KEE-05", "hero")
    duel(at(state, hero_2_1="D2"), hero="hero-2-1").refused("not-your-hero", "KEE-05", "hero")
    assert [] == Story(BATTALIA, state).offered(1, "challenge_keeper")


def test_kee_05_a_duel_needs_the_keeper_and_a_key_to_win():
    for state in (
        arena("lord-barfolk", "lord-barfolk", "frimen", s1=["barfolk"]),
        keeper(arena("lord-barfolk", "lord-barfolk", "frimen"), ""),
    ):
        duel(state).refused("no-key-to-win", "KEE-05")
        assert [] == Story(BATTALIA, state).offered(1, "challenge_keeper")


def test_kee_05_the_line_needs_a_unit_and_only_cards_that_may_fight():
    state = arena("weapon", "supply", "lord")
    weapon, supply, lord = state.players[1].hand
    duel(state, units=(), support=(weapon,)).refused("bad-line", "BAT-02", "units")
    duel(state, units=(lord,), support=(supply,)).refused("bad-line", "BAT-02", "support")
    duel(state, units=state.players[2].hand[:1]).refused("not-in-hand")
    assert [] == Story(BATTALIA, arena("weapon", "supply")).offered(1, "challenge_keeper")


def test_kee_05_a_challenge_is_refused_outside_the_own_turn():
    state = turn_of(arena("lord", "lord", "frimen"), 2)
    duel(state).refused("not-your-turn")


def test_kee_05_a_hired_buff_may_challenge_with_his_bonus_and_leaves_if_he_loses():
    state = arena("unbound-lord", "lord-barfolk", modules=("keeper", "unbound_buff"))
    state = at(state, hero_1_1="A1")
    decision = start_decision(remembers(state, "unbound_buff", square="D2", horde=6), LoadedDice())
    decision.happen(BuffHired(Seat(1), "D2", 14, 1, 3))
    decision.happen(HeroJoined(Seat(1), "buff", "D2", native=False, returns=False))
    story = duel(decision.state, "buff")
    assert {"cards": 8, "unbound": 1} == story.of(FigureFought)[0].parts
    assert {1: ["barfolk"]} == keys(story)

    story = duel(hand(decision.state, 1, "frimen"), "buff")
    story.with_(HeroDisbanded(1, "buff", "D2"), BuffGone("D2", "beaten"))
    assert "buff" not in story.state.heroes


def test_kee_offered_challenges_are_accepted_and_the_bot_challenges_only_to_win():
    state = arena("lord-barfolk", "lord-islanders", "frimen-islanders")
    (offer,) = Story(BATTALIA, state).offered(1, "challenge_keeper")
    assert 7 == len(list(commands(offer)))
    for command in commands(offer):
        assert Story(BATTALIA, state).when(1, ChallengeKeeper(command["hero"], tuple(command["units"]))).refusal is None
    said(state, 1, ChallengeKeeper("hero-1-1", state.players[1].hand))

    chosen = BATTALIA.bots.by_name["greedy"](state, Seat(1), LoadedDice())
    assert ("challenge_keeper", 3) == (chosen["type"], len(chosen["units"]))
    weak = arena("lord-barfolk", "priest-islanders")
    assert "challenge_keeper" != BATTALIA.bots.by_name["greedy"](weak, Seat(1), LoadedDice())["type"]


def test_kee_an_invalid_memory_is_a_fault():
    state = keeper(table(2, ALONE), "D3")
    assert BATTALIA.rules.faults(changed(state, npcs={"keeper": {"square": 3}}))
    assert BATTALIA.rules.faults(keeper(state, "D3", s1=["islanders", "islanders"]))
    assert BATTALIA.rules.faults(keeper(state, "far away"))
