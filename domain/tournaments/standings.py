"""Standings: points, and the tie-breaks that decide between equal points."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from domain.tournaments.lots import draw_lots
from domain.tournaments.results import count_points
from domain.tournaments.rules import Format, TournamentRound, TournamentTable

TIE_BREAKS: Mapping[Format, tuple[str, ...]] = {
    "round_robin": ("points", "sonneborn_berger", "head_to_head", "wins", "lot"),
    "double_round_robin": ("points", "sonneborn_berger", "head_to_head", "wins", "lot"),
    "groups": ("points", "sonneborn_berger", "head_to_head", "wins", "lot"),
    "league": ("points", "sonneborn_berger", "head_to_head", "wins", "lot"),
    "swiss": ("points", "buchholz", "sonneborn_berger", "head_to_head", "wins", "lot"),
    "elimination": ("reached", "placed", "points", "sonneborn_berger", "head_to_head", "wins", "lot"),
}
"""What decides the order of the standings, the most important first. Higher is better, except for ``placed`` and ``lot``."""

_LOWER_IS_BETTER = ("placed", "lot")


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """An entry in the standings of its group."""

    place: int
    """1 for the first. No two entries have the same."""
    entry: int
    played: int
    """Number of tables with a result, those without a game included."""
    byes: int
    values: Mapping[str, int]
    """The values of `TIE_BREAKS`, by name, in that order."""

    @property
    def points(self) -> int:
        return self.values["points"]


def rank_entries(
    form: Format, members: Sequence[int], rounds: Sequence[TournamentRound], seed: str, bye_points: int = 0
) -> list[StandingsRow]:
    """The standings of the members, the best first, from all tables of the rounds at which only members play.

    Tables without a result do not count. A bye gives ``bye_points``.
    """
    own = set(members)
    tables = [
        each for round_ in rounds for each in round_.tables if each.ranks is not None and own.issuperset(each.entries)
    ]
    byes = Counter(entry for round_ in rounds for entry in round_.byes if entry in own)
    scored = [(table, count_points(table.ranks or ()) or (0,) * len(table.entries)) for table in tables]
    points: Counter[int] = Counter({entry: bye_points * byes[entry] for entry in members})
    wins: Counter[int] = Counter()
    played: Counter[int] = Counter()
    for table, gained in scored:
        for entry, rank, more in zip(table.entries, table.ranks or (0,) * len(gained), gained, strict=True):
            points[entry] += more
            played[entry] += 1
            wins[entry] += rank == 1 and (table.ranks or ()).count(1) == 1
    sonneborn, buchholz = _weigh(tables, points)
    lots = {entry: place for place, entry in enumerate(draw_lots(members, seed, "standings"), 1)}
    reached, placed = _find_last_tables(members, rounds)
    known = {
        entry: {
            "points": points[entry],
            "buchholz": buchholz[entry],
            "sonneborn_berger": sonneborn[entry],
            "head_to_head": 0,
            "wins": wins[entry],
            "lot": lots[entry],
            "reached": reached[entry],
            "placed": placed[entry],
        }
        for entry in members
    }
    names = TIE_BREAKS[form]
    before = names[: names.index("head_to_head")]
    order = sorted(members, key=_key(known, before))
    for _, each in groupby(order, key=_key(known, before)):
        tied = list(each)
        for entry, more in _count_among(tied, scored).items():
            known[entry]["head_to_head"] = more
    order.sort(key=_key(known, names))
    return [
        StandingsRow(place, entry, played[entry], byes[entry], {name: known[entry][name] for name in names})
        for place, entry in enumerate(order, 1)
    ]


def _key(known: Mapping[int, Mapping[str, int]], names: Iterable[str]) -> Callable[[int], tuple[int, ...]]:
    listed = tuple(names)
    return lambda entry: tuple(
        known[entry][name] if name in _LOWER_IS_BETTER else -known[entry][name] for name in listed
    )


def _weigh(tables: Sequence[TournamentTable], points: Mapping[int, int]) -> tuple[Counter[int], Counter[int]]:
    """Sonneborn-Berger: twice the points of those who were beaten, and the points of equals. Buchholz: those of all opponents."""
    sonneborn: Counter[int] = Counter()
    buchholz: Counter[int] = Counter()
    for table in tables:
        ranks = table.ranks or ()
        for place, entry in enumerate(table.entries):
            for other_place, other in enumerate(table.entries):
                if place == other_place:
                    continue
                buchholz[entry] += points[other]
                if ranks:
                    sonneborn[entry] += points[other] * (
                        2 * (ranks[place] < ranks[other_place]) + (ranks[place] == ranks[other_place])
                    )
    return sonneborn, buchholz


def _count_among(tied: Sequence[int], scored: Sequence[tuple[TournamentTable, tuple[int, ...]]]) -> Counter[int]:
    """The points that these entries have won against each other."""
    found: Counter[int] = Counter()
    if len(tied) == 1:
        return found
    own = set(tied)
    for table, _ in scored:
        among = [(entry, rank) for entry, rank in zip(table.entries, table.ranks or (), strict=False) if entry in own]
        for (entry, _), more in zip(among, count_points(tuple(rank for _, rank in among)), strict=True):
            found[entry] += more
    return found


def _find_last_tables(members: Sequence[int], rounds: Sequence[TournamentRound]) -> tuple[Counter[int], dict[int, int]]:
    """The last round for which each member was paired or had a bye, and its place at its table there, 1 without one."""
    reached: Counter[int] = Counter()
    placed = dict.fromkeys(members, 1)
    for number, round_ in enumerate(rounds, 1):
        for entry in round_.byes:
            reached[entry], placed[entry] = number, 1
        for table in round_.tables:
            for entry, rank in zip(table.entries, table.ranks or (1,) * len(table.entries), strict=True):
                reached[entry], placed[entry] = number, rank
    return reached, placed


def count_cross_points(order: Sequence[int], rounds: Sequence[TournamentRound]) -> list[list[int | None]]:
    """The crosstable: the points of the entry of each row against that of each column; None if they have no result."""
    own = {entry: place for place, entry in enumerate(order)}
    cells: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for table in (each for round_ in rounds for each in round_.tables):
        if table.ranks is None or not own.keys() >= set(table.entries):
            continue
        for one, rank in zip(table.entries, table.ranks or (0,) * len(table.entries), strict=True):
            for other, its in zip(table.entries, table.ranks or (0,) * len(table.entries), strict=True):
                if one != other:
                    gained = 2 * (rank < its) + (rank == its) if table.ranks else 0
                    cells[own[one], own[other]].append(gained)
    size = range(len(order))
    return [[sum(cells[row, column]) if (row, column) in cells else None for column in size] for row in size]
