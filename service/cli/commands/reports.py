"""``oraclewheel reports``: what players have reported of what was said at their tables."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from service.cli.stores.opened import opened
from service.projections import reports
from service.projections.history import spoken
from service.store.ports.store import Store


@click.command("reports")
@click.option("--resolve", "resolved", metavar="ID", multiple=True, help="The report is dealt with: throw it away.")
@click.option(
    "--erase", "erased", metavar="ID", multiple=True, help="Erase the words that were reported, for everybody."
)
def command(resolved: tuple[str, ...], erased: tuple[str, ...]) -> None:
    """List what was reported, or deal with it."""
    with opened() as (_, store):
        for id_ in erased:
            _erase(store, id_)
        for id_ in resolved:
            if not reports.resolve(store, id_):
                raise _unknown(id_)
            click.echo(f"{id_}: resolved.")
        if not (resolved or erased):
            _list(store)


def _unknown(id_: str) -> click.ClickException:
    return click.ClickException(f"There is no report {id_!r}.")


def _erase(store: Store, id_: str) -> None:
    report = reports.open_reports(store).get(id_)
    if report is None:
        raise _unknown(id_)
    words = reports.words_of(store, report)
    if words is not None:
        spoken.erase(store, report.game, report.digest, words)
    click.echo(f"{id_}: {'the words are erased' if words else 'there were no words any more'}.")


def _list(store: Store) -> None:
    found = reports.open_reports(store)
    for id_, report in found.items():
        words = reports.words_of(store, report)
        names = store.accounts.players([report.by, *([words.player] if words else [])])
        by = names[report.by].name if report.by in names else "a player who is gone"
        at = datetime.fromtimestamp(report.at / 1000, UTC)
        click.echo(f"{id_}  {at:%Y-%m-%d %H:%M} UTC  game {report.game}, commit {report.seq}")
        click.echo(f"  reported by {by} ({report.by}): {_indented(report.why)}")
        if words is None:
            click.echo("  The words are erased.")
        else:
            said_by = names[words.player].name if words.player in names else "a player who is gone"
            click.echo(f"  said by {said_by} ({words.player}): {_indented(words.text)}")
    if not found:
        click.echo("Nothing is reported.")


def _indented(text: str) -> str:
    """The lines of what somebody wrote, none of which passes for one of this list."""
    return "\n    | ".join(text.split("\n"))
