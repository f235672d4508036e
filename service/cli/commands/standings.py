"""``oraclewheel standings``: compute the rounds and standings of a tournament again, from exports of its games."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from service.audit.processes import Inconclusive
from service.audit.report import escape_control_characters
from service.cli.commands.audit import AuditProgress
from service.cli.jobs import ExportFile, jobs_option
from service.cli.tournaments.offline import BadTournament, check_tournament, read_published

FILES = "Audited {} of {} files."


@click.command("standings")
@click.argument("tournament", type=ExportFile())
@click.argument("exports", metavar="EXPORT...", nargs=-1, type=ExportFile())
@jobs_option
def command(tournament: Path, exports: tuple[Path, ...], jobs: int) -> None:
    """Compute standings of a tournament offline.

    Reads TOURNAMENT, the document from GET /v1/tournaments/{id}, and the exports of its games. Audits every EXPORT, draws the
    lots again from the seed, pairs every round again, and computes the standings from the exported results. Compares games,
    pairings, results and standings with the document. Entries and their players are taken from the document.

    Exit status: 0 if everything is equal, 1 if something differs or an export is missing, 2 for invalid arguments.

    Example: oraclewheel standings tournament.json games/*.ndjson
    """
    try:
        published, document = read_published(tournament.read_bytes())
        report = check_tournament(
            published, document, exports, jobs=jobs, progress=AuditProgress(sys.stderr, words=FILES)
        )
    except (BadTournament, OSError) as error:
        raise click.ClickException(escape_control_characters(f"{error}")) from error
    except Inconclusive as error:
        raise click.ClickException(f"The audit was interrupted and has no result. {error}") from error
    for line in report.lines:
        click.echo(escape_control_characters(line))
    for fault in report.faults:
        click.echo(escape_control_characters(f"DIFFERENT: {fault}"), err=True)
    if report.faults:
        sys.exit(1)
    click.echo(f"{report.games} games, {len(published.rounds)} rounds: everything is equal.")
