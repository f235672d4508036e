"""How far a schedule is from one in which all entries meet equally often and have each seat equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from domain.tournaments.rules import ScheduleBalance
from domain.tournaments.schedule import count_meetings
from domain.tournaments.seating import count_seats


def measure_balance(groups: Sequence[Sequence[Sequence[int]]], seats: int) -> ScheduleBalance:
    """The balance of the tables of these groups, each table with its entries by seat. At least one group has a table."""
    meetings, games, differences = list[int](), list[int](), list[int]()
    for tables in groups:
        members = sorted({entry for table in tables for entry in table})
        met, had = count_meetings(tables), count_seats(tables)
        played = Counter(entry for table in tables for entry in table)
        meetings += [met[frozenset(pair)] for pair in combinations(members, 2)]
        games += [played[entry] for entry in members]
        for entry in members:
            counts = [had[entry, seat] for seat in range(1, seats + 1)]
            differences.append(max(counts) - min(counts))
    return ScheduleBalance(min(meetings), max(meetings), min(games), max(games), max(differences))
