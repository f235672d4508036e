"""The changes of a tournament: those that are due, its cancellation, and withdrawals."""

from __future__ import annotations

from dataclasses import replace

from domain.kernel.terms import PlayerId
from domain.tournaments.entering import number_entries, withdraw
from domain.tournaments.life import OVER, Tournament, find_due_round, is_start_due
from domain.tournaments.rules import TournamentRound


def next_state(tournament: Tournament, now: int) -> Tournament:
    """The tournament after the next change that is due; the same if none is."""
    match tournament.state:
        case "announced" if (tournament.settings.opens_at or 0) <= now:
            return replace(tournament, state="registration")
        case "registration" if is_start_due(tournament, now):
            return start(tournament, now)
        case "running":
            due = find_due_round(tournament, now)
            if isinstance(due, TournamentRound):
                return replace(tournament, rounds=(*tournament.rounds, due))
            if due is None and not tournament.running_tables:
                return replace(tournament, state="finished", ended_at=now)
    return tournament


def start(tournament: Tournament, now: int) -> Tournament:
    """The tournament after its registration, cancelled if it has too few entries."""
    if tournament.taken < tournament.settings.entries_needed:
        return cancel(tournament, now)
    return replace(tournament, state="running", started_at=now, entries=number_entries(tournament))


def cancel(tournament: Tournament, now: int) -> Tournament:
    """The tournament after it was cancelled. Its running games continue."""
    return tournament if tournament.state in OVER else replace(tournament, state="cancelled", ended_at=now)


def without(tournament: Tournament, player_id: PlayerId) -> Tournament:
    """The tournament after a player has withdrawn. The same if they have no entry, or if it is over."""
    entry = tournament.entry_of(player_id)
    if entry is None or tournament.state in OVER:
        return tournament
    return replace(tournament, entries=withdraw(tournament, entry))
