"""The rounds and standings of the public document of a tournament, as values of JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from domain.kernel.terms import GameId
from domain.tournaments.pairing import StandingsSection
from domain.tournaments.results import TableResult
from domain.tournaments.rules import Format, TournamentRound, TournamentTable
from domain.tournaments.standings import TIE_BREAKS, count_cross_points


def describe_round(number: int, about: TournamentRound, results: Mapping[GameId, TableResult]) -> dict[str, Any]:
    """A round with its number from 1. ``results`` has those of finished games."""
    return {
        "number": number,
        "stage": about.stage,
        "started_at": about.started_at,
        "byes": about.byes,
        "balance": None if about.balance is None else asdict(about.balance),
        "tables": [
            _describe_table(place, table, None if table.game is None else results.get(table.game))
            for place, table in enumerate(about.tables, 1)
        ],
    }


def _describe_table(place: int, table: TournamentTable, result: TableResult | None) -> dict[str, Any]:
    return {
        "table": place,
        "group": table.group,
        "entries": table.entries,
        "game": table.game,
        "ranks": table.ranks,
        "reason": None if result is None else result.reason,
        "head": None if result is None else result.head,
        "ended_at": None if result is None else result.at,
    }


def describe_section(section: StandingsSection, form: Format, rounds: Sequence[TournamentRound]) -> dict[str, Any]:
    """The standings of a group, from all rounds of the tournament."""
    own = [each for each in rounds if each.stage == section.stage]
    return {
        "stage": section.stage,
        "group": section.group,
        "tie_breaks": TIE_BREAKS[form],
        "rows": [
            {"place": row.place, "entry": row.entry, "played": row.played, "byes": row.byes, "values": row.values}
            for row in section.rows
        ],
        "crosstable": count_cross_points([row.entry for row in section.rows], own),
    }
