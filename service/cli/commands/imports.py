"""``oraclewheel import``: add a finished game from its export after an audit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from domain import RELEASE
from domain.kernel.game import AnyGame
from domain.kernel.record import Position
from domain.kernel.terms import GameId, Seq
from domain.registry import GAMES
from domain.table.folding import fold
from service.audit.auditor import audit
from service.audit.files import read_file
from service.audit.lines import CommitLine, Export
from service.audit.parser import parse_export
from service.audit.report import AuditReport
from service.cli.jobs import ExportFile
from service.cli.stores.opened import opened
from service.core.positions.cache import SNAPSHOT_EVERY, Positions
from service.core.positions.rows import build_rows
from service.store.codec import decode_commit
from service.store.founding import IMPORTED
from service.store.ports.commits import BROUGHT_IN, Append, Rows
from service.store.ports.lobbies import Chair, Lobby, is_bot, valid_game
from service.store.reading.snapshots import seal_snapshot
from service.store.redis.store import Store
from service.store.seal import Sealed, head_of
from workers.followers import open_followers

BATCH = 200
LATEST = 1 << 48
"""Maximum Unix time in milliseconds that a store can hold."""

Visibility = Literal["public", "unlisted", "private"]


class NotImportable(ValueError):
    """The file or the store does not allow the import. The message says why."""


@click.command("import")
@click.argument("file", type=ExportFile())
@click.option(
    "--visibility",
    type=click.Choice(["public", "unlisted", "private"]),
    default="public",
    show_default=True,
    help="Who can find the game.",
)
def command(file: Path, visibility: Visibility) -> None:
    """Import a finished game from its export.

    Audits FILE first. The imported game keeps its id and can be read like any other game.

    Exit status: 0 if the game was imported, 1 if not.

    Example: oraclewheel import game.ndjson
    """
    try:
        data = read_file(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror or error}.") from error
    report = audit(data, games=GAMES)
    if not report.is_ok:
        raise click.ClickException(f"{file} was not imported: {report.verdict}.")
    with opened() as (_, store):
        try:
            with click.progressbar(length=report.facts["commits"], label="Importing", file=sys.stderr) as bar:
                for done in imported(store, data, report, visibility=visibility):
                    bar.update(done)
        except NotImportable as error:
            raise click.ClickException(f"{file} was not imported: {error}.") from error
    click.echo(f"{report.facts['game']}: {report.facts['commits']} commits, {report.verdict}.")


def imported(store: Store, data: bytes, report: AuditReport, *, visibility: Visibility = "public") -> Iterator[int]:
    """Write an audited export into a store in batches. Yields the number of commits of each.

    Raises `NotImportable` if the audit failed, the game is running, or the id is taken. The next import of the same
    game continues an interrupted one.
    """
    if not report.is_ok:
        raise NotImportable(report.verdict)
    export = parse_export(data)
    game = GAMES.get(export.setup.kind)
    if export.seed is None or game is None:
        raise NotImportable("the game has not ended; only finished games can be imported")
    lobby = _lobby(export, visibility)
    done = _begun(store, lobby, export)
    if done:
        yield done
    batch: list[Append] = []
    for append in _appends(game, export, store.log.keys()):
        if append.before < done:
            continue
        batch.append(append)
        if len(batch) == BATCH or append.over:
            for error in store.log.append(batch):
                if error is not None:
                    raise NotImportable("another process is importing this game; try again") from error
            yield len(batch)
            batch = []
    open_followers(store, Positions(store)).follow([store.keys.number(lobby.id)])


def _begun(store: Store, lobby: Lobby, export: Export) -> int:
    """Create the game, or find the game of an interrupted import. Returns the number of its stored commits."""
    there = store.lobbies.get(lobby.id)
    if there is None:
        assert export.seed is not None
        store.lobbies.create(lobby, bytes.fromhex(export.seed.seed))
        return 0
    if there.creator != IMPORTED or there.status == "over" or there.commitment != lobby.commitment:
        raise NotImportable(f"a game with the id {lobby.id!r} already exists")
    seq, head = store.log.head(lobby.id)
    if seq and head_of(export.commits[seq - 1].header_bytes) != head:
        raise NotImportable(f"a different game with the id {lobby.id!r} already exists")
    return seq


def _lobby(export: Export, visibility: Visibility) -> Lobby:
    setup, seed_line, first = export.setup, export.seed, export.commits[0]
    assert seed_line is not None
    assert first.body is not None
    if not valid_game(setup.game):
        raise NotImportable(f"{setup.game[:80]!r} is not a valid game id")
    if any(not 0 <= c.header.at < LATEST or len(c.header.release.encode()) > 255 for c in export.commits):
        raise NotImportable("a time or a release name exceeds the limits of the store")
    given = [event["position"] for event in first.body["events"] if event["type"] == "position_set"]
    sandbox = None
    if setup.sandbox:
        sandbox = {"position": given[0] if given else None, "dice": export.dice, "forked": None}
    return Lobby(
        id=GameId(setup.game),
        kind=setup.kind,
        creator=IMPORTED,
        chairs=tuple(
            Chair(who if is_bot(who) else IMPORTED, text)
            for who, (_, text) in zip(setup.controllers, seed_line.entropy, strict=True)
        ),
        ruleset=setup.ruleset,
        options=setup.options,
        modules=setup.modules,
        pace=setup.pace,
        visibility=visibility,
        commitment=setup.commitment,
        made_at=first.header.at,
        sandbox=sandbox,
        status="running",
        started_at=first.header.at if setup.started is None else setup.started,
        setup=setup.bound,
    )


def _appends(game: AnyGame, export: Export, keys: Mapping[str, str]) -> Iterator[Append]:
    """The log entries for all commits: without deadlines and waiting clients, and with views only for the last one."""
    assert export.seed is not None
    position, seed = Position(), bytes.fromhex(export.seed.seed)
    for line in export.commits:
        sealed = _sealed(line)
        assert line.body is not None
        commit = decode_commit(game, sealed.seq, sealed.at, sealed.release, line.body)
        position = replace(fold(game, position, commit), head=sealed.head)
        yield Append(
            GameId(export.setup.game),
            Seq(sealed.seq - 1),
            sealed,
            BROUGHT_IN,
            commit.submission,
            refused=False,
            rows=_signed(build_rows(game, position), export, keys) if position.over else None,
            due=(),
            over=position.over,
            snapshot=seal_snapshot(seed, position) if _saves(sealed) else None,
        )


def _signed(rows: Rows, export: Export, keys: Mapping[str, str]) -> Rows:
    """The rows with the export's signature of the last head, if it is by a key of this service; otherwise unsigned."""
    for each in export.end.signatures:
        if each.of == "head" and keys.get(each.key) == each.public:
            return replace(rows, signature=each.signature, key_id=each.key)
    return rows


def _saves(sealed: Sealed) -> bool:
    """Whether to save a snapshot. It carries the commit's release, so that must be this release."""
    return sealed.seq % SNAPSHOT_EVERY == 0 and sealed.release == RELEASE


def _sealed(line: CommitLine) -> Sealed:
    header = line.header
    head = head_of(line.header_bytes)
    return Sealed(header.seq, header.at, header.release, line.header_bytes, line.body_bytes, head, header.previous)
