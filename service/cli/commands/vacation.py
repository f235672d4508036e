"""``oraclewheel vacation``: manage vacations over REST."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import click

from domain.table.vacations import DEFAULT, ORDERS, SITS_IN
from service.cli.terminal.client import ApiError, TerminalClient, TokenFile
from service.cli.terminal.lobby import log_in

DATE = click.DateTime(["%Y-%m-%d"])


@click.command("vacation")
@click.argument("first", type=DATE, metavar="[FIRST]", required=False)
@click.argument("last", type=DATE, metavar="[LAST]", required=False)
@click.option(
    "--seat",
    type=click.Choice([ORDERS, SITS_IN, DEFAULT]),
    help="How your seats play in calendar games: by your standing orders (the default), by a sitter, or by the default move.",
)
@click.option("--sitter", help="Account id of your sitter. Implies --seat sitter.")
@click.option("--back", is_flag=True, help="Cancel all vacations.")
@click.option(
    "--url",
    envvar="ORACLEWHEEL_URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="Address of the service.",
)
@click.option("--name", help="Your player name. Default: the last one used.")
@click.option("--tokens", type=click.Path(dir_okay=False, path_type=Path), help="File with your tokens.")
def command(
    first: datetime | None,
    last: datetime | None,
    seat: str | None,
    sitter: str | None,
    url: str,
    name: str | None,
    tokens: Path | None,
    *,
    back: bool,
) -> None:
    """Add, list or cancel your vacations.

    You are away from the start of the day FIRST to the end of the day LAST (2026-08-01 2026-08-14), in the time zone of this
    machine. The vacation is added to your games that have a clock, and your clocks are paused. Without days, lists your
    vacations.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel vacation 2026-08-01 2026-08-14
    """
    if (first is None) != (last is None) or (back and first is not None):
        raise click.UsageError("Give the first and the last day, or only --back.")
    if first is None and (seat or sitter):
        raise click.UsageError("--seat and --sitter need the first and the last day.")
    if (sitter is not None) != ((seat or (sitter and SITS_IN)) == SITS_IN):
        raise click.UsageError("--seat sitter needs --sitter ID, and --sitter allows no other --seat.")
    client = TerminalClient(url)
    try:
        log_in(client, TokenFile(tokens) if tokens else TokenFile.usual(), name, None)
        if first is not None and last is not None:
            body: dict[str, Any] = {
                "from": _midnight(first.date()),
                "to": _midnight(last.date() + timedelta(days=1)),
                **({"seat": SITS_IN, "sitter": sitter} if sitter else {"seat": seat} if seat else {}),
            }
            _tell(client.call("POST", "/v1/me/vacations", body))
            return
        for vacation in client.call("GET", "/v1/me/vacations")["vacations"]:
            _tell(vacation)
            if back:
                client.call("DELETE", f"/v1/me/vacations/{vacation['id']}")
                click.echo("  canceled")
    except ApiError as error:
        raise click.ClickException("\n".join((str(error), *getattr(error, "__notes__", ())))) from error


def _midnight(day: date) -> int:
    """Start of a day on this machine, in milliseconds of Unix time."""
    return round(datetime.combine(day, time()).astimezone().timestamp() * 1000)


def _tell(vacation: dict[str, Any]) -> None:
    begins, ends = (
        datetime.fromtimestamp(vacation[each] / 1000, UTC).astimezone().strftime("%a %d %B %Y %H:%M")
        for each in ("from", "to")
    )
    known = len(vacation["games"])
    plays = {SITS_IN: f" {vacation['sitter']} plays your seats.", DEFAULT: " The default move is played for you."}.get(
        vacation["seat"], ""
    )
    click.echo(f"Away from {begins} to {ends}; added to {known} game{'' if known == 1 else 's'}.{plays}")
