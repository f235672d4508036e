"""``oraclewheel vacation``: when the player is away, over REST."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import click

from domain.play.parts.vacations import DEFAULT, ORDERS, SITS_IN
from service.cli.terminal.client import ApiError, Client, Tokens
from service.cli.terminal.lobby import log_in

DATE = click.DateTime(["%Y-%m-%d"])


@click.command("vacation")
@click.argument("first", type=DATE, required=False)
@click.argument("last", type=DATE, required=False)
@click.option(
    "--seat",
    type=click.Choice([ORDERS, SITS_IN, DEFAULT]),
    help="Who answers for you where days go on by a calendar: your standing orders (unless you say something else), who sits in, "
    "or nobody, so that silence means what it means by the rules.",
)
@click.option("--sitter", help="Who sits in meanwhile, by the id of their account; --seat sitter is meant then.")
@click.option("--back", is_flag=True, help="Recall what there is: you are back, or stay.")
@click.option(
    "--url", envvar="ORACLEWHEEL_URL", default="http://127.0.0.1:8000", show_default=True, help="The service."
)
@click.option("--name", help="Who you are there; by default who you were last.")
@click.option("--tokens", type=click.Path(dir_okay=False, path_type=Path), help="Where tokens are kept.")
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
    """Be away from the day FIRST to the day LAST (2026-08-01 2026-08-14), both of them whole, by the clock of this machine.

    Your games with a clock are told, and your clocks stand meanwhile. Without days, list your vacations.
    """
    if (first is None) != (last is None) or (back and first is not None):
        raise click.UsageError("Name the first day and the last, or --back alone.")
    if first is None and (seat or sitter):
        raise click.UsageError("Who answers for you is said with the days.")
    if (sitter is not None) != ((seat or (sitter and SITS_IN)) == SITS_IN):
        raise click.UsageError("--seat sitter and --sitter go together.")
    client = Client(url)
    try:
        log_in(client, Tokens(tokens) if tokens else Tokens.usual(), name, None)
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
    plays = {SITS_IN: f" {vacation['sitter']} sits in.", DEFAULT: " Silence plays for you."}.get(vacation["seat"], "")
    click.echo(f"Away from {begins} to {ends}; {known} game{'' if known == 1 else 's'} told.{plays}")
