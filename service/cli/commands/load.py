"""``oraclewheel load``: games of bots over REST against a running service, measured and checked."""

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

from service.cli.jobs import writing
from service.cli.loading.accounts import NoAccounts, brought, erased, registered
from service.cli.loading.cores import core_seconds, roots
from service.cli.loading.crowd import Crowd
from service.cli.loading.line import Line
from service.cli.loading.plan import LoadPlan
from service.cli.loading.report import Report
from service.cli.loading.tally import Tally
from service.cli.terminal.bots import BOTS
from service.cli.terminal.client import ApiError

MIXED = "mixed"


def _address(_context: click.Context, _option: click.Parameter, url: str) -> str:
    try:
        parts = urllib3.util.parse_url(url)
    except urllib3.exceptions.LocationParseError:
        parts = urllib3.util.Url()
    if parts.scheme not in {"http", "https"} or not parts.host:
        raise click.BadParameter(f"{url!r} is no address: it begins with http:// or https://, and a host follows.")
    return url


def _number(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if not math.isfinite(value):  # what is no number is in every range
        raise click.BadParameter(f"{value} is not a number.")
    return value


@click.command("load")
@click.option(
    "--url",
    envvar="ORACLEWHEEL_URL",
    default="http://127.0.0.1:8000",
    show_default=True,
    callback=_address,
    help="The service.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    default=("nim",),
    show_default=True,
    help="May be repeated; `mixed`: all there are.",
)
@click.option("--games", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Games at a time.")
@click.option(
    "--minutes",
    type=click.FloatRange(0, 24 * 60, min_open=True),
    default=1.0,
    show_default=True,
    callback=_number,
)
@click.option("--commands", type=click.IntRange(0), default=0, help="End sooner, after so many commands.")
@click.option("--clients", type=click.IntRange(1, 256), default=16, show_default=True, help="Connections that play.")
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=0.0,
    callback=_number,
    help="Commands a second of all together, spread at random as by post; by default as fast as can be.",
)
@click.option("--wait/--no-wait", default=True, show_default=True, help="Send commands with `Prefer: wait`.")
@click.option(
    "--streams", type=click.IntRange(0, 1000), default=10, show_default=True, help="Event streams listened to."
)
@click.option("--bot", type=click.Choice(sorted(BOTS)), default="greedy", show_default=True, help="Who chooses.")
@click.option(
    "--accounts", "wanted", type=click.IntRange(2, 1000), default=20, show_default=True, help="Players to make."
)
@click.option("--code", help="The registration code, where newcomers need one.")
@click.option(
    "--tokens",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of tokens, one a line, of accounts to play with instead.",
)
@click.option("--keep", is_flag=True, help="Leave the games running and the accounts as they are.")
@click.option(
    "--pid",
    "pids",
    type=int,
    multiple=True,
    help="A process here that belongs to the service, beside who listens at the URL.",
)
@click.option("--plots", type=click.Path(file_okay=False, path_type=Path), help="Draw the report into this folder.")
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
    """Have bots play games at a running service for so many minutes, and report how it bore that.

    The bots know nothing but the API. At the end the games are ended by a vote of their players, every history is read and each
    command that was acknowledged must stand there once, and the accounts are erased. Ctrl-C ends it sooner, with all of that;
    a second one at once. Exit status 1 if a command was lost or doubled, or could not be checked.
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
                raise NoAccounts(f"{tokens} has tokens of {len(accounts)} accounts, and {max(seats)} are needed.")
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
        from service.cli.loading.plots import plot

        with writing(plots):
            for file in plot(report, plots):
                click.echo(f"Drawn into {file}", err=True)
    if not report.right:
        sys.exit(1)


def _kinds(line: Line, wanted: Sequence[str]) -> tuple[tuple[str, ...], list[int]]:
    """The kinds to play, and with how many seats each: the fewest, but at least two."""
    answer = line.ask("kinds", "GET", "/v1/kinds")
    if answer.status != 200:
        raise ApiError(
            answer.status, {"detail": f"There is no Oracle Wheel at this address: GET /v1/kinds is {answer.status}."}
        )
    try:
        offered = {row["key"]: min(count for count in row["seats"] if count > 1) for row in answer.json["kinds"]}
    except (ApiError, LookupError, TypeError, ValueError) as error:
        detail = "There is no Oracle Wheel at this address: GET /v1/kinds tells of no kinds."
        raise ApiError(answer.status, {"detail": detail}) from error
    names = tuple(offered) if MIXED in wanted else tuple(dict.fromkeys(wanted))
    if unknown := [name for name in names if name not in offered]:
        raise click.BadParameter(f"there is no {unknown[0]!r} there, but {', '.join(offered)}", param_hint="--kind")
    return names, [offered[name] for name in names]


def _must_be_writable(folder: Path) -> None:
    """Before anybody plays: a report that nothing can be drawn of is found out too late after an hour."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise click.ClickException(f"{folder} cannot be drawn into: {error.strerror}.") from error


@contextmanager
def _until_told(stopped: threading.Event) -> Iterator[list[int]]:
    """The first Ctrl-C, or SIGTERM, stops the play; the second ends the command. What came stands in the list."""
    told: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        told.append(number)
        if len(told) > 1:
            raise KeyboardInterrupt
        click.echo("Broken off; ending, checking and clearing away. Ctrl-C again leaves at once.", err=True)
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


Measured = tuple[dict[str, float], float, tuple[float, float]]
"""Seconds on a core of the service by role, and of this process; the load averages before and after."""


def _measured(crowd: Crowd, processes: Sequence[int], *, keep: bool) -> Measured:
    """All stages, one after the other, and what the processes have taken meanwhile."""
    average = os.getloadavg()[0]
    _say("Making the games …")
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
