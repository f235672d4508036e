"""Who sits in which seat: every entry plays each seat equally often, as far as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

SWEEPS = 5
"""Most passes over a schedule that try to improve it."""

SeatCounts = Counter[tuple[int, int]]
"""How often an entry has had a seat, by entry and seat."""


def count_seats(tables: Iterable[Sequence[int]]) -> SeatCounts:
    return Counter((entry, seat) for table in tables for seat, entry in enumerate(table, 1))


def seat_table(table: Sequence[int], counts: SeatCounts) -> tuple[int, ...]:
    """The entries of a table by seat: in the seats that they had least often. Ties keep the given order."""
    return min(permutations(table), key=lambda order: sum(counts[entry, seat] for seat, entry in enumerate(order, 1)))


def seat_tables(tables: Iterable[Sequence[int]], counts: SeatCounts) -> list[tuple[int, ...]]:
    """The same for several tables, one after the other. Counts them too."""
    seated = []
    for table in tables:
        order = seat_table(table, counts)
        counts.update(count_seats([order]))
        seated.append(order)
    return seated


def seat_schedule(rounds: Sequence[Sequence[Sequence[int]]]) -> list[list[tuple[int, ...]]]:
    """The same for all rounds of a schedule. Improves the first choice as long as that helps."""
    counts: SeatCounts = Counter()
    seated = [seat_tables(tables, counts) for tables in rounds]
    for _ in range(SWEEPS):
        changed = False
        for tables in seated:
            for place, table in enumerate(tables):
                counts.subtract(count_seats([table]))
                better = seat_table(table, counts)
                counts.update(count_seats([better]))
                if better != table:
                    tables[place], changed = better, True
        if not changed:
            break
    return seated
