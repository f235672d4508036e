"""``oraclewheel bench``: the budgets, measured here and now."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from service.cli.jobs import NewFile

ROOT = Path(__file__).resolve().parents[3]
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("bench")
@click.argument("parts", nargs=-1)
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="How often each is measured.")
@click.option("--against", type=FOLDER, help="Another checkout with its .venv, measured in turns with this one.")
@click.option("--markdown", "into", type=NewFile(), help="A file for the table.")
def command(parts: tuple[str, ...], rounds: int, against: Path | None, into: Path | None) -> None:
    """Measure every budget, or those of PARTS, and fail if one is missed.

    PARTS are rules, audits, log, http, peers, cost, streams, pumps, lists, archive, words and web. Of the rounds the median counts;
    least and most stand beside it. `peers` needs node and npm, `web` Playwright and a Chromium; without them they are left
    out.
    """
    if not (ROOT / "bench").is_dir():
        raise click.ClickException("The benchmarks are in a source checkout only.")
    sys.path.insert(0, str(ROOT))
    known = import_module("bench.parts").PARTS
    unknown = sorted(set(parts) - set(known))
    if unknown:
        raise click.BadParameter(f"there is no part {unknown[0]!r}; there are {', '.join(known)}.")
    if not import_module("bench.run").run(parts or known, rounds, against, into):
        sys.exit(1)
