"""Plans in the terminal: submitted from a file, shown, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from domain.kernel.terms import GameId
from service.cli.terminal.client import TerminalClient

SHOW, DROP = "show", "drop"


def planned(client: TerminalClient, game_id: GameId, what: str) -> None:
    """Show the seat's plan, delete it (``drop``), or submit the one in the file ``what``. Raises `ApiError`."""
    path = f"/v1/games/{game_id}/plan"
    if what == DROP:
        client.call("DELETE", path)
        click.echo("The plan was deleted.")
        return
    plan = client.call("GET", path) if what == SHOW else client.call("PUT", path, _read(what))
    for line in _told(plan):
        click.echo(line)


def _read(name: str) -> Any:
    try:
        return json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise click.ClickException(f"{name} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise click.ClickException(f"{name} is not valid JSON: {error}.") from error


def _told(plan: Mapping[str, Any]) -> Iterator[str]:
    kinds = "any question" if plan["for"] == ["*"] else f"one of the questions {', '.join(plan['for'])}"
    condition = "as long as it is legal" if plan["if"] == "legal" else f"if nothing has changed since {plan['seen']}"
    yield f"The plan is {plan['status']}. It is for {kinds}, {condition}; then: {plan['then']}."
    outcomes = plan.get("outcomes") or []
    for place, command in enumerate(plan["commands"]):
        yield _line(place, json.dumps(command), outcomes)
    for place in range(len(plan["commands"]), len(outcomes)):
        yield _line(place, "the end of the turn", outcomes)
    for line in (plan.get("first_change") or {}).get("lines", ()):
        yield f"  Since then: {line['text']}"


def _line(place: int, what: str, outcomes: list[Mapping[str, Any]]) -> str:
    if place >= len(outcomes):
        return f"  {what}"
    came = outcomes[place]
    why = f": {came['refusal']['message']}" if came.get("refusal") else ""
    return f"  {what}  {came['status']}{why}"
