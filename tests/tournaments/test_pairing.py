"""The rounds of all formats, from rules, seed, entries and results."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.tournaments.pairing import build_standings, next_round, plan_stage
from domain.tournaments.rules import TournamentEntry, TournamentRules
from domain.tournaments.schedule import count_meetings
from domain.tournaments.seating import count_seats
from tests.tournaments.playing import SEED, entries_of, finished, highest_wins, play, tables_of

SWISS = TournamentRules("swiss", 2, rounds=5)
LEAGUE = TournamentRules("league", 2, groups=3, advance=1, seasons=2)
GROUPS = TournamentRules("groups", 2, groups=4, advance=2)
CUP = TournamentRules("elimination", 2)


def standings(rules, entries, rounds):
    return {
        (each.stage, each.group): [row.entry for row in each.rows]
        for each in build_standings(rules, SEED, entries, rounds)
    }


# -- for all formats ----------------------------------------------------------------------------------------------------


@st.composite
def tournaments(draw):
    seats = draw(st.integers(2, 4))
    form = draw(st.sampled_from(["round_robin", "double_round_robin", "groups", "swiss", "elimination", "league"]))
    groups = draw(st.integers(2, 3)) if form in ("groups", "league") else 1
    rules = TournamentRules(
        form, seats, draw(st.integers(1, 4)), groups, draw(st.integers(1, 3)), draw(st.integers(1, 2))
    )
    return rules, draw(st.integers(seats, 13)), draw(st.randoms(use_true_random=False))


@settings(max_examples=60)
@given(tournaments())
def test_every_round_has_each_entry_at_one_table_at_most(made):
    rules, count, random = made
    entries = entries_of(count)
    rounds = play(rules, entries, lambda table: tuple(random.choice([1, 2, 3]) for _ in table))

    assert rounds
    for each in rounds:
        seen = [entry for table in each.tables for entry in table.entries] + list(each.byes)
        assert len(seen) == len(set(seen))
        assert set(seen) <= set(range(1, count + 1))
        assert all(len(table.entries) == rules.seats for table in each.tables)
    for section in build_standings(rules, SEED, entries, rounds):
        assert [*range(1, len(section.rows) + 1)] == [row.place for row in section.rows]


@pytest.mark.parametrize("rules", [SWISS, LEAGUE, GROUPS, CUP], ids=lambda each: each.format)
def test_pairings_follow_from_the_seed(rules):
    entries = entries_of(16)

    assert play(rules, entries) == play(rules, entries)
    assert tables_of(play(rules, entries)) != tables_of(play(rules, entries, seed="ab" * 32))


@pytest.mark.parametrize("rules", [SWISS, CUP], ids=lambda each: each.format)
def test_pairing_waits_for_all_games(rules):
    entries = entries_of(8)
    first = next_round(rules, SEED, entries, [])

    assert "wait" == next_round(rules, SEED, entries, [first])
    assert "wait" != next_round(rules, SEED, entries, [finished(first)])


# -- Swiss --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "rounds"), [(24, 8), (25, 7), (10, 5), (6, 3)])
def test_swiss_has_no_rematch_and_balanced_seats(count, rounds):
    played = play(replace(SWISS, rounds=rounds), entries_of(count))
    seats = count_seats(tables_of(played))

    assert rounds == len(played)
    assert 1 == max(count_meetings(tables_of(played)).values())
    assert all(abs(seats[entry, 1] - seats[entry, 2]) <= 2 for entry in range(1, count + 1))


def test_swiss_gives_a_bye_to_the_last_one_and_to_no_one_twice():
    played = play(replace(SWISS, rounds=7), entries_of(9))
    byes = [entry for each in played for entry in each.byes]

    assert 7 == len(set(byes)) == len(byes)
    assert byes[1] in {max(table) for table in tables_of(played[:1])}


def test_swiss_pairs_equal_points():
    played = play(SWISS, entries_of(16))
    second = played[1]

    winners = {min(table) for table in tables_of(played[:1])}
    assert all(len(winners.intersection(table.entries)) in (0, 2) for table in second.tables)


def test_swiss_of_four_seats_leaves_out_as_few_as_possible():
    played = play(TournamentRules("swiss", 4, rounds=4), entries_of(18))

    assert all((4, 2) == (len(each.tables), len(each.byes)) for each in played)
    assert 8 == len({entry for each in played for entry in each.byes})


def test_late_and_withdrawn_entries_are_paired_only_in_their_rounds():
    entries = [*entries_of(7), TournamentEntry(8, first=3)]
    entries[0] = replace(entries[0], last=2)
    played = play(SWISS, entries)
    seen = [{entry for table in tables_of([each]) for entry in table} | set(each.byes) for each in played]

    assert [False, False, True, True, True] == [8 in each for each in seen]
    assert [True, True, False, False, False] == [1 in each for each in seen]


def test_swiss_ends_early_with_too_few_entries():
    entries = [TournamentEntry(1), TournamentEntry(2, last=1)]

    assert 1 == len(play(SWISS, entries))


# -- elimination --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "seats", "expected"),
    [
        (16, 2, [(8, 0), (4, 0), (2, 0), (1, 0)]),
        (11, 2, [(5, 1), (3, 0), (1, 1), (1, 0)]),
        (2, 2, [(1, 0)]),
        (10, 3, [(3, 1), (1, 1), (1, 0)]),
        (20, 6, [(3, 2), (1, 0)]),
    ],
)
def test_elimination_ends_with_one_table(count, seats, expected):
    rules = replace(CUP, seats=seats)
    played = play(rules, entries_of(count))

    assert expected == [(len(each.tables), len(each.byes)) for each in played]
    assert 1 == standings(rules, entries_of(count), played)[1, 1][0]


@pytest.mark.parametrize("count", [5, 8, 11])
def test_winners_stay_in_an_elimination_and_no_one_has_two_byes(count):
    played = play(CUP, entries_of(count), highest_wins)
    byes = [entry for each in played for entry in each.byes]

    for before, after in pairwise(played):
        stay = {max(table.entries) for table in before.tables} | set(before.byes)
        assert stay == {entry for table in after.tables for entry in table.entries} | set(after.byes)
    assert len(set(byes)) == len(byes)
    assert count == standings(CUP, entries_of(count), played)[1, 1][0]


def test_no_schedule_is_known_of_rounds_that_depend_on_results():
    assert [] == plan_stage(CUP, SEED, entries_of(4), [], 1) == plan_stage(SWISS, SEED, entries_of(4), [], 1)
    assert [3] == [len(each) for each in plan_stage(replace(CUP, format="round_robin"), SEED, entries_of(4), [], 1)]


def test_a_double_round_robin_has_twice_the_rounds():
    assert 6 == len(play(replace(CUP, format="double_round_robin"), entries_of(4)))


@pytest.mark.parametrize("rules", [SWISS, LEAGUE, GROUPS, CUP], ids=lambda each: each.format)
def test_standings_before_the_first_round_have_everyone_without_points(rules):
    sections = build_standings(rules, SEED, entries_of(16), [])

    assert [*range(1, 17)] == sorted(row.entry for each in sections for row in each.rows)
    assert {(1, 0)} == {(each.stage, row.points) for each in sections for row in each.rows}


def test_the_best_losers_fill_a_final_of_more_seats():
    """Of ten entries at tables of three, three winners and a bye remain, then a winner and a bye, and one who was second."""
    played = play(replace(CUP, seats=3), entries_of(10))
    winner, second, _ = sorted(played[1].tables[0].entries)

    assert {winner, second, *played[1].byes} == set(played[2].tables[0].entries)


def test_a_tie_is_decided_by_the_order_of_the_start():
    played = play(CUP, entries_of(4), lambda table: (1,) * len(table))
    again = play(CUP, entries_of(4), lambda table: (1,) * len(table))

    assert played == again
    assert 2 == len(played)


def test_a_withdrawn_winner_is_replaced_by_the_best_loser():
    first = finished(next_round(CUP, SEED, entries_of(4), []))
    winners = {min(table.entries) for table in first.tables}
    entries = [replace(each, last=1) if each.number == min(winners) else each for each in entries_of(4)]
    second = next_round(CUP, SEED, entries, [first])

    assert max(winners) in second.tables[0].entries
    assert min(winners) not in second.tables[0].entries


# -- groups and leagues -------------------------------------------------------------------------------------------------


def test_the_best_of_each_group_play_the_final():
    entries = entries_of(17)
    played = play(GROUPS, entries)
    ranked = standings(GROUPS, entries, played)
    finalists = {entry for (stage, _), rows in ranked.items() if stage == 1 for entry in rows[:2]}

    assert [5, 4, 4, 4] == [len(ranked[1, group]) for group in (1, 2, 3, 4)]
    assert finalists == set(ranked[2, 1])
    assert [5, 7] == [sum(each.stage == stage for each in played) for stage in (1, 2)]


def test_the_final_waits_for_all_groups():
    entries, rounds = entries_of(8), []
    rules = TournamentRules("groups", 2, groups=2, advance=1)
    for _ in range(3):
        found = next_round(rules, SEED, entries, rounds)
        rounds.append(found if len(rounds) == 0 else finished(found))

    assert "wait" == next_round(rules, SEED, entries, rounds)
    assert 2 == next_round(rules, SEED, entries, [finished(rounds[0]), *rounds[1:]]).stage


def test_a_league_promotes_the_first_and_relegates_the_last():
    entries = entries_of(16)
    played = play(LEAGUE, entries)
    ranked = standings(LEAGUE, entries, played)
    top, middle, low = (ranked[1, group] for group in (1, 2, 3))

    assert [sorted(each) for each in (top, middle, low)] == [top, middle, low]
    assert [5, 5, 6] == [len(top), len(middle), len(low)]
    assert {*top[:4], middle[0]} == set(ranked[2, 1])
    assert {top[4], *middle[1:4], low[0]} == set(ranked[2, 2])
    assert {middle[4], *low[1:]} == set(ranked[2, 3])


def test_a_league_takes_late_entries_at_the_bottom_and_drops_withdrawn_ones():
    seasons = play(replace(LEAGUE, seasons=1), entries_of(16))
    entries = [*entries_of(16), TournamentEntry(17, first=3)]
    entries[4] = replace(entries[4], last=len(seasons))
    played = play(LEAGUE, entries)
    second = {
        entry: group
        for (stage, group), rows in standings(LEAGUE, entries, played).items()
        if stage == 2
        for entry in rows
    }

    assert 3 == second[17]
    assert 5 not in second
    assert [5, 5, 6] == [Counter(second.values())[group] for group in (1, 2, 3)]


def test_the_highest_ratings_start_in_the_highest_division():
    entries = [replace(each, rating=1000 + each.number) for each in entries_of(9)]
    rules = replace(LEAGUE, seeding="rating", seasons=1)

    assert {(1, 1): {7, 8, 9}, (1, 2): {4, 5, 6}, (1, 3): {1, 2, 3}} == {
        key: set(rows) for key, rows in standings(rules, entries, play(rules, entries)).items()
    }


def test_a_table_with_a_withdrawn_entry_is_not_played():
    rules = TournamentRules("round_robin", 2)
    entries = [replace(each, last=1) if each.number == 1 else each for each in entries_of(4)]
    rounds = [finished(next_round(rules, SEED, entries, []))]
    second = next_round(rules, SEED, entries, rounds)
    table = next(table for table in second.tables if 1 in table.entries)

    assert {(1, 2): 2, (2, 1): 1}[table.ranks] == table.entries.index(1) + 1
    assert [None] == [other.ranks for other in second.tables if other is not table]


def test_fewer_groups_are_formed_if_one_could_not_fill_a_table():
    entries = entries_of(5)
    rules = TournamentRules("league", 2, groups=3, advance=1)

    assert {(1, 1), (1, 2)} == set(standings(rules, entries, play(rules, entries)))
