"""The bet on the Unbound Buff's entrance, and its reveal (BUF-01, BUF-02)."""

from __future__ import annotations

import pytest

from domain.games.battalia.commands import EndTurn
from domain.games.battalia.events import CardsLaid, QuestionAnswered
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.bet import worth
from domain.games.battalia.modules.unbound_buff.commands import (
    HireBuff,
    PlaceBet,
)
from domain.games.battalia.modules.unbound_buff.events import (
    BetPlaced,
    BetsRevealed,
)
from domain.games.battalia.rulesets import RULESETS
from domain.kernel.dice import Dice
from domain.kernel.options import commands
from domain.kernel.terms import Seat
from tests.battalia.laid import hand, level, morning, night, table
from tests.battalia.raiding import ALONE, KEY, bet, betting, great, question
from tests.story import Story


def revealed(story):
    return story.of(BetsRevealed)[0]


# -- the bet ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "day"), [(2, 6), (3, 6), (4, 13)])
def test_buf_01_at_the_end_of_a_week_all_seats_bet_at_once(seats, day):
    story = betting(seats=seats, day=day)

    assert ("bet", tuple(range(1, seats + 1))) == question(story)
    asked = BATTALIA.rules.awaiting(story.state)
    assert [("bet", "BUF-01", 0)] * seats == [(each.kind, each.clause, each.about["place"]) for each in asked]


def test_buf_01_there_is_no_bet_before_the_end_of_a_week():
    for day in (0, 5, 8):
        assert "turn" == question(morning(night(table(2, ALONE), day)))[0]


def test_buf_01_cards_count_with_their_printed_strength():
    sorts = ("frimen", "chief", "priest", "lord", "unbound-lord", "weapon", "horse", "great-sword", "great-shield")
    state = hand(table(2, ALONE), 1, *sorts[:-2])
    state = great(great(state, 1, "great-sword"), 1, "great-shield")
    story = morning(night(state))
    bet(story, 1, *range(9))
    bet(story, 2)

    assert {1: 1 + 2 + 3 + 4 + 4 + 2 + 1 + 4 + 4, 2: 0} == revealed(story).totals


def test_buf_01_artefacts_count_with_their_plain_strength_and_titles_with_zero():
    rules = RULESETS["creation_v1"]
    assert [2, 1, 4, 4, 0, 0, 0, 0] == [
        worth(card, rules)
        for card in (
            "weapon-emberians-1",
            "horse-emberians-1",
            "great-sword",
            "great-shield",
            "title-emberians-1",
            "amulet-barfolk-1",
            "supply-1",
            "great-crown",
        )
    ]


def test_buf_01_a_bet_takes_distinct_hand_cards_with_strength():
    story = betting(["frimen", "supply", "title"], ["lord"])
    frimen, supply, title = story.state.players[1].hand
    (lord,) = story.state.players[2].hand
    for cards in ((supply,), (frimen, title)):
        Story(BATTALIA, story.state).when(1, PlaceBet(cards)).refused("worthless-bet", "BUF-01", "cards")
    for cards in ((lord,), (frimen, frimen)):
        Story(BATTALIA, story.state).when(1, PlaceBet(cards)).refused("not-in-hand", "BUF-01", "cards")
    Story(BATTALIA, story.state).when(1, EndTurn()).refused("not-now")
    Story(BATTALIA, story.state).when(1, HireBuff((supply,))).refused("not-now")


def test_buf_01_every_bet_is_offered_including_the_empty_one():
    story = betting(["frimen", "lord", "weapon", "supply"], ["supply", "title"])
    offered = {tuple(sorted(c["cards"])) for o in story.offered(1, "place_bet") for c in commands(o)}
    assert 8 == len(offered)
    (nothing,) = [c for o in story.offered(2, "place_bet") for c in commands(o)]
    assert {"type": "place_bet", "cards": []} == nothing


def test_buf_01_other_readers_cannot_see_a_bet_or_its_size():
    story = betting(["frimen", "lord", "weapon"], ["priest", "chief"], ["lord"], seats=3)
    before = BATTALIA.knowledge.view(story.state)
    some = Story(BATTALIA, bet(Story(BATTALIA, story.state), 1, 0, 1).state)
    none = bet(Story(BATTALIA, story.state), 1)

    for seat in (2, 3, None):
        dice = [Dice(b"same") for _ in range(2)]
        assert BATTALIA.knowledge.view(some.state) == BATTALIA.knowledge.view(none.state)
        if seat:
            assert BATTALIA.knowledge.private(some.state, seat) == BATTALIA.knowledge.private(none.state, seat)
            assert BATTALIA.rules.legal(some.state, seat) == BATTALIA.rules.legal(none.state, seat)
        assert BATTALIA.knowledge.imagine(some.state, seat, dice[0]) == BATTALIA.knowledge.imagine(
            none.state, seat, dice[1]
        )
    assert before["seats"] == BATTALIA.knowledge.view(some.state)["seats"], "the cards still count as hand"
    assert list(story.state.players[1].hand[:2]) == BATTALIA.knowledge.private(some.state, 1)["npcs"][KEY]["bet"]


def test_buf_01_a_bet_is_revealed_only_to_its_player():
    story = bet(betting(["lord"], ["lord"]), 1, 0)
    (card,) = story.state.players[1].hand
    placed, answered = story.events

    assert (BetPlaced(1, (card,)), QuestionAnswered(1, answered.answers)) == (placed, answered)
    assert {"type": "bet_placed", "seat": 1, "cards": [card]} == BATTALIA.knowledge.reveal(placed, 1)
    assert [None, None] == [BATTALIA.knowledge.reveal(placed, 2), BATTALIA.knowledge.reveal(placed, None)]
    assert (1,) == tuple(BATTALIA.knowledge.audience(placed))
    assert ("bet", (2,)) == question(story)
    story.when(1, PlaceBet(())).refused("not-your-turn")


def test_buf_01_imagined_bets_of_others_vary():
    story = bet(betting(["lord", "frimen"], ["lord"]), 1, 0, 1)
    seen = set()
    for salt in range(30):
        imagined = BATTALIA.knowledge.imagine(story.state, Seat(2), Dice(b"%d" % salt))
        assert BATTALIA.rules.faults(imagined) == []
        seen.add(len(imagined.npcs[KEY]["bets"]["1"]))
    assert {0, 1, 2} == seen


# -- the reveal -------------------------------------------------------------------------------------------------------


def test_buf_02_bets_are_revealed_together_and_the_highest_chooses_the_entrance():
    story = betting(["lord"], ["lord", "chief"], ["priest"], seats=3)
    hands = {seat: story.state.players[seat].hand for seat in (1, 2, 3)}
    bet(story, 3, 0)
    bet(story, 1, 0)
    assert [] == story.of(BetsRevealed)
    bet(story, 2, 0, 1)

    story.with_(BetsRevealed(2, hands, {1: 4, 2: 6, 3: 3}, "strength"), *(CardsLaid(s, hands[s]) for s in (1, 2, 3)))
    assert ("entrance", (2,)) == question(story)
    shown = BATTALIA.knowledge.reveal(revealed(story), None)
    assert {"1": 4, "2": 6, "3": 3} == shown["totals"]


def test_buf_02_a_tie_goes_to_the_most_victory_points():
    state = level(table(3, ALONE), "A7", 3)
    story = betting(["lord"], ["lord"], ["lord"], state=state)
    for seat in (1, 2, 3):
        bet(story, seat, 0)

    assert (3, "points") == (revealed(story).seat, revealed(story).by)


def test_buf_02_a_tie_in_points_too_is_drawn_among_the_tied():
    winners = set()
    for salt in range(20):
        state = level(level(table(3, ALONE), "A7", 3), "G1", 3)
        story = bet(bet(betting(["lord"], ["lord"], ["lord"], state=state), 1, 0), 2, 0)
        story.when(3, PlaceBet(story.state.players[3].hand), Dice(b"lot %d" % salt))
        assert "lot" == revealed(story).by
        winners.add(revealed(story).seat)
    assert {2, 3} == winners


def test_buf_02_empty_bets_of_all_seats_are_a_tie():
    story = betting([], ["lord"], state=level(table(2, ALONE), "G5", 2))
    bet(bet(story, 1), 2)

    assert BetsRevealed(2, {1: (), 2: ()}, {1: 0, 2: 0}, "points") == revealed(story)


def test_buf_01_has_answered_is_true_only_for_seats_that_bet():
    story = betting(seats=2)
    assert [False, False] == [BATTALIA.rules.has_answered(story.state, Seat(seat)) for seat in (1, 2)]
    bet(story, 1)

    assert [True, False] == [BATTALIA.rules.has_answered(story.state, Seat(seat)) for seat in (1, 2)]
    bet(story, 2)
    assert not any(BATTALIA.rules.has_answered(story.state, Seat(seat)) for seat in (1, 2))
