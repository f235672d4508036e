"""``oraclewheel bench``: measure the performance budgets."""

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
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Measurements of each budget.")
@click.option("--against", type=FOLDER, help="Another checkout with its .venv, measured alternately with this one.")
@click.option("--markdown", "into", type=NewFile(), help="Write the table into this file.")
def command(parts: tuple[str, ...], rounds: int, against: Path | None, into: Path | None) -> None:
    """Measure the performance budgets.

    Measures all budgets, or those of PARTS: rules, audits, log, http, peers, cost, streams, workers, lists, standings, archive, words,
    web, fairness. The result is the median of the rounds, printed with the minimum and maximum. `peers` needs node and npm, `web` needs
    Playwright and Chromium; without these programs they are skipped.

    Exit status: 0 if all budgets are met, 1 if one is missed.

    Example: oraclewheel bench cost --rounds 1
    """
    if not (ROOT / "bench").is_dir():
        raise click.ClickException("The benchmarks are not installed. Run this command from a source checkout.")
    sys.path.insert(0, str(ROOT))
    known = import_module("bench.parts").PARTS
    unknown = sorted(set(parts) - set(known))
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not a part. Choose from {', '.join(known)}.")
    if not import_module("bench.run").run(parts or known, rounds, against, into):
        sys.exit(1)
