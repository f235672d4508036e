"""The next round of a tournament, from its rules, its seed, its entries and the rounds before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from domain.tournaments.arranging import arrange
from domain.tournaments.balance import measure_balance
from domain.tournaments.lots import draw_lots
from domain.tournaments.results import walkover_ranks
from domain.tournaments.rules import (
    ScheduleBalance,
    TournamentEntry,
    TournamentRound,
    TournamentRules,
    TournamentTable,
)
from domain.tournaments.schedule import ScheduledRound, count_meetings, schedule
from domain.tournaments.seating import SeatCounts, count_seats, seat_tables
from domain.tournaments.standings import StandingsRow, rank_entries

REMATCH = 1_000_000
"""Cost of a pair that has met, in a Swiss tournament: more than any difference of points."""

STARTS = 12
"""Orders from which the pairing of a Swiss round is sought."""

LARGEST_DIFFERENCE = 900
"""Difference of points above which the cost of a pair does not grow."""


@dataclass(frozen=True, slots=True)
class StandingsSection:
    """The standings of a group or division in one stage."""

    stage: int
    group: int
    rows: tuple[StandingsRow, ...]


def next_round(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound]
) -> TournamentRound | Literal["wait"] | None:
    """The round after these. ``wait`` if it depends on a game that is not over; None if there is none.

    The seed is hex digits. A table without a game, because an entry was withdrawn, has its result already.
    """
    if rules.format == "swiss":
        return _pair_swiss(rules, seed, entries, rounds)
    if rules.format == "elimination":
        return _pair_elimination(rules, seed, entries, rounds)
    return _next_scheduled(rules, seed, entries, rounds)


def build_standings(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound]
) -> list[StandingsSection]:
    """The standings of each group of each stage that has begun, the newest stage first."""
    if rules.format == "swiss":  # it has late entries
        members = [each.number for each in entries if each.first <= max(1, len(rounds))]
        rows = rank_entries(rules.format, members, rounds, seed, bye_points(rules))
        return [StandingsSection(1, 1, tuple(rows))]
    return [
        StandingsSection(stage, group, tuple(_rank_stage(rules, seed, members, rounds, stage)))
        for stage in range(max((each.stage for each in rounds), default=1), 0, -1)
        for group, members in enumerate(_groups(rules, seed, entries, rounds, stage), 1)
    ]


def bye_points(rules: TournamentRules) -> int:
    """The points for a bye: in a Swiss tournament those of a win, otherwise those of a tie with everyone.

    With two seats all entries of a schedule have equally many byes, which therefore give nothing.
    """
    if rules.format == "swiss":
        return 2 * (rules.seats - 1)
    return rules.seats - 1 if rules.seats > 2 else 0


def plan_stage(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound], stage: int
) -> list[list[ScheduledRound]]:
    """The schedules of the groups of a stage. Empty for formats whose rounds depend on results."""
    if rules.format in ("swiss", "elimination"):
        return []
    cycles = 2 if rules.format == "double_round_robin" else 1
    return [
        list(schedule(tuple(members), rules.seats, cycles, seed))
        for members in _groups(rules, seed, entries, rounds, stage)
    ]


def measure_round(
    rules: TournamentRules,
    seed: str,
    entries: Sequence[TournamentEntry],
    rounds: Sequence[TournamentRound],
    newest: TournamentRound,
) -> ScheduleBalance:
    """The balance of the schedule of the newest round, or of all rounds so far if there is none."""
    plan = plan_stage(rules, seed, entries, rounds, newest.stage)
    groups = [[table for each in group for table in each.tables] for group in plan if group]
    played = [table.entries for each in (*rounds, newest) for table in each.tables]
    return measure_balance(groups or [played], rules.seats)


# -- schedules ----------------------------------------------------------------------------------------------------------


def _next_scheduled(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound]
) -> TournamentRound | Literal["wait"] | None:
    stage = rounds[-1].stage if rounds else 1
    played = [each for each in rounds if each.stage == stage]
    plan = plan_stage(rules, seed, entries, rounds, stage)
    if len(played) >= max(map(len, plan), default=0):
        if stage >= (2 if rules.format == "groups" else rules.seasons):
            return None
        if not all(each.is_over for each in rounds):
            return "wait"
        stage, played = stage + 1, []
        plan = plan_stage(rules, seed, entries, rounds, stage)
        if not any(plan):
            return None
    number = len(rounds) + 1
    active = {each.number for each in entries if each.is_active(number)}
    tables, byes = [], list[int]()
    for group, each in enumerate(plan, 1):
        if len(played) >= len(each):
            continue  # a smaller group is done earlier
        scheduled = each[len(played)]
        byes += scheduled.byes
        for table in scheduled.tables:
            present = [entry in active for entry in table]
            tables.append(TournamentTable(table, group, None if all(present) else walkover_ranks(present)))
    return TournamentRound(stage, tuple(tables), tuple(byes))


def _groups(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound], stage: int
) -> list[list[int]]:
    """The members of each group of a stage, in the order of the schedule. Every game of earlier stages must be over."""
    before = [each for each in rounds if each.stage < stage]
    members = [each for each in entries if each.is_active(len(before) + 1)]
    if stage == 1:
        order = _seed_order(rules, seed, members)
        return (
            _cut(order, _count_groups(rules, order))
            if rules.format == "league"
            else _deal(order, _count_groups(rules, order))
        )
    earlier = _groups(rules, seed, entries, rounds, stage - 1)
    ranked = [[row.entry for row in _rank_stage(rules, seed, group, rounds, stage - 1)] for group in earlier]
    present = {each.number for each in members}
    if rules.format == "groups":
        # The first of all groups, then the second of all groups, and so on.
        places = range(rules.advance)
        found = [[entry for entry in group if entry in present][: rules.advance] for group in ranked]
        return [[group[place] for place in places for group in found if place < len(group)]]
    ladder = [entry for group in _promote(ranked, rules.advance) for entry in group if entry in present]
    known = {entry for group in earlier for entry in group}
    ladder += _seed_order(rules, seed, [each for each in members if each.number not in known])
    return _cut(ladder, _count_groups(rules, ladder))


def _count_groups(rules: TournamentRules, members: Sequence[int]) -> int:
    """The number of groups: fewer than wanted if one could not fill a table."""
    return max(1, min(rules.groups, len(members) // rules.seats))


def _rank_stage(
    rules: TournamentRules, seed: str, members: Sequence[int], rounds: Sequence[TournamentRound], stage: int
) -> list[StandingsRow]:
    played = [each for each in rounds if each.stage == stage]
    return rank_entries(rules.format, members, played, seed, bye_points(rules))


def _promote(divisions: Sequence[Sequence[int]], moving: int) -> list[list[int]]:
    """The divisions after the last of each have changed places with the first of the one below."""
    moved = [list(each) for each in divisions]
    for upper, (above, below) in enumerate(pairwise(divisions)):
        count = min(moving, len(above) // 2)  # no division is smaller than the one above
        if count:
            moved[upper] = [*moved[upper][:-count], *below[:count]]
            moved[upper + 1] = [*above[-count:], *moved[upper + 1][count:]]
    return moved


def _seed_order(rules: TournamentRules, seed: str, members: Sequence[TournamentEntry]) -> list[int]:
    lots = draw_lots([each.number for each in members], seed, "entries")
    if rules.seeding == "rating":
        ratings = {each.number: each.rating for each in members}
        lots.sort(key=lambda number: -ratings[number])
    return lots


def _cut(order: Sequence[int], count: int) -> list[list[int]]:
    """The order in so many parts of nearly equal size. The last ones are larger."""
    size, larger = divmod(len(order), count)
    sizes = [size + (place >= count - larger) for place in range(count)]
    return [list(order[sum(sizes[:place]) : sum(sizes[: place + 1])]) for place in range(count)]


def _deal(order: Sequence[int], count: int) -> list[list[int]]:
    """The order dealt to so many groups, back and forth, so that each gets strong and weak entries."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, entry in enumerate(order):
        row, column = divmod(place, count)
        groups[column if row % 2 == 0 else count - 1 - column].append(entry)
    return groups


# -- Swiss --------------------------------------------------------------------------------------------------------------


def _pair_swiss(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound]
) -> TournamentRound | Literal["wait"] | None:
    number = len(rounds) + 1
    active = [each.number for each in entries if each.is_active(number)]
    if number > rules.rounds or len(active) < rules.seats:
        return None
    if not all(each.is_over for each in rounds):
        return "wait"
    known = [each.number for each in entries]
    points = {row.entry: row.points for row in rank_entries("swiss", known, rounds, seed, bye_points(rules))}
    byes = Counter(entry for round_ in rounds for entry in round_.byes)
    backwards = _by_points(active, points, seed, number, 0)[::-1]
    left_out = sorted(backwards, key=lambda entry: byes[entry])[: len(active) % rules.seats]
    played = [table.entries for round_ in rounds for table in round_.tables]
    met, seats = count_meetings(played), count_seats(played)
    excess = {each: _count_excess(each, rules.seats, seats) for each in active}

    def cost(one: int, two: int) -> int:
        difference = min(abs(points[one] - points[two]), LARGEST_DIFFERENCE)
        # Two entries that both had the same seat too often cannot both get another one.
        same_seat = max(0, sum(mine * theirs for mine, theirs in zip(excess[one], excess[two], strict=True)))
        return REMATCH * met[frozenset((one, two))] + difference * difference + same_seat

    starts = [
        [entry for entry in _by_points(active, points, seed, number, start) if entry not in left_out]
        for start in range(STARTS)
    ]
    tables = seat_tables(arrange(starts, rules.seats, cost), seats)
    return TournamentRound(1, tuple(map(TournamentTable, tables)), tuple(left_out))


def _count_excess(entry: int, seats: int, counts: SeatCounts) -> list[int]:
    """By seat: how far above the average an entry has had it, times the number of seats."""
    had = [counts[entry, seat] for seat in range(1, seats + 1)]
    return [seats * each - sum(had) for each in had]


def _by_points(active: Sequence[int], points: dict[int, int], seed: str, number: int, start: int) -> list[int]:
    """The most points first, and equal ones by lot."""
    return sorted(draw_lots(active, seed, f"round {number} start {start}"), key=lambda entry: -points[entry])


# -- elimination --------------------------------------------------------------------------------------------------------


def _pair_elimination(
    rules: TournamentRules, seed: str, entries: Sequence[TournamentEntry], rounds: Sequence[TournamentRound]
) -> TournamentRound | Literal["wait"] | None:
    if not all(each.is_over for each in rounds):
        return "wait"
    number = len(rounds) + 1
    order = _seed_order(rules, seed, [each for each in entries if each.is_active(1)])
    alive = _survivors(order, rounds)
    if rounds and len(rounds[-1].tables) == 1 and not rounds[-1].byes:
        return None  # that was the final
    active = {each.number for each in entries if each.is_active(number)}
    alive = [entry for entry in alive if entry in active]
    if rounds and len(alive) < rules.seats:
        losers = [entry for entry in _losers(order, rounds[-1]) if entry in active]
        alive = [entry for entry in order if entry in {*alive, *losers[: rules.seats - len(alive)]}]
    if len(alive) < rules.seats:
        return None
    byes = Counter(entry for round_ in rounds for entry in round_.byes)
    left_out = sorted(alive, key=lambda entry: byes[entry])[: len(alive) % rules.seats]
    playing = [entry for entry in alive if entry not in left_out]
    tables = _deal(playing, len(playing) // rules.seats)
    played = [table.entries for round_ in rounds for table in round_.tables]
    seated = seat_tables(tables, count_seats(played))
    return TournamentRound(1, tuple(map(TournamentTable, seated)), tuple(left_out))


def _survivors(order: Sequence[int], rounds: Sequence[TournamentRound]) -> list[int]:
    """The entries that are still in, in the order of the start."""
    if not rounds:
        return list(order)
    last = rounds[-1]
    won = {_finishers(order, table)[0] for table in last.tables}
    return [entry for entry in order if entry in won or entry in last.byes]


def _losers(order: Sequence[int], last: TournamentRound) -> list[int]:
    """The others of a round, the best first: by place at the table, then in the order of the start."""
    behind = [
        (place, order.index(entry), entry)
        for table in last.tables
        for place, entry in enumerate(_finishers(order, table))
        if place
    ]
    return [entry for _, _, entry in sorted(behind)]


def _finishers(order: Sequence[int], table: TournamentTable) -> list[int]:
    """The entries of a table, the best first. Equal places are decided by the order of the start."""
    ranks = dict(zip(table.entries, table.ranks or (1,) * len(table.entries), strict=True))
    return sorted(table.entries, key=lambda entry: (ranks[entry], order.index(entry)))
