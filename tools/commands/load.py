"""``oraclewheel load``: measure and check a running service with games between bots over REST."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from types import FrameType

import click
import urllib3

from service.cli.grouped import Grouped
from service.cli.jobs import writing
from service.cli.terminal.bots import BOTS
from service.cli.terminal.client import ApiError
from tools.load.accounts import NoAccounts, brought, erased, registered
from tools.load.cores import core_seconds, roots
from tools.load.crowd import Crowd
from tools.load.line import Line
from tools.load.plan import LoadPlan
from tools.load.report import Report
from tools.load.tally import Tally

MIXED = "mixed"


def _address(_context: click.Context, _option: click.Parameter, url: str) -> str:
    try:
        parts = urllib3.util.parse_url(url)
    except urllib3.exceptions.LocationParseError:
        parts = urllib3.util.Url()
    if parts.scheme not in {"http", "https"} or not parts.host:
        raise click.BadParameter(f"{url!r} is not a URL. Use the form http://host or https://host.")
    return url


def _number(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if not math.isfinite(value):  # a value that is not a number passes every range check
        raise click.BadParameter(f"{value} is not a number.")
    return value


_GROUPS = {
    "Games": ("kind", "games", "minutes", "commands", "bot"),
    "Traffic": ("clients", "rate", "wait", "streams"),
    "Accounts": ("url", "accounts", "code", "tokens", "keep"),
}


@click.command("load", cls=Grouped, groups=_GROUPS)
@click.option(
    "--url",
    envvar="ORACLEWHEEL_URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    callback=_address,
    help="Address of the service.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    default=("nim",),
    show_default=True,
    help="Kind of game. Can be repeated. `mixed`: all kinds.",
)
@click.option("--games", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Games in parallel.")
@click.option(
    "--minutes",
    type=click.FloatRange(0, 24 * 60, min_open=True),
    default=1.0,
    show_default=True,
    callback=_number,
    help="Duration of the test.",
)
@click.option("--commands", type=click.IntRange(0), default=0, help="Stop early after this many commands. 0: no limit.")
@click.option(
    "--clients", type=click.IntRange(1, 256), default=16, show_default=True, help="Connections that send commands."
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=0.0,
    callback=_number,
    help="Total commands per second, at random intervals. Default: as fast as possible.",
)
@click.option("--wait/--no-wait", default=True, show_default=True, help="Send commands with `Prefer: wait`.")
@click.option("--streams", type=click.IntRange(0, 1000), default=10, show_default=True, help="Open event streams.")
@click.option(
    "--bot", type=click.Choice(sorted(BOTS)), default="greedy", show_default=True, help="Bot that chooses the moves."
)
@click.option(
    "--accounts", "wanted", type=click.IntRange(2, 1000), default=20, show_default=True, help="Accounts to register."
)
@click.option("--code", help="Registration code, if the service requires one.")
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with tokens of existing accounts to use instead, one per line.",
)
@click.option("--keep", is_flag=True, help="Do not end the games or delete the accounts.")
@click.option(
    "--pid",
    "pids",
    type=int,
    multiple=True,
    help="Also measure this process of the service, by its id on this machine. Can be repeated.",
)
@click.option(
    "--plots", type=click.Path(file_okay=False, path_type=Path), help="Write charts of the report into this folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(
    url: str,
    kinds: tuple[str, ...],
    games: int,
    minutes: float,
    commands: int,
    clients: int,
    rate: float,
    wait: bool,
    streams: int,
    bot: str,
    wanted: int,
    code: str | None,
    tokens: Path | None,
    keep: bool,
    pids: tuple[int, ...],
    plots: Path | None,
    as_json: bool,
) -> None:
    """Run a load test against a running service.

    Bots play games over the API for --minutes. At the end, players vote to end the games. The command reads every history and
    checks that each acknowledged command is in it exactly once. Then it deletes the accounts and prints a report.

    Ctrl-C stops the test early and still checks and cleans up; a second Ctrl-C stops at once.

    Exit status: 0 if every command was found once; 1 if a command was lost, duplicated, or could not be checked.

    Example: oraclewheel load --games 1000 --minutes 5
    """
    if plots is not None:
        _must_be_writable(plots)
    line, stopped = Line(url, Tally()), threading.Event()
    left = 0
    with _until_told(stopped) as told:
        try:
            names, seats = _kinds(line, kinds)
            accounts = brought(line, tokens) if tokens else registered(line, max(wanted, *seats), code, stopped)
            if len(accounts) < max(seats):
                raise NoAccounts(
                    f"{tokens} has tokens of {len(accounts)} accounts, but {max(seats)} are needed. Add tokens of other accounts."
                )
        except (NoAccounts, ApiError) as error:
            raise click.ClickException(str(error)) from error
        plan = LoadPlan(url, names, games, 60 * minutes, commands, clients, rate, wait, streams, bot)
        try:
            crowd = Crowd(plan, seats, accounts, stopped)
            measured = _measured(crowd, roots(url, pids), keep=keep)
        finally:
            left = 0 if keep else erased(line, accounts)
    report = _report(plan, crowd, line.tally, measured, broken_off=bool(told), kept=keep, left=left)
    click.echo(json.dumps(report.document()) if as_json else report.text())
    if plots is not None:
        from tools.load.plots import plot

        with writing(plots):
            for file in plot(report, plots):
                click.echo(f"Chart written to {file}", err=True)
    if not report.right:
        sys.exit(1)


def _kinds(line: Line, wanted: Sequence[str]) -> tuple[tuple[str, ...], list[int]]:
    """The kinds to play, and with how many seats each: the fewest, but at least two."""
    answer = line.ask("kinds", "GET", "/v1/kinds")
    if answer.status != 200:
        raise ApiError(
            answer.status,
            {
                "detail": f"No Oracle Wheel service was found at this address: GET /v1/kinds returned {answer.status}. Check --url."
            },
        )
    try:
        offered = {row["key"]: min(count for count in row["seats"] if count > 1) for row in answer.json["kinds"]}
    except (ApiError, LookupError, TypeError, ValueError) as error:
        detail = "No Oracle Wheel service was found at this address: GET /v1/kinds returned no kinds. Check --url."
        raise ApiError(answer.status, {"detail": detail}) from error
    names = tuple(offered) if MIXED in wanted else tuple(dict.fromkeys(wanted))
    if unknown := [name for name in names if name not in offered]:
        raise click.BadParameter(
            f"the service has no {unknown[0]!r}. Choose from {', '.join(offered)}", param_hint="--kind"
        )
    return names, [offered[name] for name in names]


def _must_be_writable(folder: Path) -> None:
    """Check before the test: an hour later would be too late."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise click.ClickException(f"{folder} cannot be written: {error.strerror}.") from error


@contextmanager
def _until_told(stopped: threading.Event) -> Iterator[list[int]]:
    """Stop the games at the first Ctrl-C or SIGTERM, and the command at the second; yields the list of signals."""
    told: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        told.append(number)
        if len(told) > 1:
            raise KeyboardInterrupt
        click.echo(
            "Stopping. The games are ended and checked, and accounts are deleted. Press Ctrl-C again to stop at once.",
            err=True,
        )
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


Measured = tuple[dict[str, float], float, tuple[float, float]]
"""CPU seconds of the service by role, and of this process; the load averages before and after."""


def _measured(crowd: Crowd, processes: Sequence[int], *, keep: bool) -> Measured:
    average = os.getloadavg()[0]
    _say("Creating the games …")
    crowd.make()
    before, own = core_seconds(processes), time.process_time()
    if not crowd.stopped.is_set():
        _say("Playing …")
        crowd.play()
    after, own = core_seconds(processes), time.process_time() - own
    averages = average, os.getloadavg()[0]
    _say("Checking …" if keep else "Ending and checking the games …")
    crowd.clear(keep=keep)
    return {role: max(0.0, seconds - before.get(role, 0.0)) for role, seconds in after.items()}, own, averages


def _say(words: str) -> None:
    click.echo(words, err=True)


def _report(
    plan: LoadPlan, crowd: Crowd, people: Tally, measured: Measured, *, broken_off: bool, kept: bool, left: int
) -> Report:
    cores, own, averages = measured
    return Report(
        plan=plan,
        broken_off=broken_off,
        people=people,
        making=crowd.making,
        playing=crowd.playing,
        ending=crowd.ending,
        games=crowd.made,
        over=crowd.over,
        refused=crowd.refused,
        behind=crowd.pace.behind,
        found=crowd.found,
        kept=kept,
        accounts_left=left,
        cores=cores,
        own=own,
        load=averages,
    )
