"""``oraclewheel play``: play or watch a game over REST."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from domain.kernel.terms import GameId
from domain.table.bots import THINKING
from service.cli.grouped import Grouped
from service.cli.terminal.asking import Quit
from service.cli.terminal.bots import BOTS
from service.cli.terminal.client import ApiError, TerminalClient, TokenFile
from service.cli.terminal.lobby import find_game, leave_to, log_in, new_game, take_seat, withdraw
from service.cli.terminal.plans import planned
from service.cli.terminal.seated import Seated
from service.ops.settings import BadSetting, Settings


def _port() -> int:
    """The port of the service on this machine, from the settings of `oraclewheel serve`."""
    try:
        return Settings.load().port
    except BadSetting as error:
        raise click.ClickException(str(error)) from error


_GROUPS = {
    "Account": ("url", "name", "tokens", "code"),
    "New game": ("new", "seats", "options", "modules", "with", "visibility", "hours", "calendar", "off"),
    "Existing game": ("invitation", "plan", "undo", "watch", "save"),
}


@click.command("play", cls=Grouped, groups=_GROUPS)
@click.argument("game_id", metavar="[GAME]", required=False)
@click.option(
    "--url",
    envvar="ORACLEWHEEL_URL",
    default=lambda: f"http://127.0.0.1:{_port()}",
    help="Address of the service. Default: this machine, at ORACLEWHEEL_PORT.",
)
@click.option("--name", help="Your player name. Default: the last one used, or your login name.")
@click.option("--tokens", type=click.Path(dir_okay=False, path_type=Path), help="File with your tokens.")
@click.option("--code", help="Registration code, if the service requires one.")
@click.option("--new", "kind", metavar="KIND", help="Create a game of this kind, such as battalia.")
@click.option("--seats", type=click.IntRange(1), help="New game: number of seats. Default: the fewest possible.")
@click.option("--options", "given", multiple=True, metavar="NAME=VALUE", help="New game: an option. Can be repeated.")
@click.option("--modules", default="", help="New game: modules, comma-separated.")
@click.option(
    "--with", "opponents", default="", metavar="BOTS", help="New game: bots in the other seats, such as greedy,random."
)
@click.option(
    "--visibility",
    type=click.Choice(["public", "unlisted", "private"]),
    default="public",
    show_default=True,
    help="New game: who can find it.",
)
@click.option("--hours", type=click.IntRange(1), help="New game: hours to answer each question.")
@click.option(
    "--calendar",
    nargs=2,
    metavar="TIME ZONE",
    help="New game: one game day per calendar day, ending at TIME, such as 18:00 Europe/Sofia.",
)
@click.option(
    "--off",
    metavar="DAYS ZONE",
    nargs=2,
    help="New game: days without a clock, such as saturday,sunday,2026-12-24 Europe/Sofia.",
)
@click.option("--invitation", help="Invitation to a game that is not public.")
@click.option(
    "--bot",
    type=click.Choice([*sorted(BOTS), *THINKING]),
    help="Let a bot choose your moves. A search bot takes your seat in a new game (--new), and you watch.",
)
@click.option(
    "--plan",
    metavar="FILE",
    help="Plan your next turn in GAME from a JSON file. `show` prints the plan, `drop` deletes it.",
)
@click.option("--undo", is_flag=True, help="Undo your last command in GAME, then continue.")
@click.option("--watch", is_flag=True, help="Watch GAME without playing.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the export of GAME for `oraclewheel audit` and exit.",
)
def command(
    game_id: GameId | None,
    url: str,
    name: str | None,
    tokens: Path | None,
    code: str | None,
    kind: str | None,
    seats: int | None,
    given: tuple[str, ...],
    modules: str,
    opponents: str,
    visibility: str,
    hours: int | None,
    calendar: tuple[str, str] | None,
    off: tuple[str, str] | None,
    invitation: str | None,
    bot: str | None,
    plan: str | None,
    undo: bool,
    watch: bool,
    save: Path | None,
) -> None:
    """Play or watch a game in the terminal.

    GAME is the id of a game. Without it, create a game with --new, or choose from a list. At first use the command registers you;
    it stores your token in a file. It uses only the public API.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel play --new nim --with expert
    """
    named = {"--watch": watch, "--undo": undo, "--save": save is not None, "--plan": plan is not None}
    if game_id is None and any(named.values()):
        raise click.UsageError(f"{next(name for name, given in named.items() if given)} needs the id of a game.")
    client = TerminalClient(url)
    try:
        if not watch:
            log_in(client, TokenFile(tokens) if tokens else TokenFile.usual(), name, code)
        if save is not None:
            assert game_id is not None
            _save(client, game_id, save)
            return
        if plan is not None:
            assert game_id is not None
            planned(client, game_id, plan)
            return
        made, thinks = kind is not None, bot in THINKING
        if thinks and not made:
            raise click.UsageError(
                f"--bot {bot} needs --new: the service runs search bots and seats them only before a game starts."
            )
        if kind is not None:
            bots = [each for each in opponents.split(",") if each]
            body = {
                "kind": kind,
                "seats": seats or _fewest(client, kind, len(bots) + 1),
                "options": dict(map(_option, given)),
                "modules": [each for each in modules.split(",") if each],
                "pace": {**_pace(hours, calendar), **_days_off(off)},
                "visibility": visibility,
            }
            game_id = new_game(client, body, bots)
            if bot is not None and thinks:
                leave_to(client, game_id, bot)
        elif game_id is None:
            game_id = find_game(client)
        if not watch and not thinks:
            take_seat(client, game_id, invitation)
        mine = BOTS[bot]() if bot is not None and not thinks else None
        seated = Seated(client, game_id, mine, watch=watch or thinks, hosts=thinks)
        if undo and not watch:
            seated.take_back()
        _play(client, game_id, seated, made=made)
    except ApiError as error:
        raise click.ClickException("\n".join((str(error), *getattr(error, "__notes__", ())))) from error
    except Quit:
        click.echo(_farewell(client, game_id), err=True)
    except (KeyboardInterrupt, click.Abort):
        click.echo("\n" + _farewell(client, game_id), err=True)
        sys.exit(130)


def _play(client: TerminalClient, game_id: GameId, seated: Seated, *, made: bool) -> None:
    """Play the game. If it was just created and cannot start, it is deleted."""
    try:
        seated.play()
    except ApiError as error:
        if made and not seated.kind:
            withdraw(client, game_id, error)
        raise


def _save(client: TerminalClient, game_id: GameId, path: Path) -> None:
    try:
        client.save(game_id, path)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}.") from error
    click.echo(f"Saved to {path}. To check it: oraclewheel audit {path}")


def _fewest(client: TerminalClient, kind: str, least: int) -> int:
    """The smallest number of seats of this kind of game that is at least ``least``; ``least`` if there is no such number."""
    kinds = client.call("GET", "/v1/kinds")["kinds"]
    found = [seats for row in kinds if row["key"] == kind for seats in row["seats"] if seats >= least]
    return min(found, default=least)


def _farewell(client: TerminalClient, game_id: GameId | None) -> str:
    if game_id is None:
        return "No game was started."
    return f"The game continues without you. To return: oraclewheel play {game_id} --url {client.url}"


def _pace(hours: int | None, calendar: tuple[str, str] | None) -> dict[str, Any]:
    if calendar is not None:
        if hours is not None:
            raise click.UsageError("Give either --hours or --calendar, not both.")
        return {"mode": "calendar", "day": "PT24H", "at": calendar[0], "zone": calendar[1]}
    return {"mode": "free"} if hours is None else {"mode": "per_question", "hours": hours}


def _days_off(off: tuple[str, str] | None) -> dict[str, Any]:
    if off is None:
        return {}
    days = [each for each in off[0].split(",") if each]
    holidays = [each for each in days if each[0].isdecimal()]
    return {"weekends": [each for each in days if each not in holidays], "holidays": holidays, "zone": off[1]}


def _option(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
