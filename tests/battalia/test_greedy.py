"""The greedy bot: it plays legal commands, uses only imagined states, and wins."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.kernel.dice import Dice
from domain.kernel.record import Submission
from domain.kernel.terms import SYSTEM
from domain.table import bots
from domain.table.settle import settle
from tests.battalia import laid
from tests.battalia.keeping import ALONE, keeper
from tests.battalia.random_play import begun, chance_of, is_offered
from tests.battalia.table import command, day, hand, lay, lit, stand, table, tell
from tests.story import LoadedDice


def duel(seed):
    """Plays a game of the greedy against the random bot, and returns whether greedy won."""
    commit, position = begun(2, seed)
    chance, dice, own = chance_of(seed), Dice(b"duel %d" % seed), 1 + seed % 2
    while not position.over:
        asked = position.asked[0]
        seat = asked.question.seat
        if seat == SYSTEM:
            said = {"type": "expire", "question": asked.id}
        else:
            said = bots.choose(BATTALIA, "greedy" if seat == own else "random", position.state, seat, dice)
        submission = Submission(str(position.seq), seat, said, position.seq)
        commit, position = settle(BATTALIA, position, submission, position.seq, chance)
        assert commit.refusal is None, (said, commit.refusal)
    return (own,) == position.table.outcome.winners


@pytest.mark.soak
def test_greedy_bot_beats_random():
    assert 3 <= sum(duel(seed) for seed in range(4))


@pytest.mark.soak
def test_greedy_bot_wins_ninety_of_a_hundred_games_against_random():
    assert 90 <= sum(duel(seed) for seed in range(100))


def said(state, seat=1):
    chosen = BATTALIA.bots.by_name["greedy"](state, seat, Dice(b"greedy"))
    assert is_offered(list(BATTALIA.rules.legal(state, seat)), chosen)
    return chosen


def test_greedy_bot_takes_the_most_valuable_action():
    state = day(hand(table(), 1, "lord", "lord", "lord", "supply", "supply", "supply"), 4)
    assert ("found_city", 4) == (said(state)["type"], said(state)["level"])
    assert "end_turn" == said(hand(state, 1, "tent"))["type"]


def test_greedy_bot_attacks_a_neutral_city_with_no_more_than_needed():
    state = stand(lay(table(), "G2", "road-straight-emberians", "NS"), "hero-1-1", "G2", winged=True)
    state = day(hand(state, 1, "lord-emberians", "priest-emberians", "priest-emberians", "supply"), 4)
    attack = said(state)
    needed = 1 if "barfolk" in state.board["G1"].card else 2
    assert ("step", "G1", needed) == (attack["type"], attack["to"], len(attack["units"]))
    weak = hand(state, 1, "frimen", "supply")
    assert "G1" != said(weak).get("to")


def test_greedy_bot_defends_with_all_cards():
    state = stand(lay(table(), "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    state = lit(hand(hand(state, 1, "lord"), 2, "frimen", "weapon", "supply"), "tent")
    story = tell(state).when(1, command("step", hero="hero-1-1", to="G5", units=list(state.players[1].hand), against=2))
    answer = said(story.state, 2)
    assert (1, 1) == (len(answer["units"]), len(answer["support"]))


def test_greedy_bot_answers_other_questions():
    state = table(quick_setup=False)
    assert "turn" == state.asking[-1].kind
    opening = begun(2, 3, quick_setup=False)[1].state
    assert "choose_faction" == said(opening, 1)["type"]
    wishing = tell(lit(hand(table(), 1, "amulet"), "tent"))
    wishing.when(1, command("use_amulet", cards=list(wishing.state.players[1].hand)), LoadedDice(6))
    assert {"type": "wish", "card": "lord-barfolk"} == said(wishing.state)


def lane(*cards, **keys):
    """Seat 1's heroes on B1, and a road to E1. The Keeper is far away on B3."""
    state = laid.table(2, ALONE)
    for square, land in (("B1", "emberians"), ("C1", "emberians"), ("D1", "islanders"), ("E1", "islanders")):
        state = laid.road(state, square, "EW", land)
    state = laid.turn_of(laid.at(state, hero_1_1="B1", hero_1_2="B1"), 1)
    return laid.hand(keeper(state, "B3", **keys), 1, *cards)


def onward(state):
    """Whether the bot moves a hero along the road."""
    answer = said(state)
    return ("step", "C1") == (answer["type"], answer.get("to"))


def test_kee_05_the_greedy_bot_approaches_the_keeper_only_with_a_winning_hand():
    strong, weak = ("supply", "lord", "lord", "chief"), ("supply", "lord", "priest")
    there = {"s1": ["islanders"]}

    assert onward(keeper(lane(*strong), "D1", **there))
    assert not onward(keeper(lane(*weak), "D1", **there))
    assert not onward(keeper(lane(*strong), "B3", **there)), "no road leads there"
    assert not onward(keeper(lane(*strong), "D1", s1=["islanders", "barfolk"])), "he has no key for it"


def test_kee_03_the_greedy_bot_hunts_heroes_whose_keys_it_lacks():
    state = laid.at(lane("supply", "lord"), hero_2_1="E1")

    assert onward(state)
    assert not onward(keeper(state, "B3", s1=["islanders"])), "it has that key"
    assert not onward(keeper(state, "")), "there are no keys before the Keeper comes"


def test_kee_05_the_greedy_bot_challenges_the_keeper_before_it_moves_on():
    state = keeper(lane("lord", "lord", "chief"), "B1", s1=["islanders"])
    state = laid.at(laid.road(state, "C1", "EW", "barfolk"), hero_2_1="E1")

    assert "challenge_keeper" == said(state)["type"]
