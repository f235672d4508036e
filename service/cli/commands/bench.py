"""``oraclewheel bench``: the budgets, measured here and now."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

ROOT = Path(__file__).parents[3]


@click.command("bench")
@click.argument("parts", nargs=-1)
def command(parts: tuple[str, ...]) -> None:
    """Measure every budget, or those of PARTS (rules, log, http, lists); fails if one is missed."""
    if not (ROOT / "bench").is_dir():
        raise click.ClickException("The benchmarks are in a source checkout only.")
    sys.path.insert(0, str(ROOT))
    main = import_module("bench.__main__")
    unknown = sorted(set(parts) - set(main.PARTS))
    if unknown:
        raise click.BadParameter(f"there is no part {unknown[0]!r}; there are {', '.join(main.PARTS)}.")
    sys.exit(main.main(list(parts)))
