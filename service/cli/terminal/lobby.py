"""Before the game: logging in, creating or choosing a game, taking a seat."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from domain.kernel.terms import GameId
from service.cli.terminal.client import ApiError, TerminalClient, TokenFile


def log_in(client: TerminalClient, tokens: TokenFile, name: str | None, code: str | None) -> None:
    """Use the stored token for the service, or register."""
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


def new_game(client: TerminalClient, body: Mapping[str, Any], bots: Sequence[str]) -> GameId:
    """Create a game and seat bots in it. Returns its id. If a bot cannot be seated, the game is deleted."""
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


def leave_to(client: TerminalClient, game_id: GameId, bot: str) -> None:
    """Put a bot of the service into the seat of the game's creator. If that fails, the game is deleted."""
    try:
        for seat in client.game(game_id)["your_seats"]:
            client.call("DELETE", f"/v1/games/{game_id}/seats/{seat}")
            client.call("POST", f"/v1/games/{game_id}/seats", {"bot": bot, "seat": seat})
    except ApiError as error:
        withdraw(client, game_id, error)
        raise


def withdraw(client: TerminalClient, game_id: GameId, reason: ApiError) -> None:
    """Delete a game that could not be set up. If that fails, a note is added to ``reason``."""
    try:
        client.withdraw(game_id)
    except ApiError as error:
        reason.add_note(f"Game {game_id} could not be deleted and is still in its lobby: {error}")


def find_game(client: TerminalClient) -> GameId:
    """The player's choice among their own games and those that need players."""
    mine = client.call("GET", "/v1/games", mine="true")["games"]
    rows = [game for game in mine if game["status"] != "over"]
    known = {game["id"] for game in mine}
    rows += [g for g in client.call("GET", "/v1/games", status="lobby")["games"] if g["id"] not in known and free(g)]
    rows += [g for g in client.call("GET", "/v1/games", seat="vacant")["games"] if g["id"] not in known]
    if not rows:
        raise click.UsageError("There is no open game. Create one with --new battalia --with greedy.")
    for number, game in enumerate(rows, 1):
        click.echo(f"  {number:2}  {game['id']}  {describe(game)}")
    chosen = click.prompt("Which game?", type=click.IntRange(1, len(rows)), default=1)
    return GameId(rows[chosen - 1]["id"])


def describe(game: Mapping[str, Any]) -> str:
    """A game in a list: its title, kind, status and players, whose turn it is, and until when.

    ``Amber Harbor (nim, running): Ash, Birk - waiting for Birk, due Thursday 31 January, 18:00``.
    """
    names = {seat["seat"]: _occupant(seat) for seat in game["seats"]}
    asked = [question for question in game["pending_questions"] if question["seat"] in names]
    waiting = dict.fromkeys(question["seat"] for question in asked)
    parts = [f"{game['title']} ({game['kind']}, {game['status']}): {', '.join(names.values())}"]
    if asked:
        is_own = not waiting.keys().isdisjoint(game["your_seats"])
        turn = "your turn" if is_own else f"waiting for {' and '.join(names[seat] for seat in waiting)}"
        due = min((each["deadline"] for each in asked if each["deadline"] is not None), default=None)
        parts.append(turn if due is None else f"{turn}, due {local_time(due)}")
    if on_offer(game):
        parts.append(f"seat {on_offer(game)[0]} is vacant")
    if game.get("label"):
        parts.append(game["label"])
    return " - ".join(parts)


def _occupant(seat: Mapping[str, Any]) -> str:
    """The player or bot of a seat."""
    return seat["player"]["name"] if seat["player"] else seat["bot"] or "free seat"


def local_time(instant: int) -> str:
    """An instant (milliseconds of Unix time) in the time zone of the terminal: ``Thursday 31 January, 18:00``."""
    then = datetime.fromtimestamp(instant / 1000, UTC).astimezone()
    return f"{then:%A} {then.day} {then:%B, %H:%M}"


def free(game: Mapping[str, Any]) -> bool:
    """Whether a seat is empty."""
    return any(seat["player"] is None and seat["bot"] is None for seat in game["seats"])


def on_offer(game: Mapping[str, Any]) -> list[int]:
    """The vacant seats of a running game."""
    return [seat["seat"] for seat in game["seats"] if seat["vacant"]]


def take_seat(client: TerminalClient, game_id: GameId, invitation: str | None) -> None:
    """Join a game that has not started, unless the player is in it. In a running game, offer a vacant seat."""
    game = client.game(game_id)
    if game["status"] == "running" and on_offer(game):
        _take_over(client, game, invitation)
        return
    if game["your_seats"] or game["status"] != "lobby" or not free(game):
        return
    body = {"invitation": invitation} if invitation else {}
    seat = client.call("POST", f"/v1/games/{game_id}/seats", body)["seat"]
    click.echo(f"You have seat {seat}.", err=True)


def _take_over(client: TerminalClient, game: Mapping[str, Any], invitation: str | None) -> None:
    """Take a vacant seat of a running game: the player's own former one, or any if they have no seat."""
    seats = [seat for seat in on_offer(game) if not game["your_seats"] or seat in game["your_seats"]]
    if not seats or not _agrees(f"Seat {seats[0]} is vacant; a bot plays it. Take it?"):
        return
    body = {"invitation": invitation} if invitation else {}
    try:
        taken = client.call("POST", f"/v1/games/{game['id']}/seats/{seats[0]}/take", body)
    except ApiError as error:
        if error.status not in (403, 409):
            raise
        click.echo(f"{error} You can watch.", err=True)
        return
    if taken["status"] == "asked":
        who = (
            "players of the game vote on your request"
            if game["table"].get("substitutes") == "vote"
            else "creator of the game must accept your request"
        )
        click.echo(f"The {who}. Until then you can watch.", err=True)
    else:
        click.echo(f"You have seat {seats[0]}.", err=True)


def _agrees(question: str) -> bool:
    """Whether the player agrees. No input counts as no."""
    try:
        return click.confirm(question, default=True, err=True)
    except click.Abort:
        return False
