"""Places in a game, points, and what decides between equal points."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel.lifecycle import PLAYER, Table
from domain.kernel.terms import GameId, Outcome, Seat
from domain.tournaments.results import TableResult, count_points, rank_seats, result_of, walkover_ranks
from domain.tournaments.rules import TournamentRound, TournamentTable
from domain.tournaments.standings import TIE_BREAKS, count_cross_points, rank_entries
from tests.tournaments.playing import SEED


def played(*tables, byes=()):
    """A round with these tables, each given as the entry of each seat and the place of each."""
    return TournamentRound(1, tuple(TournamentTable(entries, 1, ranks) for entries, ranks in tables), byes)


def order(form, members, rounds, bye_points=0):
    return [row.entry for row in rank_entries(form, members, rounds, SEED, bye_points)]


@pytest.mark.parametrize(
    ("expected", "winners", "scores", "kept"),
    [
        ((1, 2), (1,), {1: 1, 2: 0}, (True, True)),
        ((1, 1), (1, 2), {1: 5, 2: 5}, (True, True)),
        ((1, 3, 2), (1,), {1: 9, 2: 3, 3: 5}, (True, True, True)),
        ((1, 2, 2), (1,), {}, (True, True, True)),
        ((1, 1), (), {}, (True, True)),
        ((2, 1), (), {1: 3, 2: 5}, (True, True)),
        ((2, 1), (1,), {1: 9, 2: 3}, (False, True)),
        ((1, 3, 3, 2), (2,), {1: 4, 2: 9, 3: 7, 4: 1}, (True, False, False, True)),
        ((), (1,), {1: 1, 2: 0}, (False, False)),
    ],
)
def test_places_are_winners_then_scores_then_lost_seats(expected, winners, scores, kept):
    assert expected == rank_seats("score", winners, scores, kept)


def test_an_aborted_game_gives_no_places():
    assert () == rank_seats("aborted", (), {1: 1, 2: 0}, (True, True))
    assert () == count_points(())


def test_the_result_of_a_game_has_places_reason_head_and_time():
    outcome = Outcome("score", "NIM-04", (Seat(2),), {Seat(1): 3, Seat(2): 5, Seat(3): 4})
    table = Table(GameId("g1"), "nim", (PLAYER, PLAYER, "bot:greedy"), outcome=outcome)

    assert TableResult((2, 1, 3), "score", "ab", 7) == result_of(table, "ab", 7)
    assert result_of(replace(table, outcome=None), "ab", 7) is None
    assert result_of(None, "", 0) is None


@pytest.mark.parametrize(
    ("expected", "ranks"), [((2, 0), (1, 2)), ((1, 1), (1, 1)), ((4, 1, 1), (1, 2, 2)), ((6, 4, 2, 0), (1, 2, 3, 4))]
)
def test_points_are_two_for_each_beaten_seat_and_one_for_each_tie(expected, ranks):
    assert expected == count_points(ranks)


def test_a_withdrawn_entry_loses_to_all_that_are_present():
    assert (1, 2, 1) == walkover_ranks([True, False, True])
    assert () == walkover_ranks([False, False])


def test_points_decide_first():
    rounds = [played(((1, 2), (2, 1)), ((3, 4), (1, 1)))]
    rows = rank_entries("round_robin", [1, 2, 3, 4], rounds, SEED)

    assert [2, 1, 1, 0] == [row.points for row in rows]
    assert [2, 1] == [rows[0].entry, rows[3].entry]
    assert [1, 1, 1, 1] == [row.played for row in rows]


def test_sonneborn_berger_decides_between_equal_points():
    """1 and 2 have two points each: 1 has beaten 3, who has two, and 2 has beaten 4, who has none."""
    rounds = [played(((1, 3), (1, 2)), ((2, 4), (1, 2))), played(((3, 5), (1, 2)))]
    rows = {row.entry: row.values for row in rank_entries("round_robin", [1, 2, 3, 4, 5], rounds, SEED)}

    assert (2, 4) == (rows[1]["points"], rows[1]["sonneborn_berger"])
    assert (2, 0) == (rows[2]["points"], rows[2]["sonneborn_berger"])
    assert 1 == order("round_robin", [1, 2, 3, 4, 5], rounds)[0]


def test_head_to_head_counts_only_games_between_equals():
    """1, 2 and 3 are equal. Of the games between them, 3 has won one."""
    rounds = [played(((3, 1), (1, 2)), ((2, 5), (1, 2))), played(((1, 4), (1, 2)), ((4, 3), (1, 2)))]
    rows = {row.entry: row.values for row in rank_entries("round_robin", [1, 2, 3, 4, 5], rounds, SEED)}

    assert rows[1]["points"] == rows[3]["points"] == rows[4]["points"] == 2
    assert [4, 4, 4] == [rows[each]["sonneborn_berger"] for each in (1, 3, 4)]
    assert [2, 2, 2] == [rows[each]["head_to_head"] for each in (1, 3, 4)]
    assert [0, 0] == [rows[each]["head_to_head"] for each in (2, 5)]


def test_wins_and_then_lots_decide_last():
    """1 has a win and a loss, 2 has two ties, against the same opponents."""
    rounds = [played(((1, 3), (1, 2)), ((2, 4), (1, 1))), played(((4, 1), (1, 2)), ((3, 2), (1, 1)))]
    rows = {row.entry: row for row in rank_entries("round_robin", [1, 2, 3, 4], rounds, SEED)}

    assert rows[1].points == rows[2].points == 2
    assert (1, 0) == (rows[1].values["wins"], rows[2].values["wins"])
    equal = [played(((1, 2), (1, 1)))]
    first, second = order("round_robin", [1, 2], equal)
    other_seed = next(
        seed for seed in "0123456789" if rank_entries("round_robin", [1, 2], equal, seed)[0].entry == second
    )
    assert [second, first] == [row.entry for row in rank_entries("round_robin", [1, 2], equal, other_seed)]


def test_a_shared_first_place_is_no_win():
    rows = rank_entries("round_robin", [1, 2, 3], [played(((1, 2, 3), (1, 1, 3)))], SEED)

    assert {1: 0, 2: 0, 3: 0} == {row.entry: row.values["wins"] for row in rows}


def test_buchholz_counts_all_opponents_of_a_swiss_tournament():
    rounds = [played(((1, 2), (1, 2)), ((3, 4), (1, 2))), played(((1, 3), (1, 2)), ((2, 4), (1, 2)))]
    rows = {row.entry: row.values for row in rank_entries("swiss", [1, 2, 3, 4], rounds, SEED)}

    assert {1: 4, 2: 4, 3: 4, 4: 4} == {entry: values["buchholz"] for entry, values in rows.items()}
    assert {1: 8, 2: 0, 3: 0, 4: 0} == {entry: values["sonneborn_berger"] for entry, values in rows.items()}


def test_byes_give_their_points_and_tables_without_result_none():
    rounds = [played(((1, 2), None), byes=(3,)), played(((1, 3), ()), byes=(2,))]
    rows = {row.entry: row for row in rank_entries("swiss", [1, 2, 3], rounds, SEED, bye_points=2)}

    assert {1: 0, 2: 2, 3: 2} == {entry: row.points for entry, row in rows.items()}
    assert {1: 1, 2: 0, 3: 1} == {entry: row.played for entry, row in rows.items()}
    assert {1: 0, 2: 1, 3: 1} == {entry: row.byes for entry, row in rows.items()}


def test_the_last_table_decides_in_an_elimination():
    rounds = [played(((1, 2), (1, 2)), ((3, 4), (2, 1))), played(((1, 4), (2, 1)))]

    assert [4, 1] == order("elimination", [1, 2, 3, 4], rounds)[:2]


def test_every_order_ends_with_lots_and_has_head_to_head():
    assert all(names[-1] == "lot" and "head_to_head" in names for names in TIE_BREAKS.values())


def test_crosstable_adds_points_and_shows_who_has_not_met():
    rounds = [played(((1, 2), (1, 2))), played(((2, 1), (1, 1)), ((3, 4), None))]

    assert [[None, 3, None], [1, None, None], [None, None, None]] == count_cross_points([1, 2, 3], rounds)
