"""The rules of Nim, clause by clause, and its bot."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from domain.games.nim.game import NIM, NimState, NotInHeap, ObjectsTaken, Take, expert
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.game.rules import Setup
from domain.kernel.options import commands
from domain.kernel.shape import build
from domain.kernel.terms import Seat

ONE, TWO = Seat(1), Seat(2)
DICE = Dice(bytes(32))


def begun(number=0, **options):
    (event,) = NIM.rules.begin(NIM.rules.check(Setup(2, "", options)), Dice(bytes(31) + bytes([number])))
    return NIM.rules.evolve(None, event)


def taken(state, heap, objects):
    (event,) = NIM.rules.decide(state, state.mover, Take(heap, objects), DICE)
    return NIM.rules.evolve(state, event)


@pytest.mark.parametrize(
    ("options", "heaps"),
    [({}, (1, 3, 5, 7)), ({"heaps": 2}, (1, 3)), ({"heaps": 8}, (1, 3, 5, 7, 9, 11, 13, 15))],
)
def test_nim_01_the_heaps_hold_odd_numbers(options, heaps):
    assert heaps == begun(**options).heaps


def test_nim_02_seats_alternate_and_a_die_determines_the_first():
    assert {ONE, TWO} == {begun(number).mover for number in range(20)}
    state = begun()
    first, second = state.mover, taken(state, 2, 1).mover

    assert {ONE, TWO} == {first, second}
    assert first == taken(taken(state, 2, 1), 2, 1).mover


def test_nim_03_a_turn_takes_one_or_more_objects_from_one_heap():
    state = NimState("nim_v1", (0, 3), "wins", ONE)
    offered = [
        build(NIM.rules.commands, command) for option in NIM.rules.legal(state, ONE) for command in commands(option)
    ]

    assert [Take(2, 1), Take(2, 2), Take(2, 3)] == offered
    assert [ObjectsTaken(ONE, 2, 2, 1)] == NIM.rules.decide(state, ONE, Take(2, 2), DICE)
    for heap, objects in ((2, 0), (2, 4), (2, -1), (1, 1), (0, 1), (3, 1)):
        with pytest.raises(NotInHeap) as refusal:
            NIM.rules.decide(state, ONE, Take(heap, objects), DICE)
        assert "NIM-03" == refusal.value.rule
    assert isinstance(refusal.value, RuleViolation)


def test_nim_04_the_seat_that_takes_the_last_object_wins():
    over = taken(NimState("nim_v1", (0, 2), "wins", TWO), 2, 2)

    assert (TWO,) == NIM.rules.outcome(over).winners
    assert "NIM-04" == NIM.rules.outcome(over).clause
    assert NIM.rules.outcome(begun()) is None


def test_nim_05_the_seat_that_takes_the_last_object_loses_with_that_option():
    assert "loses" == begun(last_object="loses").last_object
    over = taken(NimState("nim_v1", (0, 2), "loses", TWO), 2, 2)

    assert (ONE,) == NIM.rules.outcome(over).winners
    assert "NIM-05" == NIM.rules.outcome(over).clause


def test_nim_06_the_winner_scores_one_point():
    assert {ONE: 0, TWO: 1} == NIM.rules.outcome(taken(NimState("nim_v1", (1,), "wins", TWO), 1, 1)).scores


def test_nim_07_timeout_takes_one_object_from_the_first_heap_that_is_not_empty():
    assert Take(2, 1) == NIM.rules.default(NimState("nim_v1", (0, 3, 5), "wins", ONE), ONE, DICE)


@pytest.mark.parametrize("last_object", ["wins", "loses"])
@pytest.mark.parametrize("heaps", [(1, 2), (1, 1), (2, 3, 4), (1, 3, 5, 7), (1, 1, 1), (3, 3, 1)])
def test_expert_wins_every_winnable_position(heaps, last_object):
    state = NimState("nim_v1", heaps, last_object, ONE)
    after = NIM.rules.evolve(
        state, NIM.rules.decide(state, ONE, build(NIM.rules.commands, expert(state, ONE, DICE)), DICE)[0]
    )

    assert wins(state) == (not wins(after))


def wins(state):
    """Whether the seat on turn can win, by exhaustive search."""
    return _wins(replace(state, heaps=tuple(sorted(state.heaps)), moves=0))


@cache
def _wins(state):
    if NIM.rules.outcome(state) is not None:
        return NIM.rules.outcome(state).winners == (state.mover,)
    return any(
        not wins(taken(state, heap, objects))
        for heap, size in enumerate(state.heaps, 1)
        for objects in range(1, size + 1)
    )


@pytest.mark.parametrize(
    ("heaps", "mover", "bounds", "faults"),
    [((1, 3, 5, 7), 1, 0, 0), ((2, 3), 1, 0, 1), ((1, -1), 1, 0, 1), ((1, 3), 3, 0, 1), ((0,) * 9, 1, 1, 0)],
)
def test_impossible_positions_have_faults_or_exceed_bounds(heaps, mover, bounds, faults):
    state = NimState("nim_v1", heaps, "wins", Seat(mover))

    assert bounds == len(NIM.rules.bounds(state))
    assert faults == len(NIM.rules.faults(state))
