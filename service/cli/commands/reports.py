"""``oraclewheel reports``: chat messages that players have reported."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from service.cli.operator import operator_name
from service.cli.stores.opened import opened
from service.features.moderation import reports
from service.store.redis.store import Store


@click.command("reports")
@click.option("--all", "closed", is_flag=True, help="Also list closed reports, which are kept for 90 days.")
@click.option("--assign", "assigned", metavar="ID", multiple=True, help="Assign the report; needs --to.")
@click.option("--to", "assignee", metavar="NAME", help="With --assign: the operator who works on it.")
@click.option("--answer", "answered", metavar="ID", multiple=True, help="Answer the reporter; needs --text.")
@click.option("--text", metavar="TEXT", help="With --answer: the answer, which the reporter can read.")
@click.option("--close", "--resolve", "ended", metavar="ID", multiple=True, help="Close the report.")
@click.option("--erase", "erased", metavar="ID", multiple=True, help="Erase the reported message for all players.")
def command(
    assigned: tuple[str, ...],
    assignee: str | None,
    answered: tuple[str, ...],
    text: str | None,
    ended: tuple[str, ...],
    erased: tuple[str, ...],
    *,
    closed: bool,
) -> None:
    """List, answer and close reports of messages.

    Without options, lists all reports that are not closed. Erasing a message does not close its report; use --close for that.
    Each change is in the operators' log (`oraclewheel accounts log`).

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel reports --answer ID --text "The message was erased."
    """
    if bool(assigned) != (assignee is not None) or bool(answered) != (text is not None):
        raise click.UsageError("--assign needs --to, and --answer needs --text.")
    if assignee is not None:
        _require_line("--to", assignee, 80)
    if text is not None:
        _require_line("--text", text, reports.LONGEST_ANSWER)
    with opened() as (_, store):
        name = operator_name()
        for id_ in assigned:
            _done(id_, f"assigned to {assignee}", found=reports.assign_report(store, name, id_, assignee or ""))
        for id_ in answered:
            _done(id_, "answered", found=reports.answer_report(store, name, id_, text or ""))
        for id_ in erased:
            erased_now = reports.erase_reported_message(store, name, id_)
            result = "the message was erased" if erased_now else "the message had been erased before"
            _done(id_, result, found=erased_now is not None)
        for id_ in ended:
            _done(id_, "closed", found=reports.close_report(store, name, id_))
        if not (assigned or answered or ended or erased):
            _list(store, closed=closed)


def _require_line(option: str, text: str, most: int) -> None:
    if not text.strip() or len(text) > most or not text.isprintable():
        raise click.BadParameter(f"must have 1 to {most} characters on one line", param_hint=option)


def _done(id_: str, result: str, *, found: bool) -> None:
    if not found:
        raise click.ClickException(f"There is no open report {id_!r}. Run `oraclewheel reports` to list all.")
    click.echo(f"{id_}: {result}.")


def _list(store: Store, *, closed: bool) -> None:
    found = reports.list_reports(store) if closed else reports.list_open_reports(store)
    for id_, report in found.items():
        words = reports.get_reported_message(store, report)
        names = store.accounts.players([report.by, *([words.player] if words else [])])
        by = names[report.by].name if report.by in names else "a deleted account"
        at = datetime.fromtimestamp(report.at / 1000, UTC)
        to = f", assigned to {report.assignee}" if report.assignee else ""
        click.echo(f"{id_}  {at:%Y-%m-%d %H:%M} UTC  game {report.game}, commit {report.seq}  {report.state}{to}")
        click.echo(f"  reported by {by} ({report.by}): {_indented(report.why)}")
        if words is None:
            click.echo("  The message has been erased.")
        else:
            said_by = names[words.player].name if words.player in names else "a deleted account"
            click.echo(f"  written by {said_by} ({words.player}): {_indented(words.text)}")
        if report.answer:
            click.echo(f"  answer: {report.answer}")
    if not found:
        click.echo("There are no reports." if closed else "There are no open reports.")


def _indented(text: str) -> str:
    """The text, with each further line marked so that it cannot imitate a line of this list."""
    return "\n    | ".join(text.split("\n"))
