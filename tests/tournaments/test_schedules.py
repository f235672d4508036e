"""Round robin schedules: who meets whom, and in which seats."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from domain.tournaments.balance import measure_balance
from domain.tournaments.lots import draw_lots
from domain.tournaments.rules import ScheduleBalance
from domain.tournaments.schedule import count_meetings, schedule
from domain.tournaments.seating import count_seats, seat_table
from tests.tournaments.playing import SEED


def tables(count, seats, cycles=1, seed=SEED):
    return [table for each in schedule(tuple(range(1, count + 1)), seats, cycles, seed) for table in each.tables]


@pytest.mark.parametrize("count", range(2, 18))
def test_with_two_seats_every_pair_meets_once_and_seats_are_balanced(count):
    rounds = schedule(tuple(range(1, count + 1)), 2, 1, SEED)
    met = count_meetings([table for each in rounds for table in each.tables])
    seats = count_seats(tables(count, 2))

    assert {frozenset(pair): 1 for pair in combinations(range(1, count + 1), 2)} == met
    assert count - 1 + count % 2 == len(rounds)
    assert all(len(each.byes) == count % 2 for each in rounds)
    assert all(abs(seats[entry, 1] - seats[entry, 2]) <= 1 for entry in range(1, count + 1))


@pytest.mark.parametrize("count", [4, 7])
def test_double_round_robin_gives_each_pair_both_seats(count):
    assert {pair: 1 for pair in [*combinations(range(1, count + 1), 2)] for pair in (pair, pair[::-1])} == Counter(
        tables(count, 2, cycles=2)
    )


@pytest.mark.parametrize(("count", "seats"), [(9, 3), (16, 4)])
def test_with_more_seats_a_perfect_schedule_is_found(count, seats):
    balance = measure_balance([tables(count, seats)], seats)

    assert (1, 1) == (balance.fewest_meetings, balance.most_meetings)
    assert balance.fewest_games == balance.most_games
    assert balance.seat_difference <= 1


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("extra", range(10))
def test_with_more_seats_games_differ_by_one_and_meetings_by_few(seats, extra):
    rounds = schedule(tuple(range(1, seats + extra + 1)), seats, 1, SEED)
    balance = measure_balance([[table for each in rounds for table in each.tables]], seats)

    assert balance.most_games - balance.fewest_games <= 1
    assert balance.most_meetings - balance.fewest_meetings <= 3
    assert balance.seat_difference <= 2
    for each in rounds:
        playing = [entry for table in each.tables for entry in table]
        assert sorted([*playing, *each.byes]) == list(range(1, seats + extra + 1))
        assert len(each.byes) < seats


def test_too_few_entries_have_no_schedule():
    assert () == schedule((1, 2), 3, 1, SEED)


def test_balance_is_measured_within_groups():
    groups = [[(1, 2), (2, 3), (1, 3)], [(4, 5), (4, 5)]]

    assert ScheduleBalance(1, 2, 2, 2, 2) == measure_balance(groups, 2)


def test_seats_that_an_entry_had_least_often_come_first():
    counts = count_seats([(1, 2), (1, 3)])

    assert (2, 1) == seat_table((1, 2), counts)
    assert (3, 1) == seat_table((1, 3), counts)
    assert (4, 5) == seat_table((4, 5), counts)


def test_lots_are_the_order_of_digests():
    """Anyone can compute them: `printf '5eed entries 1' | sha256sum`."""
    assert [2, 3, 1] == draw_lots([1, 2, 3], "5eed", "entries")
    assert [2, 3, 1] == draw_lots([3, 2, 1], "5eed", "entries")
    assert [1, 2, 3] != draw_lots([1, 2, 3], "5eed", "round 1")
