"""`python -m bench.capacity`: simulate, and write the page anew; with `--measure`, measure everything here before that."""

from __future__ import annotations

import json

import click

from bench.capacity import crowded, measured, page
from bench.machine import machine

GAMES = 500


def _written(name: str, what: object) -> None:
    (page.FOLDER / f"{name}.json").write_text(json.dumps(what, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@click.command()
@click.option("--measure", is_flag=True, help="Some six minutes, best on a quiet machine.")
def command(measure: bool) -> None:
    """Write docs/capacity: the data, the picture, and the tables of the page."""
    if measure:
        page.FOLDER.mkdir(exist_ok=True)
        _written("measured", {"machine": machine(), "costs": measured.costs(), "crowded": crowded.measured(GAMES)})
    known = page.data("measured")
    found = page.simulated(known)
    _written("simulated", found)
    page.pictures(known, found)
    page.PAGE.write_text(page.filled(page.PAGE.read_text(encoding="utf-8"), page.parts(known, found)), encoding="utf-8")


if __name__ == "__main__":
    command()
