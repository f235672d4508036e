"""``oraclewheel ladder``: the bots of a game against each other, and how strong each of them is.

In process, or at a running service, where the programs of others are entered by the tokens of their accounts.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import click

from domain.errors import BadSetup
from domain.game import AnyGame, Setup
from domain.play import bots
from domain.registry import GAMES
from service.cli.commands.simulate import SimulationPlan, option, simulated
from service.cli.hosting.entrants import NotEntered
from service.cli.hosting.hosted import Hosted, Wanted
from service.cli.hosting.tables import NobodyPlays
from service.cli.hosting.watching import Limits, notes
from service.cli.jobs import Duration, NewFile, writing
from service.cli.simulating import rating
from service.cli.simulating.figures import Result
from service.cli.terminal.client import ApiError

_LONGEST_NAME = 40
"""Signs of an entrant's name, which stands in tables and pictures."""


def meetings(plan: SimulationPlan, players: Sequence[str]) -> Iterator[SimulationPlan]:
    """For each two of the bots a plan in which they sit by turns around the table, and move one seat on from game to game.

    At a table with an odd number of seats it is one seat more for the one, and in a plan of its own for the other.
    """
    seats = plan.setup.seats
    for one, other in combinations(players, 2):
        for first, second in ((one, other), (other, one)) if seats % 2 else ((one, other),):
            sitting = tuple((first, second)[seat % 2] for seat in range(seats))
            yield SimulationPlan(
                plan.kind, plan.setup, sitting, f"{plan.seed}/{first}/{second}", True, limit=plan.limit
            )


def played(plan: SimulationPlan, players: Sequence[str], games: int, jobs: int = 1) -> Generator[Result, None, None]:
    """So many games for each meeting."""
    for meeting in meetings(plan, players):
        for result, _ in simulated(meeting, games, jobs):
            yield result


def _entrants(_context: click.Context, _option: click.Parameter, given: Sequence[str]) -> list[tuple[str, Path]]:
    found = []
    for text in given:
        name, _, file = text.partition("=")
        if not (name and file):
            raise click.BadParameter(f"{text!r} is not NAME=TOKENFILE.")
        if len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
            raise click.BadParameter(
                f"{name[:_LONGEST_NAME]!r} is no name of up to {_LONGEST_NAME} signs that can be shown."
            )
        if not Path(file).is_file():
            raise click.BadParameter(f"There is no file {file}, which should hold the token of {name}.")
        found.append((name, Path(file)))
    return found


@click.command("ladder")
@click.option("--kind", default="battalia", show_default=True, help="The game to play.")
@click.option(
    "--bots", "players", default="", help="Which bots, the first of them as the measure: greedy,random,search:1 …"
)
@click.option("--seats", type=click.IntRange(2), help="How many seats; by default the fewest.")
@click.option("--games", type=click.IntRange(1), default=20, show_default=True, help="How many games any two play.")
@click.option("--options", "given", multiple=True, metavar="NAME=VALUE", help="An option of the game; may be repeated.")
@click.option("--modules", default="", help="Modules, separated by commas.")
@click.option("--ruleset", default="", help="The ruleset; by default the newest.")
@click.option("--seed", help="Any text: the same gives the same games. By default a new one, which is printed.")
@click.option(
    "--limit", type=click.IntRange(1), default=20_000, show_default=True, help="Commits before a game is left."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Games played at once.")
@click.option("--plot", type=NewFile(), help="Draw the ladder into this SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print the ratings as a JSON document instead.")
@click.option("--url", help="Play at this service, with those who are entered.")
@click.option(
    "--entrant",
    "given_entrants",
    multiple=True,
    metavar="NAME=TOKENFILE",
    callback=_entrants,
    help="With --url: somebody's program, which plays with the account of the token in this file; may be repeated.",
)
@click.option("--code", help="With --url: the registration code, where newcomers need one.")
@click.option(
    "--patience",
    type=Duration(),
    default=60.0,
    show_default=True,
    help="With --url: after so many seconds without an answer an entrant has lost its game.",
)
@click.option(
    "--minutes",
    type=Duration(),
    default=60.0,
    show_default=True,
    help="With --url: a game that lasts longer is given up, and counts for nobody.",
)
def command(
    kind: str,
    players: str,
    seats: int | None,
    games: int,
    given: tuple[str, ...],
    modules: str,
    ruleset: str,
    seed: str | None,
    limit: int,
    jobs: int,
    plot: Path | None,
    as_json: bool,
    url: str | None,
    given_entrants: list[tuple[str, Path]],
    code: str | None,
    patience: float,
    minutes: float,
) -> None:
    """Let every two bots of a game play, seats taken in turn, and print Bradley-Terry ratings in points of Elo's.

    By default all bots but the slowest that search. Exit status 1 if the rules failed or a game ran into a dead end. Ctrl-C ends it
    sooner: what was played by then is told.

    With --url games are made at a running service. Each entrant meets each bot, which the service plays, and at tables for two each
    other entrant; at larger ones it sits alone among seats of the bot. Its own program plays, and finds the games that wait for it in
    GET /v1/me/turns. --jobs games are under way at once.
    """
    options, wanted = dict(map(option, given)), tuple(name for name in modules.split(",") if name)
    left: list[str] = []
    if url is None:
        if given_entrants:
            raise click.UsageError("--entrant needs --url, the service at which they play.")
        rules = GAMES.get(kind)
        if rules is None:
            raise click.BadParameter(f"there is {', '.join(GAMES) or 'none'}", param_hint="--kind")
        names = _players(rules, players)
        setup = Setup(seats or max(2, min(rules.seats)), ruleset or rules.rulesets[0], options, wanted)
        try:
            setup = rules.check(setup)
        except BadSetup as error:
            raise click.UsageError(str(error)) from error
        plan = SimulationPlan(kind, setup, names, seed or secrets.token_hex(8), limit=limit)
        table = ", ".join((f"{setup.seats} seats", setup.ruleset, *setup.modules))
        ladder = f"{rules.title}, {table}, {{games}} games, seed {plan.seed}"
        results, failed = _all(played(plan, names, games, jobs), games * len(list(meetings(plan, names))))
    else:
        if not given_entrants:
            raise click.UsageError("--url needs an --entrant: bots alone play in process, without a service.")
        if seed is not None:
            raise click.UsageError("--seed is for games in process: at a service the dice of every game are its own.")
        bots_ = tuple(dict.fromkeys(name.strip() for name in players.split(",") if name))
        limits = Limits(patience, 60 * minutes)
        try:
            hosted = Hosted(
                url, code, given_entrants, Wanted(kind, bots_, seats, options, wanted, ruleset, games, jobs, limits)
            )
            names, ladder = hosted.names, f"{hosted.title}, {{games}} games"
        except (NotEntered, ApiError) as error:
            raise click.ClickException(str(error)) from error
        results, failed = _all(hosted.results(), hosted.count)
        left = hosted.remarks()
    if results or failed is None:
        _tell(names, results, ladder.format(games=len(results)), plot, [*notes(results), *left], as_json=as_json)
    if failed is not None:
        raise click.ClickException(str(failed)) from failed


def _all(playing: Generator[Result, None, None], count: int) -> tuple[list[Result], Exception | None]:
    """The games as they are played, all of them or as far as somebody lets them be played; and what went wrong then."""
    results: list[Result] = []
    failed: Exception | None = None
    try:
        with closing(playing), click.progressbar(length=count, label="Playing", file=sys.stderr) as bar:
            for result in playing:
                results.append(result)
                bar.update(1)
    except (NotEntered, NobodyPlays, ApiError) as error:
        failed = error
        click.echo(f"Broken off after {len(results)} of {count} games.", err=True)
    except KeyboardInterrupt:
        click.echo(f"Broken off after {len(results)} of {count} games.", err=True)
    return results, failed


def _tell(
    names: Sequence[str],
    results: Sequence[Result],
    title: str,
    plot: Path | None,
    remarks: Sequence[str],
    *,
    as_json: bool,
) -> None:
    if as_json:
        ratings = [asdict(each) for each in rating.ratings(names, results)]
        click.echo(json.dumps({"title": title, "ratings": ratings, "notes": remarks}))
    else:
        click.echo("\n".join((f"{title}\n\n{rating.table(names, results)}", *(["", *remarks] if remarks else []))))
    if plot is not None:
        with writing(plot):
            rating.plot(names, results, title, plot)
        click.echo(f"Drawn into {plot}", err=True)
    if any(result.faults for result in results):
        sys.exit(1)


def _players(rules: AnyGame, players: str) -> tuple[str, ...]:
    """The bots that were named, each once; or the usual one, every other that may sit at a table, and the quickest that searches."""
    known = bots.all_names(rules)
    usual = bots.stand_in(rules)
    if not players:
        return (usual, *(name for name in bots.names(rules) if name != usual), next(iter(bots.THINKING)))
    named = tuple(dict.fromkeys(name.strip() for name in players.split(",")))
    if unknown := sorted(set(named) - set(known)):
        raise click.BadParameter(f"no {unknown[0]!r} among {', '.join(known)}", param_hint="--bots")
    if len(named) < 2:
        raise click.BadParameter("it takes two", param_hint="--bots")
    return named
