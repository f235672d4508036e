"""Random orders in whole games, with all modules and with none: games have no faults and redecide the same."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.games.battalia.events import OrderFollowed, OrderGiven, OrderWithdrawn
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.imagine import imagine
from domain.games.battalia.rulebook.turn.orders import ordered
from domain.kernel.dice import Dice
from domain.kernel.options import pick
from domain.kernel.record import Position, Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.table import bots
from domain.table.folding import fold
from domain.table.redecide import redecide
from domain.table.settle import settle
from tests.battalia.random_play import begun, chance_of, refusal_of
from tests.battalia.test_orders import EVERY
from tests.soaking import sample

GAMES = [
    (2, 31, (), {}),
    (3, 32, ("rammoth", "armamentum"), {}),
    (4, 33, EVERY, {}),
    (5, 34, ("stormgates", "unbound_buff", "rammoth"), {}),
    (6, 35, EVERY, {"teams": True}),
    (3, 36, ("unbound_buff",), {"ruleset": "creation_v1"}),
    (2, 37, ("keeper",), {"ruleset": "creation_v1", "quick_setup": False}),
]
KINDS = {"defend", "return", "bet", "entrance", "attacked", "stir", "flee", "discard", "spoils", "wish", "victim"}


def played(seats, seed, modules, cap, **options):
    """Every commit with the positions around it. Greedy and random players give orders and time out a third of the time."""
    dice, chance = Dice(b"orders %d" % seed), chance_of(seed)
    commit, position = begun(seats, seed, modules=modules, **options)
    yield Position(), commit, position
    while not position.over and position.seq < cap:
        before, seat = position, Seat(1 + dice.below(seats))
        asked = dice.choose(position.asked)
        given = [o for o in BATTALIA.rules.legal(position.state, seat) if o.type in BATTALIA.rules.unasked]
        if given and dice.below(3) == 0:
            sender, said = seat, pick(given, dice)
        elif asked.question.seat == SYSTEM or dice.below(3) == 0:
            sender, said = SYSTEM, {"type": "expire", "question": asked.id}
        else:
            sender = asked.question.seat
            bot = bots.RANDOM if dice.below(4) == 0 else "greedy"
            said = bots.choose(BATTALIA, bot, position.state, sender, dice)
        submission = Submission(str(position.seq), sender, dict(said), position.seq)
        commit, position = settle(BATTALIA, position, submission, position.seq, chance)
        assert commit.refusal is None, (said, commit.refusal, commit.fault)
        yield before, commit, position


def looked_at(position, dice):
    """Check that seats cannot see the orders of others, and that answers of orders do not depend on hidden information."""
    state = position.state
    assert [] == list(BATTALIA.rules.faults(state))
    for seat in sorted(state.players):
        other = imagine(state, seat, dice)
        assert [] == list(BATTALIA.rules.faults(other))
        assert BATTALIA.knowledge.private(state, seat) == BATTALIA.knowledge.private(other, seat)
        if state.asking and seat in state.asking[-1].seats:
            answer = ordered(state, seat)
            assert answer == ordered(other, seat)
            assert answer is None or BATTALIA.rules.default(state, seat, dice) == answer


def through(number, cap):
    seats, seed, modules, options = GAMES[number]
    happened, dice = Counter(), Dice(b"looks")
    for before, commit, after in played(seats, seed, modules, cap, **options):
        assert after == fold(BATTALIA, before, commit)
        again, position = redecide(BATTALIA, before, commit, chance_of(seed))
        assert (again.events, again.drawn, again.played) == (commit.events, commit.drawn, commit.played)
        assert position == after
        happened.update(type(event) for event in commit.events)
        happened.update(event.kind for event in commit.events if type(event) is OrderFollowed)
        if commit.seq % 12 == 0 and not after.over:
            looked_at(after, dice)
    return happened


@pytest.mark.parametrize("number", sample(range(len(GAMES)), 8))
def test_random_orders_pass_all_checks(number):
    happened = through(number, 400)
    assert happened[OrderGiven] > 20
    assert happened[OrderWithdrawn]
    assert happened[OrderFollowed]


@pytest.mark.soak
def test_random_orders_in_whole_games_answer_every_kind_of_question():
    happened = sum((through(number, 4000) for number in range(len(GAMES))), Counter())
    assert KINDS == {kind for kind in happened if isinstance(kind, str)}


def test_offered_orders_are_accepted_from_every_seat():
    """Each kind of order is accepted from seats with and without a pending question."""
    dice = Dice(b"each")
    for before, _, after in played(4, 38, EVERY, 40):
        for seat in (1, 2, 3, 4) if before.state is not None and not after.over else ():
            for option in (
                o for o in BATTALIA.rules.legal(after.state, Seat(seat)) if o.type in BATTALIA.rules.unasked
            ):
                assert refusal_of(after.state, Seat(seat), pick([option], dice)) is None
