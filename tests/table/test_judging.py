"""The quality of a command, estimated by trials from what the seat could know, and the same on every machine."""

from dataclasses import replace

import pytest

from domain.games.nim.game import NIM
from domain.games.nim.game import NimState as Heaps
from domain.kernel.dice import Aside, Dice
from domain.kernel.game.rules import Setup
from domain.kernel.shape import build
from domain.kernel.terms import SYSTEM, Seat
from domain.table import bots
from domain.table.bots.chances import chances, luck
from domain.table.bots.judging import Judgement, Tried, judge
from domain.table.bots.search import after
from tests.pennies import PENNIES

ONE, TWO = Seat(1), Seat(2)
WORTH = 300


def heaps(*sizes, mover=ONE):
    return Heaps("nim_v1", sizes, "wins", mover)


def take(heap, objects):
    return {"type": "take", "heap": heap, "objects": objects}


def judged(state, command, seed=b"x"):
    return judge(NIM, bots.analyst(NIM), state, ONE, command, Aside(seed), WORTH)


def pennies(seed=b"p"):
    (begun,) = PENNIES.rules.begin(PENNIES.rules.check(Setup(2, "", {})), Dice(seed))
    return PENNIES.rules.evolve(None, begun)


def test_judgment_finds_a_blunder_and_names_the_winning_command():
    """From heaps of 3, 4, and 5, only taking two from the first wins (C. L. Bouton, 1901)."""
    found = judged(heaps(3, 4, 5), take(3, 5))

    assert 0.0 == found.played.expected
    assert take(1, 2) == found.tried[0].command
    assert (1.0, 1.0) == (found.tried[0].expected, found.tried[0].ahead)
    assert 1.0 == found.loss


def test_winning_command_has_no_loss():
    found = judged(heaps(3, 4, 5), take(1, 2))

    assert 1.0 == found.played.expected
    assert 0.0 == found.loss
    assert all(not each.surely_ahead for each in found.tried)


def test_command_in_a_lost_position_has_no_loss():
    found = judged(heaps(1, 2, 3), take(3, 1))

    assert (0.0, 0.0) == (found.played.expected, found.loss)


def test_judgment_of_the_only_legal_command_tries_no_other():
    found = judged(heaps(0, 1), take(2, 1))

    assert () == found.tried
    assert 1.0 == found.played.expected


def test_played_command_is_not_compared_with_itself_in_another_parameter_order():
    found = judged(heaps(2, 2), {"objects": 2, "heap": 1, "type": "take"})

    assert take(1, 2) not in [each.command for each in found.tried]


@pytest.mark.parametrize(
    ("ahead", "doubt", "loss"),
    [(0.2, 0.09, 0.2), (0.2, 0.11, 0.0), (0.2, None, 0.0), (0.009, 0.0, 0.0), (-0.2, 0.0, 0.0)],
)
def test_loss_is_reported_only_if_it_is_large_and_significant(ahead, doubt, loss):
    found = Judgement(Tried({}, 9, 0.5, 0.0, 0.0), (Tried({}, 9, 0.5 + ahead, ahead, doubt),))

    assert loss == found.loss


def test_the_same_dice_give_the_same_judgment():
    assert judged(heaps(5, 6, 7), take(1, 1)) == judged(heaps(5, 6, 7), take(1, 1))


def test_judgment_does_not_depend_on_hidden_information_of_a_rival():
    """The two states look the same to the seat, and are imagined with the same dice."""
    state = after(PENNIES, pennies(), TWO, build(PENNIES.rules.commands, {"type": "hide", "pennies": 0}), Aside(b"d"))
    other = after(PENNIES, pennies(), TWO, build(PENNIES.rules.commands, {"type": "hide", "pennies": 2}), Aside(b"d"))
    assert state != other

    found = [
        judge(
            PENNIES,
            bots.analyst(PENNIES),
            PENNIES.knowledge.imagine(each, ONE, Aside(b"i")),
            ONE,
            {"type": "hide", "pennies": 1},
            Aside(b"j"),
            WORTH,
        )
        for each in (state, other)
    ]

    assert found[0] == found[1]


def test_chances_of_all_seats_sum_to_one_and_a_winner_has_one():
    usual = bots.analyst(NIM)

    assert (1.0, 0.0) == chances(NIM, usual, heaps(3, 4, 5), (ONE, TWO), Aside(b"c"))
    assert (0.0, 1.0) == chances(NIM, usual, heaps(1, 2, 3), (ONE, TWO), Aside(b"c"))
    assert (0.0, 1.0) == chances(NIM, usual, heaps(0, 0), (ONE, TWO), Aside(b"c"))
    assert 1.0 == pytest.approx(sum(chances(PENNIES, bots.analyst(PENNIES), pennies(), (ONE, TWO), Aside(b"c"))))


def test_without_dice_there_is_no_luck():
    found, doubt = luck(
        NIM, bots.analyst(NIM), heaps(3, 4, 5), ONE, build(NIM.rules.commands, take(1, 2)), (1.0, 0.0), Aside(b"l"), 4
    )

    assert ((0.0, 0.0), (0.0, 0.0)) == (found, doubt)


def test_luck_is_the_gain_of_a_roll_over_the_expected_result():
    """Both seats need one point: a 1 gives it to seat 1, a 2 to seat 2, and any other face to neither."""
    state = pennies()
    state = replace(state, points=dict.fromkeys((ONE, TWO), state.goal - 1))
    for seat, number in ((ONE, 1), (TWO, 2)):
        said = build(PENNIES.rules.commands, {"type": "hide", "pennies": number})
        state = after(PENNIES, state, seat, said, Aside(b"d"))
    roll, usual = PENNIES.rules.default(state, SYSTEM, Aside(b"r")), bots.analyst(PENNIES)

    (lucky, doubt), (unlucky, _) = (
        luck(PENNIES, usual, state, SYSTEM, roll, came, Aside(b"l"), 48) for came in ((1.0, 0.0), (0.0, 1.0))
    )

    assert 0.5 == pytest.approx(lucky[0], abs=4 * doubt[0])
    assert 0 < doubt[0] < 0.1
    assert -1.0 == pytest.approx(unlucky[0] - lucky[0]), "what was expected is the same"
    assert lucky[0] == pytest.approx(-lucky[1]), "at a table for two the luck of the one is the other's lack of it"
