"""Round robin schedules: every entry meets every other equally often, as far as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from domain.tournaments.arranging import arrange
from domain.tournaments.lots import draw_lots
from domain.tournaments.seating import seat_schedule

STARTS = 4
"""Orders from which the first arrangement of a round is sought."""

SEARCHES = 5000
"""Searches for a schedule of one entry; for more entries their square divides it."""

SWEEPS = 3
"""Passes over all rounds that try to improve a schedule."""


@dataclass(frozen=True, slots=True)
class ScheduledRound:
    """The tables of a round, each with its entries by seat, and the entries that play at none."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]


@lru_cache(maxsize=64)
def schedule(order: tuple[int, ...], seats: int, cycles: int, seed: str) -> tuple[ScheduledRound, ...]:
    """All rounds of a round robin among these entries. ``cycles`` is 2 for a double one: again, with other seats.

    Empty if there are fewer entries than seats. With two seats every pair meets once in a cycle. With more seats
    there are as many rounds as pairs need on average, and the numbers of meetings differ as little as a search finds.
    """
    if len(order) < seats:
        return ()
    rounds = _circle(order) if seats == 2 else _search(order, seats, seed)
    first = [ScheduledRound(tuple(tables), _byes(order, tables)) for tables in rounds]
    again = [
        ScheduledRound(tuple(_turned(table, cycle) for table in each.tables), each.byes)
        for cycle in range(1, cycles)
        for each in first
    ]
    return (*first, *again)


def count_meetings(tables: Sequence[Sequence[int]]) -> Counter[frozenset[int]]:
    """How often each pair of entries is at the same table."""
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


def _turned(table: tuple[int, ...], by: int) -> tuple[int, ...]:
    return (*table[by:], *table[:by])


def _byes(order: Sequence[int], tables: Sequence[Sequence[int]]) -> tuple[int, ...]:
    playing = {entry for table in tables for entry in table}
    return tuple(entry for entry in order if entry not in playing)


def _circle(order: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    """The circle method. The first seat changes so that no entry has one seat more than once too often."""
    size = len(order) + len(order) % 2
    rounds = []
    for number in range(size - 1):
        tables: list[tuple[int, ...]] = []
        for place in range(size // 2):
            one, two = (number + place) % (size - 1), (number - place) % (size - 1)
            if place == 0:
                two = size - 1
                pair = (one, two) if number % 2 == 0 else (two, one)
            else:
                pair = (one, two) if place % 2 else (two, one)
            if max(pair) < len(order):
                tables.append((order[pair[0]], order[pair[1]]))
        rounds.append(tables)
    return rounds


def _search(order: tuple[int, ...], seats: int, seed: str) -> list[list[tuple[int, ...]]]:
    """The best of several searches: more for small schedules, where they are fast."""
    attempts = [_search_once(order, seats, f"{seed} {each}") for each in range(max(1, SEARCHES // len(order) ** 2))]
    return seat_schedule(min(attempts, key=_count_squares))


def _count_squares(rounds: Sequence[Sequence[Sequence[int]]]) -> int:
    """The sum of the squares of the numbers of meetings: lowest if all are equal."""
    met = count_meetings([table for tables in rounds for table in tables])
    return sum(count * count for count in met.values())


def _search_once(order: tuple[int, ...], seats: int, seed: str) -> list[list[list[int]]]:
    tables_a_round, absent = divmod(len(order), seats)
    pairs = len(order) * (len(order) - 1)
    count = -(-pairs // (tables_a_round * seats * (seats - 1)))
    byes: Counter[int] = Counter()
    met: Counter[frozenset[int]] = Counter()
    rounds: list[list[list[int]]] = []

    def cost(one: int, two: int) -> int:
        return 2 * met[frozenset((one, two))] + 1  # what another meeting adds to the sum of squares

    for number in range(count):
        lots = draw_lots(order, seed, f"round {number}")
        left_out = sorted(lots, key=lambda entry: byes[entry])[:absent]
        byes.update(left_out)
        playing = [entry for entry in lots if entry not in left_out]
        starts = [playing, *(draw_lots(playing, seed, f"round {number} start {each}") for each in range(1, STARTS))]
        tables = arrange(starts, seats, cost)
        met.update(count_meetings(tables))
        rounds.append(tables)
    for _ in range(SWEEPS):
        for number, tables in enumerate(rounds):
            met.subtract(count_meetings(tables))
            rounds[number] = arrange([[entry for table in tables for entry in table]], seats, cost)
            met.update(count_meetings(rounds[number]))
    return rounds
