"""``oraclewheel freeze-rules``: keep the rules of a release, for the games that stay under them when another one is installed."""

from __future__ import annotations

from pathlib import Path

import click

import domain
from service.cli.stores.sentences import sentences
from service.process.frozen.bundle import BadRules, Bundle, of_file, of_tree
from service.process.frozen.loading import load
from service.settings import Settings


@click.command("freeze-rules")
@click.argument("source", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to put them into (ORACLEWHEEL_RULES; else rules in the data folder).",
)
def command(source: Path | None, into: Path | None) -> None:
    """Freeze the rules of the release that is installed, or those in SOURCE: a tree of the project, or a wheel of it.

    They are put into the folder of frozen rules as rules-RELEASE.zip, and loaded once to see that they can be.
    """
    with sentences(BadRules, OSError):
        folder = into or Settings.load().rules_path
        bundle = _read(source or Path(domain.__file__).resolve().parents[1])
        games = load(bundle)
        file = _put(bundle, folder)
    click.echo(f"Release {bundle.release}: {', '.join(sorted(games))}, sha256 {bundle.digest}, in {file}.")


def _read(source: Path) -> Bundle:
    return of_tree(source) if source.is_dir() else of_file(source)


def _put(bundle: Bundle, folder: Path) -> Path:
    """The file of these rules, written unless it is there; raises `BadRules` where other rules of this release are."""
    file = bundle.place(folder)
    if not file.exists():
        return bundle.write(folder)
    if of_file(file).digest != bundle.digest:
        raise BadRules(
            f"{file} holds other rules that call themselves release {bundle.release}: games may stand under those, so remove"
            " it first if you are certain that none does."
        )
    return file
