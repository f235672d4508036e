"""Plays tournaments without games: the places at each table come from a function."""

from __future__ import annotations

from dataclasses import replace

from domain.tournaments.pairing import next_round
from domain.tournaments.rules import TournamentEntry

SEED = "5eed" * 16


def lowest_wins(table):
    """The entry with the lowest number wins, the next one is second, and so on."""
    order = sorted(table)
    return tuple(1 + order.index(entry) for entry in table)


def highest_wins(table):
    """The same the other way around."""
    order = sorted(table, reverse=True)
    return tuple(1 + order.index(entry) for entry in table)


def finished(round_, places=lowest_wins):
    """The round after all its games."""
    tables = (
        table if table.ranks is not None else replace(table, ranks=places(table.entries)) for table in round_.tables
    )
    return replace(round_, tables=tuple(tables))


def entries_of(count):
    return [TournamentEntry(number) for number in range(1, count + 1)]


def play(rules, entries, places=lowest_wins, seed=SEED, most=200):
    """All rounds of a tournament."""
    rounds = []
    while (found := next_round(rules, seed, entries, rounds)) is not None:
        assert found != "wait"
        assert len(rounds) < most
        rounds.append(finished(found, places))
    return rounds


def tables_of(rounds):
    return [table.entries for each in rounds for table in each.tables]
