"""``oraclewheel reports``: chat messages that players have reported."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from service.cli.stores.opened import opened
from service.core.history import chat
from service.features.moderation import reports
from service.store.redis.store import Store


@click.command("reports")
@click.option("--resolve", "resolved", metavar="ID", multiple=True, help="Close the report and delete it.")
@click.option("--erase", "erased", metavar="ID", multiple=True, help="Erase the reported message for all players.")
def command(resolved: tuple[str, ...], erased: tuple[str, ...]) -> None:
    """List or resolve reported chat messages.

    Without options, lists all open reports. Erasing a message does not close its report; use --resolve for that.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel reports --erase ID
    """
    with opened() as (_, store):
        for id_ in erased:
            _erase(store, id_)
        for id_ in resolved:
            if not reports.resolve_report(store, id_):
                raise _unknown(id_)
            click.echo(f"{id_}: resolved.")
        if not (resolved or erased):
            _list(store)


def _unknown(id_: str) -> click.ClickException:
    return click.ClickException(f"There is no open report {id_!r}. Run `oraclewheel reports` to list all.")


def _erase(store: Store, id_: str) -> None:
    report = reports.list_open_reports(store).get(id_)
    if report is None:
        raise _unknown(id_)
    words = reports.get_reported_message(store, report)
    if words is not None:
        chat.erase_message(store, report.game, report.digest, words)
    click.echo(f"{id_}: {'the message was erased' if words else 'the message had been erased before'}.")


def _list(store: Store) -> None:
    found = reports.list_open_reports(store)
    for id_, report in found.items():
        words = reports.get_reported_message(store, report)
        names = store.accounts.players([report.by, *([words.player] if words else [])])
        by = names[report.by].name if report.by in names else "a deleted account"
        at = datetime.fromtimestamp(report.at / 1000, UTC)
        click.echo(f"{id_}  {at:%Y-%m-%d %H:%M} UTC  game {report.game}, commit {report.seq}")
        click.echo(f"  reported by {by} ({report.by}): {_indented(report.why)}")
        if words is None:
            click.echo("  The message has been erased.")
        else:
            said_by = names[words.player].name if words.player in names else "a deleted account"
            click.echo(f"  written by {said_by} ({words.player}): {_indented(words.text)}")
    if not found:
        click.echo("There are no open reports.")


def _indented(text: str) -> str:
    """The text, with each further line marked so that it cannot imitate a line of this list."""
    return "\n    | ".join(text.split("\n"))
