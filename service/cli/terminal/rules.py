"""The rules of a game in the terminal: which decide it, what others would have decided, and the proposal to go on by these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from domain.terms import GameId
from service.cli.terminal.client import WAIT, ApiError, Client

STANDINGS = {
    "present": "The present rules decide this game.",
    "comparing": "It is not known yet whether the present rules, those of release {present}, would have decided it otherwise.",
    "alike": "The rules of release {present} have decided all of it alike, and take over with what comes next.",
    "stays": "By the rules of release {present} it would have gone otherwise, so it stays under those of {release}.",
    "agreed": "Its players have agreed to go on by the rules of release {present}.",
    "over": "The game is over.",
}


def look(client: Client, game_id: GameId) -> None:
    """Tell which rules decide the game; where it stays under older ones, ask whether to propose the present ones."""
    try:
        told: Mapping[str, Any] = client.call("GET", f"/v1/games/{game_id}/rules")
        for line in lines(told):
            click.echo(line)
        may = told["standing"] == "stays" and told["votes"] and told["vote"] is None
        if may and click.confirm(f"Propose to go on by the rules of release {told['present']}?"):
            body, headers = {"release": told["present"]}, {"Prefer": f"wait={WAIT}"}
            client.call("POST", f"/v1/games/{game_id}/rules", body, headers)
            click.echo("The others are asked.")
    except ApiError as error:
        click.echo(f"Refused: {error}")


def lines(told: Mapping[str, Any]) -> list[str]:
    """What the report says, in words."""
    said = [STANDINGS.get(told["standing"], told["standing"]).format(**told)]
    differs, vote = told["differs"], told["vote"]
    if differs is not None:
        was, would = (_came_to(differs[name]) for name in ("was", "would"))
        said.append(f"Commit {differs['seq']} has {was}; it would have {would}.")
    elif told["standing"] == "stays":
        said.append("What would have been otherwise is not all yours to see.")
    if vote is not None:
        said.append(f"There is a vote on it: {len(vote['agreed'])} of {len(vote['voters'])} have agreed.")
    return said


def _came_to(decided: Mapping[str, Any] | None) -> str:
    if decided is None:
        return "been something that cannot be told"
    if decided["accepted"]:
        return f"come to {', '.join(decided['events']) or 'something else'}".replace("_", " ")
    refusal = decided["refusal"]
    return "been refused" if refusal is None else f"been refused ({refusal['code']})"
