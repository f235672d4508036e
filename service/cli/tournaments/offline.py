"""Computes a tournament again from its public document and exports of its games, and compares. Needs no service."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import orjson

from domain.kernel.lifecycle import PLAYER
from domain.kernel.terms import GameId
from domain.registry import GAMES
from domain.table.folding import replay
from domain.tournaments.documents import describe_round, describe_section
from domain.tournaments.life import State, table_game_id
from domain.tournaments.pairing import StandingsSection, build_standings, measure_round, next_round
from domain.tournaments.results import TableResult, result_of
from domain.tournaments.rules import Format, Seeding, TournamentEntry, TournamentRound, TournamentRules
from domain.tournaments.standings import TIE_BREAKS
from service.audit.auditor import ProgressCallback
from service.audit.batch import audit_files
from service.audit.files import read_file
from service.audit.lines import Export
from service.audit.parser import parse_outline
from service.store import typed
from service.store.reading.bodies import read_commit

Count = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class BadTournament(ValueError):
    """The document is not that of a tournament that has started. The message says why."""


class PublishedTable(msgspec.Struct, frozen=True):
    """A table in the document."""

    entries: tuple[int, ...]
    group: int
    game: str | None
    ranks: tuple[Positive, ...] | None
    reason: str | None
    head: str | None
    ended_at: int | None


class PublishedRound(msgspec.Struct, frozen=True):
    """A round in the document."""

    started_at: int
    stage: int
    tables: tuple[PublishedTable, ...]
    byes: tuple[int, ...]


class PublishedEntry(msgspec.Struct, frozen=True):
    """An entry in the document."""

    number: Positive | None
    state: str
    first_round: Positive
    last_round: Count | None
    rating: float

    @property
    def expected_state(self) -> str:
        if self.number is None:
            return "reserve"
        return "entered" if self.last_round is None else "withdrawn"


class PublishedSettings(msgspec.Struct, frozen=True):
    """The settings in the document that games and pairings follow from."""

    name: str
    kind: str
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    format: Format
    seats: Annotated[int, msgspec.Meta(ge=2, le=6)]
    rounds: Count = 0
    groups: Positive = 1
    advance: Count = 1
    seasons: Positive = 1
    seeding: Seeding = "lot"

    @property
    def rules(self) -> TournamentRules:
        return TournamentRules(
            self.format, self.seats, self.rounds, self.groups, self.advance, self.seasons, self.seeding
        )


class PublishedTournament(msgspec.Struct, frozen=True):
    """The parts of the document that the others follow from."""

    state: State
    settings: PublishedSettings
    commitment: str
    seed: str | None
    entered: int
    round: int
    entries: tuple[PublishedEntry, ...]
    rounds: tuple[PublishedRound, ...]
    standings: tuple[Any, ...]

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


def read_published(data: bytes) -> tuple[PublishedTournament, dict[str, Any]]:
    """The document, typed and as JSON. Raises `BadTournament`."""
    try:
        document = orjson.loads(data)
        found = typed.convert(document, PublishedTournament)
    except (orjson.JSONDecodeError, msgspec.ValidationError) as error:
        raise BadTournament(f"This is not the document of a tournament: {error}.") from error
    if found.seed is None:
        raise BadTournament("The tournament has not started, so its seed is not published.")
    numbers = [each.number for each in found.entries if each.number is not None]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        raise BadTournament("This is not the document of a tournament: the entries are not numbered 1, 2, 3 and so on.")
    return found, document


def check_tournament(
    published: PublishedTournament,
    document: Mapping[str, Any],
    exports: Sequence[Path],
    *,
    jobs: int = 1,
    progress: ProgressCallback | None = None,
) -> TournamentReport:
    """Compute the rounds and standings again. Raises `OSError` for an export that cannot be read."""
    seed, rules = published.seed or "", published.settings.rules
    faults = list(_check_summary(published))
    exported = dict(_read_results(exports, published, faults, jobs, progress))
    entries = [
        TournamentEntry(each.number, each.first_round, each.last_round, each.rating)
        for each in sorted(published.entries, key=lambda each: each.number or 0)
        if each.number is not None
    ]
    results = {**_unproven(published, exported), **exported}
    rounds: list[TournamentRound] = []
    for number, (shown, shown_document) in enumerate(zip(published.rounds, document["rounds"], strict=True), 1):
        expected = next_round(rules, seed, entries, rounds)
        if not isinstance(expected, TournamentRound):
            faults.append(f"round {number} is not paired by the rules: it cannot begin yet, or there is none")
            break
        balance = measure_round(rules, seed, entries, rounds, expected)
        rounds.append(
            _with_results(replace(expected, started_at=shown.started_at, balance=balance), seed, number, results)
        )
        computed = _as_json(describe_round(number, rounds[-1], results))
        faults += _compare_rounds(number, shown_document, computed)
    is_over = all(each.is_over for each in rounds) and next_round(rules, seed, entries, rounds) is None
    if published.state == "finished" and not is_over:
        faults.append("the tournament is not over: a game or a round is missing")
    sections = build_standings(rules, seed, entries, rounds)
    if _as_json([describe_section(each, rules.format, rounds) for each in sections]) != document["standings"]:
        faults.append("the standings are not those of the results")
    return TournamentReport(list(_texts(published, sections)), faults, len(exported))


def _as_json(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value))


def _check_summary(published: PublishedTournament) -> Iterator[str]:
    """The faults of the parts that follow from other parts without a game."""
    if not _is_seed_of(published.seed or "", published.commitment):
        yield "the seed does not match its commitment"
    if published.state not in ("running", "finished", "cancelled"):
        yield f"the state is {published.state}, but the seed is published"
    if published.round != len(published.rounds):
        yield f"round is {published.round}, not {len(published.rounds)}"
    entered = sum(each.expected_state == "entered" for each in published.entries)
    if published.entered != entered:
        yield f"entered is {published.entered}, not {entered}"
    for each in published.entries:
        if each.state != each.expected_state:
            yield f"entry {each.number}: state is {each.state}, not {each.expected_state}"


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
) -> Iterable[tuple[GameId, TableResult]]:
    """The result of each finished game, from its export. Adds the faults of exports, and of games without one."""
    known, found = published.games, set[str]()
    reports = audit_files(exports, jobs=jobs, progress=progress) if exports else ()
    for path, report in zip(exports, reports, strict=True):
        if not report.is_ok:
            faults.append(f"{path.name} fails the audit: {report.divergences[0]}")
            continue
        export = parse_outline(read_file(path))
        game: str = export.setup.game
        if game not in known or game in found:
            faults.append(f"{path.name} is no game of the tournament, or was given twice")
            continue
        found.add(game)
        if other := list(_compare_setup(export, published)):
            faults.append(f"{path.name} is a game with other settings than the tournament: {', '.join(other)}")
            continue
        result, head = _read_result(export, known[game].head), known[game].head
        if result is None and known[game].ranks is not None:
            has_ended = _read_result(export, None) is not None
            reason = (
                "does not have the head in the document" if has_ended else "is not over, but the document has a result"
            )
            faults.append(f"{path.name} {reason}")
        elif result is not None:
            if head is None:
                faults.append(f"{path.name} is over, but the document has no result: it is older, or wrong")
            yield GameId(game), result
    for game, table in known.items():
        if table.ranks is not None and game not in found:
            faults.append(f"the export of the game {game} is missing")


def _compare_setup(export: Export, published: PublishedTournament) -> Iterator[str]:
    """The settings of the game that are not those of the tournament."""
    setup, settings = export.setup, published.settings
    for name in ("kind", "ruleset", "options", "modules", "pace"):
        if _as_json(getattr(setup, name)) != _as_json(getattr(settings, name)):
            yield name
    if list(setup.controllers) != [PLAYER] * settings.seats:
        yield "number of players"


def _read_result(export: Export, head: str | None) -> TableResult | None:
    """The result of the game when it had this head; None: its newest head. None if it had no such head, or was not over."""
    heads = [*(line.header.previous for line in export.commits[1:]), export.end.head]
    if export.seed is None or (head is not None and head not in heads):
        return None
    count = len(heads) if head is None else heads.index(head) + 1
    rules = GAMES[export.setup.kind]
    commits = [
        read_commit(rules, seq, line.header.at, line.header.release, line.body_bytes)
        for seq, line in enumerate(export.commits[:count], 1)
    ]
    return result_of(replay(rules, commits).table, heads[count - 1], commits[-1].at)


def _unproven(published: PublishedTournament, exported: Mapping[GameId, TableResult]) -> dict[GameId, TableResult]:
    """The results in the document of games without an export, so that later rounds can still be compared."""
    seats = published.settings.seats
    return {
        GameId(game): TableResult(table.ranks, table.reason or "", table.head or "", table.ended_at or 0)
        for game, table in published.games.items()
        if game not in exported and table.ranks is not None and len(table.ranks) in (0, seats)
    }


def _with_results(
    about: TournamentRound, seed: str, number: int, results: Mapping[GameId, TableResult]
) -> TournamentRound:
    """The round with its games and their results."""
    tables = list(about.tables)
    for place, table in enumerate(about.tables, 1):
        if table.ranks is None:
            game = table_game_id(seed, number, place)
            tables[place - 1] = replace(table, game=game, ranks=results[game].ranks if game in results else None)
    return replace(about, tables=tuple(tables))


def _compare_rounds(number: int, shown: Mapping[str, Any], computed: Mapping[str, Any]) -> Iterator[str]:
    """The differences between a round in the document and the computed one."""
    pairings = [
        (each["stage"], each["byes"], [(table["entries"], table["group"]) for table in each["tables"]])
        for each in (shown, computed)
    ]
    if pairings[0] != pairings[1]:
        yield f"round {number} is not paired by the rules"
        return
    for name in ("number", "balance"):
        if shown.get(name) != computed[name]:
            yield f"round {number}: {name} is {shown.get(name)}, not {computed[name]}"
    for one, other in zip(shown["tables"], computed["tables"], strict=True):
        for name, value in other.items():
            if one.get(name) != value:
                yield f"round {number}, table {other['table']}: {name} is {one.get(name)}, not {value}"


def _texts(published: PublishedTournament, sections: Sequence[StandingsSection]) -> Iterable[str]:
    names = TIE_BREAKS[published.settings.format]
    for section in sections:
        yield f"{published.settings.name}, stage {section.stage}, group {section.group}: {', '.join(names)}"
        for row in section.rows:
            yield f"{row.place:>3}. entry {row.entry:<3} {' '.join(str(row.values[name]) for name in names)}"
