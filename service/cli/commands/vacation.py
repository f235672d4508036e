"""``oraclewheel vacation``: when the player is away, over REST."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import click

from service.cli.terminal.client import ApiError, Client, Tokens
from service.cli.terminal.lobby import log_in

DATE = click.DateTime(["%Y-%m-%d"])


@click.command("vacation")
@click.argument("first", type=DATE, required=False)
@click.argument("last", type=DATE, required=False)
@click.option("--back", is_flag=True, help="Recall what there is: you are back, or stay.")
@click.option(
    "--url", envvar="ORACLEWHEEL_URL", default="http://127.0.0.1:8000", show_default=True, help="The service."
)
@click.option("--name", help="Who you are there; by default who you were last.")
@click.option("--tokens", type=click.Path(dir_okay=False, path_type=Path), help="Where tokens are kept.")
def command(
    first: datetime | None, last: datetime | None, url: str, name: str | None, tokens: Path | None, *, back: bool
) -> None:
    """Be away from the day FIRST to the day LAST (2026-08-01 2026-08-14), both of them whole, by the clock of this machine.

    Your games with a clock are told, and your clocks stand meanwhile. Without days, list your vacations.
    """
    if (first is None) != (last is None) or (back and first is not None):
        raise click.UsageError("Name the first day and the last, or --back alone.")
    client = Client(url)
    try:
        log_in(client, Tokens(tokens) if tokens else Tokens.usual(), name, None)
        if first is not None and last is not None:
            body = {"from": _midnight(first.date()), "to": _midnight(last.date() + timedelta(days=1))}
            _tell(client.call("POST", "/v1/me/vacations", body))
            return
        for vacation in client.call("GET", "/v1/me/vacations")["vacations"]:
            _tell(vacation)
            if back:
                client.call("DELETE", f"/v1/me/vacations/{vacation['id']}")
                click.echo("  recalled")
    except ApiError as error:
        raise click.ClickException("\n".join((str(error), *getattr(error, "__notes__", ())))) from error


def _midnight(day: date) -> int:
    """When a day begins on this machine, milliseconds of Unix time."""
    return round(datetime.combine(day, time()).astimezone().timestamp() * 1000)


def _tell(vacation: dict[str, Any]) -> None:
    begins, ends = (
        datetime.fromtimestamp(vacation[each] / 1000, UTC).astimezone().strftime("%a %d %B %Y %H:%M")
        for each in ("from", "to")
    )
    known = len(vacation["games"])
    click.echo(f"Away from {begins} to {ends}; {known} game{'' if known == 1 else 's'} told.")
