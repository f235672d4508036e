"""``oraclewheel play``: a person or a bot at a table, over REST."""

from __future__ import annotations

import getpass
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from domain.terms import GameId
from service.cli.terminal import board
from service.cli.terminal.asking import BOTS, RandomBot, ask, read_options
from service.cli.terminal.client import ApiError, Client, Tokens

PAUSE = 1.0
"""Seconds between two looks at a lobby."""
NEWS = frozenset(("stale", "not-your-turn", "already-answered", "game-over"))
"""What a command comes to when the table has moved on meanwhile."""


@click.command("play")
@click.argument("game_id", metavar="[GAME]", required=False)
@click.option(
    "--url", envvar="ORACLEWHEEL_URL", default="http://127.0.0.1:8000", show_default=True, help="The service."
)
@click.option("--name", help="Who you are there; by default who you were last, or your login.")
@click.option("--tokens", type=click.Path(dir_okay=False, path_type=Path), help="Where tokens are kept.")
@click.option("--code", help="The registration code, where newcomers need one.")
@click.option("--new", "kind", metavar="KIND", help="Make a game of this kind, such as battalia.")
@click.option("--seats", type=click.IntRange(1), default=2, show_default=True, help="Of a new game.")
@click.option("--options", "given", multiple=True, metavar="NAME=VALUE", help="Of a new game; may be repeated.")
@click.option("--modules", default="", help="Of a new game, separated by commas.")
@click.option("--with", "opponents", default="", metavar="BOTS", help="Bots to seat in a new game: greedy,random …")
@click.option("--visibility", type=click.Choice(["public", "unlisted", "private"]), default="public", show_default=True)
@click.option("--hours", type=click.IntRange(1), help="Of a new game: how long each question may stand.")
@click.option(
    "--calendar", nargs=2, metavar="TIME ZONE", help="Of a new game: one day a day, to 18:00 Europe/Sofia or the like."
)
@click.option("--invitation", help="For a game that is not public.")
@click.option("--bot", type=click.Choice(sorted(BOTS)), help="Let a bot choose, from the Options alone.")
@click.option("--watch", is_flag=True, help="Only look on.")
def command(
    game_id: GameId | None,
    url: str,
    name: str | None,
    tokens: Path | None,
    code: str | None,
    kind: str | None,
    seats: int,
    given: tuple[str, ...],
    modules: str,
    opponents: str,
    visibility: str,
    hours: int | None,
    calendar: tuple[str, str] | None,
    invitation: str | None,
    bot: str | None,
    watch: bool,
) -> None:
    """Play GAME, or look on; without GAME, make one with --new or choose from what there is.

    Your token is kept in a file for the next time. Everything goes over the API that any other client uses.
    """
    client = Client(url)
    try:
        if not watch:
            log_in(client, Tokens(tokens) if tokens else Tokens.usual(), name, code)
        if kind is not None:
            pace = _pace(hours, calendar)
            body = {
                "kind": kind,
                "seats": seats,
                "options": dict(map(_option, given)),
                "modules": [each for each in modules.split(",") if each],
                "pace": pace,
                "visibility": visibility,
            }
            game_id = new_game(client, body, [each for each in opponents.split(",") if each])
        elif game_id is None:
            game_id = find_game(client)
        if not watch:
            take_seat(client, game_id, invitation)
        Seated(client, game_id, BOTS[bot]() if bot else None, watch=watch).play()
    except ApiError as error:
        raise click.ClickException(str(error)) from error
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nThe game goes on without you; come back any time.", err=True)
        sys.exit(130)


def _pace(hours: int | None, calendar: tuple[str, str] | None) -> dict[str, Any]:
    if calendar is not None:
        if hours is not None:
            raise click.UsageError("A game has --hours or a --calendar, not both.")
        return {"mode": "calendar", "day": "PT24H", "at": calendar[0], "zone": calendar[1]}
    return {"mode": "free"} if hours is None else {"mode": "per_question", "hours": hours}


def _option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


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
    """Make a game and seat bots in it; its id."""
    made = client.call("POST", "/v1/games", dict(body))
    game_id = GameId(made["id"])
    for bot in bots:
        client.call("POST", f"/v1/games/{game_id}/seats", {"bot": bot})
    click.echo(f"Game {game_id}; others join with: oraclewheel play {game_id} --url {client.url}", err=True)
    if body["visibility"] != "public":
        click.echo(f"Its invitation, shown this once: {made['invitation']}", err=True)
    return game_id


def find_game(client: Client) -> GameId:
    """The player's choice among their own games and those that wait for players."""
    mine = client.call("GET", "/v1/games", mine="true")["games"]
    rows = [game for game in mine if game["status"] != "over"]
    known = {game["id"] for game in mine}
    rows += [g for g in client.call("GET", "/v1/games", status="lobby")["games"] if g["id"] not in known and _free(g)]
    if not rows:
        raise click.UsageError("There is no game for you; make one with --new battalia --with greedy.")
    for number, game in enumerate(rows, 1):
        turn = " - your turn" if {a["seat"] for a in game["asked"]} & set(game["your_seats"]) else ""
        click.echo(f"  {number:2}  {game['id']}  {game['kind']}, {len(game['seats'])} seats, {game['status']}{turn}")
    chosen = click.prompt("Which game?", type=click.IntRange(1, len(rows)), default=1)
    return GameId(rows[chosen - 1]["id"])


def _free(game: Mapping[str, Any]) -> bool:
    return any(seat["player"] is None and seat["bot"] is None for seat in game["seats"])


def take_seat(client: Client, game_id: GameId, invitation: str | None) -> None:
    """Join, if the player is not in the game and it has not started."""
    game = client.game(game_id)
    if game["your_seats"] or game["status"] != "lobby" or not _free(game):
        return
    body = {"invitation": invitation} if invitation else {}
    seat = client.call("POST", f"/v1/games/{game_id}/seats", body)["seat"]
    click.echo(f"You sit in seat {seat}.", err=True)


def _question(asked: Mapping[str, Any]) -> str:
    """What is asked and until when, on the clock of whoever reads it."""
    text = f"{asked['kind']} ({asked['rule']})"
    if asked["due"] is None:
        return text
    due = datetime.fromtimestamp(asked["due"] / 1000, UTC).astimezone()
    return f"{text} until {due:%a %d %B %H:%M}"


class Seated:
    """The player at the table: shows what happens, and says what they choose, until the game is over."""

    def __init__(self, client: Client, game_id: GameId, bot: RandomBot | None, *, watch: bool = False) -> None:
        self.client, self.game_id, self.bot = client, game_id, bot
        self.watch = watch
        self.word: Callable[[str], str] = str
        """How the game has its choices read."""
        self.told_up_to = 0
        """The commit up to which events have been shown."""
        self.shown = -1
        """The seq of the view that was drawn last."""

    def play(self) -> None:
        """Until the end."""
        summary = self._lobby()
        self.word = board.word(summary["kind"])
        while summary["status"] != "over":
            self._show(summary)
            mine = [asked for asked in summary["asked"] if asked["seat"] in summary["your_seats"][:1]]
            if not mine or self.watch or not self._turn(mine):
                # From the summary on: what has happened since then may be our turn, even if its events are shown.
                self.client.wait_for_news(self.game_id, summary["seq"])
            summary = self.client.game(self.game_id)
        self._show(summary, last=True)

    def _lobby(self) -> Any:
        summary = self.client.game(self.game_id)
        waiting = False
        while summary["status"] == "lobby":
            if not _free(summary) and summary["your_seats"] and self._start():
                return self.client.game(self.game_id)
            if not waiting:
                click.echo("Waiting for the others …", err=True)
                waiting = True
            time.sleep(PAUSE)
            summary = self.client.game(self.game_id)
        return summary

    def _start(self) -> bool:
        """Start the game, which is its creator's to do."""
        try:
            self.client.call("POST", f"/v1/games/{self.game_id}/start", {})
        except ApiError as error:
            if error.code in ("not-creator", "seats-open"):
                return False
            raise
        return True

    def _show(self, summary: Mapping[str, Any], *, last: bool = False) -> None:
        for entry in self.client.events(self.game_id, self.told_up_to):
            self.told_up_to = max(self.told_up_to, entry["seq"])
            for line in entry["lines"]:
                click.echo(f"  {entry['seq']:4}  {line.get('text', line.get('type', ''))}")
        if self.bot is not None and not last:
            return
        view = self.client.view(self.game_id)
        if view["seq"] != self.shown or last:
            self.shown = view["seq"]
            click.echo("\n" + board.text(summary["kind"], view) + "\n")
        if last:
            outcome = summary["outcome"]
            winners = ", ".join(f"seat {seat}" for seat in outcome["winners"])
            scores = ", ".join(f"seat {seat}: {score}" for seat, score in outcome["scores"].items())
            click.echo(f"The game is over: {outcome['reason']} ({outcome['clause']}). Won by {winners}. {scores}.")

    def _turn(self, mine: Sequence[Mapping[str, Any]]) -> bool:
        """Answer what is asked; False if there is nothing to say."""
        document = self.client.options(self.game_id)
        options, table = read_options(document)
        if not options:
            return False
        if self.bot is not None:
            self._say(self.bot.choose(options), document["seq"])
            return True
        asked = ", ".join(map(_question, mine))
        click.echo(f"Seat {document['seat']}, you are asked: {asked}")
        chosen = ask(options, table, self.word)
        if chosen is None:
            self.shown = -1
        else:
            self._say(chosen, document["seq"])
        return True

    def _say(self, chosen: Mapping[str, Any], seen: int) -> None:
        try:
            self.client.send(self.game_id, chosen, seen)
        except ApiError as error:
            if error.status == 429:
                time.sleep(PAUSE)
            elif error.code in NEWS:
                click.echo(f"  ({error})", err=True)
            elif error.status == 409 and self.bot is None:
                click.echo(f"Refused: {error}")
            else:
                raise
