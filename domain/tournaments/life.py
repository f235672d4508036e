"""The life of a tournament: its settings and state, and what is due at an instant."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from domain.kernel.terms import DAY, GameId, PlayerId
from domain.tournaments.pairing import measure_round, next_round
from domain.tournaments.rules import (
    Format,
    Seeding,
    TournamentEntry,
    TournamentRound,
    TournamentRules,
    TournamentTable,
)

State = Literal["announced", "registration", "running", "finished", "cancelled"]
STATES: tuple[State, ...] = ("announced", "registration", "running", "finished", "cancelled")
BEFORE_START: tuple[State, ...] = ("announced", "registration")
OVER: tuple[State, ...] = ("finished", "cancelled")

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """What the organizer has decided. It never changes."""

    name: str
    kind: str
    seats: int
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    table: Mapping[str, Any]
    visibility: Literal["public", "unlisted"]
    format: Format
    places: int
    """Most entries."""
    text: str = ""
    rounds: int = 0
    groups: int = 1
    advance: int = 1
    seasons: int = 1
    seeding: Seeding = "lot"
    min_entries: int = 2
    """With fewer entries at the start the tournament is cancelled."""
    opens_at: int | None = None
    """When registration opens; None: at once."""
    starts_at: int | None = None
    """When it starts; None: when the organizer starts it, or when it is full."""
    start_when_full: bool = False
    round_start: Literal["when_over", "calendar"] = "when_over"
    round_days: int = 0
    """Days from the start of a round to that of the next one, for ``calendar``."""
    late_rounds: int = 0
    """Rounds that may have begun when a new entry is accepted."""
    min_reliability: int = 0
    min_rating: int | None = None
    max_rating: int | None = None

    @property
    def rules(self) -> TournamentRules:
        return TournamentRules(
            self.format, self.seats, self.rounds, self.groups, self.advance, self.seasons, self.seeding
        )

    @property
    def entries_needed(self) -> int:
        return max(self.min_entries, self.seats)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament at one moment."""

    id: str
    organizer: PlayerId
    created_at: int
    settings: TournamentSettings
    state: State
    seed: str
    """64 hex digits. Secret until the start."""
    entries: tuple[TournamentEntry, ...] = ()
    rounds: tuple[TournamentRound, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None

    @property
    def commitment(self) -> str:
        """SHA-256 of the seed, hex."""
        return hashlib.sha256(bytes.fromhex(self.seed)).hexdigest()

    @property
    def numbered(self) -> list[TournamentEntry]:
        """The entries with a number, by number."""
        return sorted((each for each in self.entries if each.number), key=lambda each: each.number)

    @property
    def taken(self) -> int:
        """Number of places that are taken."""
        return sum(not each.is_reserve and not each.is_withdrawn for each in self.entries)

    @property
    def running_tables(self) -> list[tuple[int, int, TournamentTable]]:
        """The tables without a result, each with the numbers of its round and table."""
        return [
            (number, place, table)
            for number, each in enumerate(self.rounds, 1)
            for place, table in enumerate(each.tables, 1)
            if table.ranks is None
        ]

    def entry_of(self, player_id: PlayerId) -> TournamentEntry | None:
        """The player's entry that was not withdrawn."""
        return next((each for each in self.entries if each.player == player_id and not each.is_withdrawn), None)


def with_results(tournament: Tournament, results: Mapping[GameId, tuple[int, ...]]) -> Tournament:
    """The tournament with the places at tables whose games are over."""
    rounds = tuple(
        replace(
            each,
            tables=tuple(
                replace(table, ranks=results[table.game]) if table.game is not None and table.game in results else table
                for table in each.tables
            ),
        )
        for each in tournament.rounds
    )
    return replace(tournament, rounds=rounds)


def is_start_due(tournament: Tournament, now: int) -> bool:
    """Whether registration must end now."""
    settings = tournament.settings
    is_late = settings.starts_at is not None and settings.starts_at <= now
    return is_late or (settings.start_when_full and tournament.taken >= settings.places)


def find_due_round(tournament: Tournament, now: int) -> TournamentRound | Literal["wait"] | None:
    """The round that must begin now, with the ids of its games. ``wait`` if none must; None if none is left."""
    rules, number = tournament.settings.rules, len(tournament.rounds) + 1
    found = next_round(rules, tournament.seed, tournament.numbered, tournament.rounds)
    if not isinstance(found, TournamentRound):
        return found
    if not _is_round_due(tournament, now):
        return "wait"
    tables = tuple(
        table if table.ranks is not None else replace(table, game=table_game_id(tournament.seed, number, place))
        for place, table in enumerate(found.tables, 1)
    )
    return replace(
        found,
        tables=tables,
        started_at=now,
        balance=measure_round(
            tournament.settings.rules, tournament.seed, tournament.numbered, tournament.rounds, found
        ),
    )


def name_game(tournament: Tournament, number: int, table: int) -> str:
    """The title of a game."""
    return f"{tournament.settings.name}, round {number}, table {table}"


def table_game_id(seed: str, number: int, table: int) -> GameId:
    """The id of the game of a table: the same in every process."""
    digest = hashlib.sha256(f"{seed} game {number} {table}".encode()).digest()
    return GameId("g" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:16]))


def _is_round_due(tournament: Tournament, now: int) -> bool:
    settings = tournament.settings
    if settings.round_start == "calendar":
        return now >= (tournament.started_at or 0) + len(tournament.rounds) * settings.round_days * DAY
    return not tournament.running_tables
