"""Registration, withdrawal and substitutes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain.kernel.terms import PlayerId
from domain.tournaments.life import BEFORE_START, OVER, Tournament
from domain.tournaments.rules import TournamentEntry

MOST_RESERVES = 64


class EntriesClosed(Exception):
    """The tournament accepts no entry. The message says why."""


def enter(
    tournament: Tournament, player_id: PlayerId, entropy: str, rating: float, now: int
) -> tuple[TournamentEntry, ...]:
    """The entries with that of a player who has none. If all places are taken, it is a reserve. Raises `EntriesClosed`."""
    settings, entries, begun = tournament.settings, tournament.entries, len(tournament.rounds)
    added = TournamentEntry(rating=rating, holders=((1, player_id),), entropy=entropy, registered_at=now)
    if tournament.state == "announced":
        raise EntriesClosed("Registration has not opened.")
    if tournament.state in OVER:
        raise EntriesClosed("The tournament is over.")
    if tournament.state == "running" and settings.format == "elimination":
        raise EntriesClosed("The tournament has started, and it takes no substitutes.")
    number = 1 + max((each.number for each in entries), default=0)
    if tournament.state == "running" and number <= settings.places and begun <= settings.late_rounds:
        return (*entries, replace(added, number=number, first=begun + 1, holders=((begun + 1, player_id),)))
    if sum(each.is_reserve for each in entries) >= MOST_RESERVES:
        raise EntriesClosed("All places are taken, and so are those of the reserves.")
    return _fill(tournament, (*entries, replace(added, is_reserve=True)))


def withdraw(tournament: Tournament, entry: TournamentEntry) -> tuple[TournamentEntry, ...]:
    """The entries without this one. A reserve gets the place."""
    others = tuple(each for each in tournament.entries if each != entry)
    if entry.is_reserve:
        return others
    if tournament.state in BEFORE_START:
        return _fill(tournament, others)
    left = replace(entry, last=len(tournament.rounds))
    return _fill(tournament, tuple(left if each == entry else each for each in tournament.entries))


def number_entries(tournament: Tournament) -> tuple[TournamentEntry, ...]:
    """The entries with their numbers at the start."""
    numbers = iter(range(1, len(tournament.entries) + 1))
    return tuple(each if each.is_reserve else replace(each, number=next(numbers)) for each in tournament.entries)


def _fill(tournament: Tournament, entries: Sequence[TournamentEntry]) -> tuple[TournamentEntry, ...]:
    """The entries after reserves, the longest waiting first, have got the places that are free."""
    waiting = sorted((each for each in entries if each.is_reserve), key=lambda each: each.registered_at)
    if tournament.state in BEFORE_START:
        free = tournament.settings.places - sum(not each.is_reserve for each in entries)
        admitted = waiting[: max(0, free)]
        return tuple(replace(each, is_reserve=False) if each in admitted else each for each in entries)
    first, filled = len(tournament.rounds) + 1, list(entries)
    for entry in entries if tournament.settings.format != "elimination" else ():
        if entry.last == first - 1 and waiting:  # nothing would show the rounds that it missed
            reserve = waiting.pop(0)
            filled.remove(reserve)
            played = (each for each in entry.holders if each[0] < first)
            holders = (*played, (first, reserve.player))
            taken_over = replace(entry, holders=holders, entropy=reserve.entropy, last=None)
            filled[filled.index(entry)] = taken_over
    return tuple(filled)
