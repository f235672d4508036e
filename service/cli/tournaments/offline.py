"""Computes a tournament again from its public document and exports of its games, and compares. Needs no service."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import orjson

from domain.registry import GAMES
from domain.table.folding import replay
from domain.tournaments.pairing import StandingsSection, build_standings, next_round
from domain.tournaments.results import TableResult, result_of
from domain.tournaments.rules import Format, Seeding, TournamentEntry, TournamentRound, TournamentRules, TournamentTable
from domain.tournaments.standings import TIE_BREAKS
from service.audit.auditor import ProgressCallback
from service.audit.batch import audit_files
from service.audit.files import read_file
from service.audit.parser import parse_outline
from service.store import typed
from service.store.reading.bodies import read_commit


class BadTournament(ValueError):
    """The document is not that of a tournament that has started. The message says why."""


class PublishedTable(msgspec.Struct, frozen=True):
    """A table in the document."""

    entries: tuple[int, ...]
    group: int
    game: str | None
    ranks: tuple[int, ...] | None
    head: str | None


class PublishedRound(msgspec.Struct, frozen=True):
    """A round in the document."""

    stage: int
    tables: tuple[PublishedTable, ...]
    byes: tuple[int, ...]


class PublishedEntry(msgspec.Struct, frozen=True):
    """An entry in the document."""

    number: int | None
    first_round: int
    last_round: int | None
    rating: float


class PublishedRow(msgspec.Struct, frozen=True):
    """A row of the standings in the document."""

    place: int
    entry: int
    values: Mapping[str, int]


class PublishedStandings(msgspec.Struct, frozen=True):
    """The standings of a group in the document."""

    stage: int
    group: int
    rows: tuple[PublishedRow, ...]


class PublishedSettings(msgspec.Struct, frozen=True):
    """The settings in the document that decide who plays whom."""

    name: str
    seats: int
    format: Format
    rounds: int = 0
    groups: int = 1
    advance: int = 1
    seasons: int = 1
    seeding: Seeding = "lot"

    @property
    def rules(self) -> TournamentRules:
        return TournamentRules(
            self.format, self.seats, self.rounds, self.groups, self.advance, self.seasons, self.seeding
        )


class PublishedTournament(msgspec.Struct, frozen=True):
    """The parts of the document that are computed again, and those that they follow from."""

    settings: PublishedSettings
    commitment: str
    seed: str | None
    entries: tuple[PublishedEntry, ...]
    rounds: tuple[PublishedRound, ...]
    standings: tuple[PublishedStandings, ...]

    @property
    def games(self) -> dict[str, PublishedTable]:
        return {table.game: table for each in self.rounds for table in each.tables if table.game}


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """The result of computing a tournament again."""

    lines: Sequence[str]
    """The computed standings as text."""
    faults: Sequence[str]
    """Everything that differs, or that cannot be checked."""
    games: int
    """Number of games whose exports were used."""


def read_published(data: bytes) -> PublishedTournament:
    """The document. Raises `BadTournament`."""
    try:
        found = typed.convert(orjson.loads(data), PublishedTournament)
    except (orjson.JSONDecodeError, msgspec.ValidationError) as error:
        raise BadTournament(f"This is not the document of a tournament: {error}.") from error
    if found.seed is None:
        raise BadTournament("The tournament has not started, so its seed is not published.")
    return found


def check_tournament(
    published: PublishedTournament,
    exports: Sequence[Path],
    *,
    jobs: int = 1,
    progress: ProgressCallback | None = None,
) -> TournamentReport:
    """Compute the rounds and standings again. Raises `OSError` for an export that cannot be read."""
    seed, faults = published.seed or "", []
    if not _is_seed_of(seed, published.commitment):
        faults.append("the seed does not match its commitment")
    results = dict(_read_results(exports, published, faults, jobs, progress))
    entries = [
        TournamentEntry(each.number, each.first_round, each.last_round, each.rating)
        for each in published.entries
        if each.number is not None
    ]
    rounds: list[TournamentRound] = []
    for number, each in enumerate(published.rounds, 1):
        rounds.append(_check_round(published, seed, entries, rounds, number, each, results, faults))
    sections = build_standings(published.settings.rules, seed, sorted(entries, key=lambda each: each.number), rounds)
    computed = [_plain(each) for each in sections]
    if computed != [msgspec.to_builtins(each) for each in published.standings]:
        faults.append("the standings are not those of the results")
    return TournamentReport(list(_texts(published, sections)), faults, len(results))


def _is_seed_of(seed: str, commitment: str) -> bool:
    try:
        return hashlib.sha256(bytes.fromhex(seed)).hexdigest() == commitment
    except ValueError:
        return False


def _read_results(
    exports: Sequence[Path],
    published: PublishedTournament,
    faults: list[str],
    jobs: int,
    progress: ProgressCallback | None,
) -> Iterable[tuple[str, TableResult]]:
    """The result of each game, from its export. Adds the faults of exports, and of games without one."""
    known, found = published.games, set[str]()
    reports = audit_files(exports, jobs=jobs, progress=progress) if exports else ()
    for path, report in zip(exports, reports, strict=True):
        if not report.is_ok:
            faults.append(f"{path.name} fails the audit: {report.divergences[0]}")
            continue
        game, result, heads = _read_export(path)
        if game not in known or game in found:
            faults.append(f"{path.name} is no game of the tournament, or was given twice")
            continue
        found.add(game)
        table = known[game]
        if table.ranks is None:
            continue  # it has ended since the document was read
        if result is None:
            faults.append(f"{path.name} is not over, but the document has a result")
        elif table.head not in heads:
            faults.append(f"{path.name} does not have the head in the document")
        else:
            yield game, result
    for game, table in known.items():
        if table.ranks is not None and game not in found:
            faults.append(f"the export of the game {game} is missing")


def _read_export(path: Path) -> tuple[str, TableResult | None, set[str]]:
    """The game of an export that was audited, its result, and the heads of all its commits."""
    export = parse_outline(read_file(path))
    heads = {export.end.head, *(line.header.previous for line in export.commits)}
    if export.seed is None:
        return export.setup.game, None, heads
    rules = GAMES[export.setup.kind]
    commits = [
        read_commit(rules, seq, line.header.at, line.header.release, line.body_bytes)
        for seq, line in enumerate(export.commits, 1)
    ]
    table = replay(rules, commits).table
    result = None if table is None else result_of(table, export.end.head, commits[-1].at)
    return export.setup.game, result, heads


def _check_round(
    published: PublishedTournament,
    seed: str,
    entries: Sequence[TournamentEntry],
    before: Sequence[TournamentRound],
    number: int,
    shown: PublishedRound,
    results: Mapping[str, TableResult],
    faults: list[str],
) -> TournamentRound:
    """The round with the results of the exports. Adds a fault if the rules pair it in another way."""
    tables = []
    for each in shown.tables:
        ranks = each.ranks
        if each.game is not None and ranks is not None:
            result = results.get(each.game)
            if result is not None and result.ranks != ranks:
                faults.append(f"the game {each.game} ended with the places {result.ranks}, not {ranks}")
            ranks = ranks if result is None else result.ranks
        tables.append(TournamentTable(each.entries, each.group, ranks))
    expected = next_round(published.settings.rules, seed, entries, before)
    is_equal = isinstance(expected, TournamentRound) and (
        [(each.entries, each.group) for each in expected.tables],
        expected.byes,
        expected.stage,
    ) == ([(each.entries, each.group) for each in tables], shown.byes, shown.stage)
    if not is_equal:
        faults.append(f"round {number} is not paired by the rules")
    return TournamentRound(shown.stage, tuple(tables), shown.byes)


def _plain(section: StandingsSection) -> dict[str, Any]:
    rows = tuple({"place": row.place, "entry": row.entry, "values": dict(row.values)} for row in section.rows)
    return {"stage": section.stage, "group": section.group, "rows": rows}


def _texts(published: PublishedTournament, sections: Sequence[StandingsSection]) -> Iterable[str]:
    names = TIE_BREAKS[published.settings.format]
    for section in sections:
        yield f"{published.settings.name}, stage {section.stage}, group {section.group}: {', '.join(names)}"
        for row in section.rows:
            yield f"{row.place:>3}. entry {row.entry:<3} {' '.join(str(row.values[name]) for name in names)}"
