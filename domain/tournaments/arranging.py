"""Divides entries among tables so that the cost of all pairs at the same table is low."""

from __future__ import annotations

from collections.abc import Callable, Sequence

PairCost = Callable[[int, int], int]
"""The cost of two entries at the same table. The order of the two has no effect."""

MOST_PASSES = 30
"""Most passes over all pairs that try to improve an arrangement."""


def arrange(starts: Sequence[Sequence[int]], seats: int, cost: PairCost) -> list[list[int]]:
    """The tables with the lowest cost that exchanging two entries finds from several orders. A tie keeps the first.

    Each of ``starts`` has the same entries, a multiple of ``seats``.
    """
    known = {(one, two): cost(one, two) for one in starts[0] for two in starts[0] if one != two}
    best: list[list[int]] | None = None
    lowest = 0
    for start in starts:
        tables = [list(start[first : first + seats]) for first in range(0, len(start), seats)]
        total = _improve(tables, known)
        if best is None or total < lowest:
            best, lowest = tables, total
    assert best is not None
    return best


def _improve(tables: list[list[int]], cost: dict[tuple[int, int], int]) -> int:
    """Exchange entries of two tables as long as that lowers the cost. Returns the cost."""
    for _ in range(MOST_PASSES):
        improved = False
        for number, one in enumerate(tables):
            for two in tables[number + 1 :]:
                for i in range(len(one)):
                    for j in range(len(two)):
                        if _gain(one, i, two, j, cost) > 0:
                            one[i], two[j] = two[j], one[i]
                            improved = True
        if not improved:
            break
    return sum(cost[a, b] for table in tables for place, a in enumerate(table) for b in table[place + 1 :])


def _gain(one: list[int], i: int, two: list[int], j: int, cost: dict[tuple[int, int], int]) -> int:
    a, b = one[i], two[j]
    gain = 0
    for place, other in enumerate(one):
        if place != i:
            gain += cost[a, other] - cost[b, other]
    for place, other in enumerate(two):
        if place != j:
            gain += cost[b, other] - cost[a, other]
    return gain
