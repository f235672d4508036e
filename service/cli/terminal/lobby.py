"""The way to a table: who one is at a service, a game of one's own or one that waits, a seat in it."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from typing import Any

import click

from domain.terms import GameId
from service.cli.terminal.client import ApiError, Client, Tokens


def log_in(client: Client, tokens: Tokens, name: str | None, code: str | None) -> None:
    """Use the token that is kept for the service, or register."""
    known = tokens.find(client.url, name)
    if known is not None:
        client.use(known[1])
        try:
            client.me()
        except ApiError as error:
            if error.status != 401:
                raise
            known = None
    if known is None:
        made = client.register(name or getpass.getuser(), code)
        tokens.keep(client.url, made["name"], made["token"])
        click.echo(f"You are {made['name']} at {client.url}.", err=True)
    else:
        tokens.keep(client.url, *known)


def new_game(client: Client, body: Mapping[str, Any], bots: Sequence[str]) -> GameId:
    """Make a game and seat bots in it; its id. If a bot cannot be seated, the game is taken away again."""
    made = client.call("POST", "/v1/games", dict(body))
    game_id = GameId(made["id"])
    try:
        for bot in bots:
            client.call("POST", f"/v1/games/{game_id}/seats", {"bot": bot})
    except ApiError as error:
        withdraw(client, game_id, error)
        raise
    join = f"oraclewheel play {game_id} --url {client.url}"
    if body["visibility"] != "public":
        join += f" --invitation {made['invitation']}"
    if len(bots) + 1 < body["seats"]:
        click.echo(f"Game {game_id}. Others join with:\n  {join}", err=True)
    else:
        click.echo(f"Game {game_id}.", err=True)
    return game_id


def withdraw(client: Client, game_id: GameId, reason: ApiError) -> None:
    """Take away a game that could not be set up; if not even that goes, the reason says what is left."""
    try:
        client.withdraw(game_id)
    except ApiError as error:
        reason.add_note(f"Game {game_id} is left in its lobby: {error}")


def find_game(client: Client) -> GameId:
    """The player's choice among their own games and those that wait for players."""
    mine = client.call("GET", "/v1/games", mine="true")["games"]
    rows = [game for game in mine if game["status"] != "over"]
    known = {game["id"] for game in mine}
    rows += [g for g in client.call("GET", "/v1/games", status="lobby")["games"] if g["id"] not in known and free(g)]
    if not rows:
        raise click.UsageError("There is no game for you; make one with --new battalia --with greedy.")
    for number, game in enumerate(rows, 1):
        turn = " - your turn" if {a["seat"] for a in game["asked"]} & set(game["your_seats"]) else ""
        click.echo(f"  {number:2}  {game['id']}  {game['kind']}, {len(game['seats'])} seats, {game['status']}{turn}")
    chosen = click.prompt("Which game?", type=click.IntRange(1, len(rows)), default=1)
    return GameId(rows[chosen - 1]["id"])


def free(game: Mapping[str, Any]) -> bool:
    """Whether a seat has nobody in it."""
    return any(seat["player"] is None and seat["bot"] is None for seat in game["seats"])


def take_seat(client: Client, game_id: GameId, invitation: str | None) -> None:
    """Join, if the player is not in the game and it has not started."""
    game = client.game(game_id)
    if game["your_seats"] or game["status"] != "lobby" or not free(game):
        return
    body = {"invitation": invitation} if invitation else {}
    seat = client.call("POST", f"/v1/games/{game_id}/seats", body)["seat"]
    click.echo(f"You sit in seat {seat}.", err=True)
