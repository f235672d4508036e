"""``oraclewheel audit``: check export files offline."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TextIO

import click

from service.audit.anchors import PublishedLog
from service.audit.batch import audit_files
from service.audit.files import read_file, read_stream
from service.audit.processes import Inconclusive
from service.audit.report import CHECKS, AuditReport, escape_control_characters
from service.cli.jobs import ExportFile, jobs_option
from service.cli.published import BadLog, Source, checkpoint_on, published

EVERY = 3.0
"""Seconds between two progress messages."""
COMMITS, FILES = "Replayed {} of {} commits.", "Audited {} of {} files."
ENTRIES = "Read {} of {} entries of the transparency log."
MARKS = {"ok": "ok", "failed": "FAILED", "open": "not yet", "skipped": "-"}
ANCHOR = 1 << 20
"""Maximum bytes of a file with keys or a checkpoint."""
_KEY = re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{64}(?![0-9a-fA-F])")


@click.command("audit")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=ExportFile(allow_dash=True),
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="HEX|FILE",
    help="Public key that you trust, or a file with such keys (such as the response of /v1/keys).",
)
@click.option(
    "--head", "heads", multiple=True, metavar="HEX", help="Head of this game that you obtained from another source."
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="URL|FILE",
    help="Transparency log to check against: the URL of a service, whose log is fetched and verified, or a checkpoint that you "
    "kept.",
)
@click.option(
    "--strict", is_flag=True, help="Also fail unless every given --key, --head and --log vouches for the file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON; for several files, a list of reports.")
@jobs_option
def command(
    files: tuple[Path, ...],
    keys: tuple[str, ...],
    heads: tuple[str, ...],
    logs: tuple[str, ...],
    strict: bool,
    as_json: bool,
    jobs: int,
) -> None:
    """Check exported games offline.

    Replays each FILE, the export of a game (`-` for standard input), with the rules on this machine. Does not need the server that
    ran the game. The report lists every check and its result.

    Exit status: 0 if every possible check passes, 1 if a check fails, 2 for invalid arguments. With --strict, also 1
    if no --key, --head or --log covers the whole file, or if a given --log covers only a part of it.

    Example: oraclewheel audit game.ndjson --key keys.json --strict
    """
    trusted = list(_keys(keys))
    if wrong := [head for head in heads if not _KEY.fullmatch(head)]:
        raise click.BadParameter(f"{wrong[0]!r} is not 64 hex digits", param_hint="--head")
    if sum(str(file) == "-" for file in files) > 1:
        raise click.BadParameter("standard input (-) can be given only once", param_hint="FILE...")
    progress = AuditProgress(sys.stderr, words=COMMITS if len(files) == 1 else FILES)
    try:
        given = [read_stream(sys.stdin.buffer) if str(file) == "-" else file for file in files]
        log = _log(logs, trusted) if logs else None
        reports = list(audit_files(given, keys=trusted, heads=heads, log=log, progress=progress, jobs=jobs))
    except Inconclusive as error:
        raise click.ClickException(f"The audit was interrupted and has no result. {error}") from error
    except OSError as error:
        raise click.ClickException(f"The input cannot be read: {error.strerror or error}.") from error
    except BadLog as error:
        click.echo(escape_control_characters(f"{error}."), err=True)
        sys.exit(1)
    click.echo(_json(files, reports) if as_json else _texts(files, reports))
    rejected = [(file, reason) for file, report in zip(files, reports, strict=True) for reason in report.unvouched]
    if strict:
        for file, reason in rejected:
            click.echo(escape_control_characters(f"{file}: Rejected by --strict: {reason}."), err=True)
    if any(not report.is_ok or (strict and not report.is_authenticated) for report in reports) or (strict and rejected):
        sys.exit(1)


def _log(given: Sequence[str], keys: Sequence[str]) -> PublishedLog:
    """The evidence about the transparency log from the arguments. Raises `BadLog`."""
    urls = [each for each in given if each.startswith(("http://", "https://"))]
    if len(urls) > 1:
        raise click.BadParameter("only one URL can be given", param_hint="--log")
    kept = []
    for each in given:
        if not each:
            raise click.BadParameter("the value is empty", param_hint="--log")
        if each not in urls:
            try:
                kept.append(checkpoint_on(read_file(Path(each), ANCHOR), each))
            except OSError as error:
                raise click.BadParameter(f"this is neither a URL nor a readable file: {error}") from error
    return published(kept, Source(urls[0]) if urls else None, keys, AuditProgress(sys.stderr, words=ENTRIES))


def _json(files: Sequence[Path], reports: Sequence[AuditReport]) -> str:
    if len(files) == 1:
        return json.dumps(reports[0].to_json(), indent=2)
    named = [{"file": str(file), **report.to_json()} for file, report in zip(files, reports, strict=True)]
    return json.dumps(named, indent=2)


def _texts(files: Sequence[Path], reports: Sequence[AuditReport]) -> str:
    if len(files) == 1:
        return text(reports[0])
    return "\n\n".join(
        f"{escape_control_characters(str(file))}\n{text(report)}" for file, report in zip(files, reports, strict=True)
    )


class AuditProgress:
    """Prints progress lines every few seconds; works in pipes, unlike a progress bar."""

    def __init__(
        self,
        out: TextIO,
        clock: Callable[[], float] = time.monotonic,
        every: float = EVERY,
        words: str = COMMITS,
    ) -> None:
        self._out, self._clock, self._every, self._words = out, clock, every, words
        self._last_line = clock()

    def __call__(self, done: int, whole: int) -> None:
        now = self._clock()
        if now - self._last_line >= self._every:
            self._last_line = now
            print(self._words.format(done, whole), file=self._out, flush=True)


def _keys(given: Iterable[str]) -> Iterable[str]:
    for each in given:
        if not each:
            raise click.BadParameter("the value is empty", param_hint="--key")
        if _KEY.fullmatch(each):
            yield each
            continue
        try:
            found = _KEY.findall(read_file(Path(each), ANCHOR).decode())
        except (OSError, UnicodeDecodeError) as error:
            raise click.BadParameter(f"this is neither 64 hex digits nor a readable file: {error}") from error
        if not found:
            raise click.BadParameter(f"{each} contains no public key (64 hex digits)", param_hint="--key")
        yield from found


def text(report: AuditReport) -> str:
    """The report for a terminal: a line for each check, the divergences, and the verdict."""
    lines = []
    for id_, title in CHECKS.items():
        note = f"  ({report.notes[id_]})" if id_ in report.notes else ""
        lines.append(f"{id_}  {MARKS[report.statuses[id_]]:8}{title}{note}")
    lines.append("")
    facts = report.facts
    if facts:
        lines.append(
            f"{facts['kind']} {facts['game']}, {facts['ruleset']}: {facts['commits']} commits, head {facts['head']}"
        )
    if facts.get("outcome"):
        outcome = facts["outcome"]
        scores = ", ".join(f"seat {seat}: {score}" for seat, score in outcome["scores"].items())
        winners = " and ".join(f"seat {seat}" for seat in outcome["winners"])
        lines.append(f"Ended by {outcome['reason']} ({outcome['clause']}), won by {winners}; {scores}")
    lines += [f"Divergence: {divergence}" for divergence in report.divergences[1:]]
    lines.append(report.verdict[0].upper() + report.verdict[1:] + ".")
    return "\n".join(map(escape_control_characters, lines))
