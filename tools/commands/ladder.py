"""``oraclewheel ladder``: rate the bots of a game by playing them against each other.

Runs in process, or at a running service, where programs of others can take part with the tokens of their accounts.
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

from domain.kernel.errors import BadSetup
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from domain.table import bots
from service.cli.grouped import Grouped
from service.cli.jobs import Duration, NewFile, writing
from service.cli.terminal.client import ApiError
from tools.commands.simulate import SimulationPlan, option, simulated
from tools.ladder.entrants import NotEntered
from tools.ladder.hosted import Hosted, Wanted
from tools.ladder.tables import NobodyPlays
from tools.ladder.watching import Limits, notes
from tools.simulation import rating
from tools.simulation.figures import Result

_LONGEST_NAME = 40
"""Maximum length of an entrant's name, which is shown in tables and charts."""


def meetings(plan: SimulationPlan, players: Sequence[str]) -> Iterator[SimulationPlan]:
    """A plan for each pair of bots, in which they alternate around the table and move one seat on from game to game.

    With an odd number of seats there are two plans, so that each bot has the additional seat in one of them.
    """
    seats = plan.setup.seats
    for one, other in combinations(players, 2):
        for first, second in ((one, other), (other, one)) if seats % 2 else ((one, other),):
            sitting = tuple((first, second)[seat % 2] for seat in range(seats))
            yield SimulationPlan(
                plan.kind, plan.setup, sitting, f"{plan.seed}/{first}/{second}", True, limit=plan.limit
            )


def played(plan: SimulationPlan, players: Sequence[str], games: int, jobs: int = 1) -> Generator[Result, None, None]:
    """The results of so many games for each meeting."""
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
                f"{name[:_LONGEST_NAME]!r} is not a valid name. Use up to {_LONGEST_NAME} printable characters."
            )
        if not Path(file).is_file():
            raise click.BadParameter(f"The token file of {name} was not found: {file}.")
        found.append((name, Path(file)))
    return found


_GROUPS = {
    "Games": ("kind", "bots", "seats", "games", "options", "modules", "ruleset", "seed", "limit"),
    "Running service": ("url", "entrant", "code", "patience", "minutes"),
}


@click.command("ladder", cls=Grouped, groups=_GROUPS)
@click.option("--kind", default="battalia", show_default=True, help="The game to play.")
@click.option("--bots", "players", default="", help="Bots, such as greedy,random,search:1. The first is the reference.")
@click.option("--seats", type=click.IntRange(2), help="Number of seats. Default: the fewest possible.")
@click.option("--games", type=click.IntRange(1), default=20, show_default=True, help="Games for each pair.")
@click.option("--options", "given", multiple=True, metavar="NAME=VALUE", help="Option of the game. Can be repeated.")
@click.option("--modules", default="", help="Modules, comma-separated.")
@click.option("--ruleset", default="", help="Ruleset. Default: the newest.")
@click.option("--seed", help="Seed (any text). The same seed gives the same games. Default: random, printed.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Commits after which a game is abandoned.",
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Games played in parallel.")
@click.option("--plot", type=NewFile(), help="Draw the ladder into this SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print the ratings as JSON.")
@click.option("--url", help="Play at this service. Needs --entrant.")
@click.option(
    "--entrant",
    "given_entrants",
    multiple=True,
    metavar="NAME=TOKENFILE",
    callback=_entrants,
    help="With --url: a program that plays with the account of the token in this file. Can be repeated.",
)
@click.option("--code", help="With --url: the registration code, if the service requires one.")
@click.option(
    "--patience",
    type=Duration(),
    default=60.0,
    show_default=True,
    help="With --url: seconds without an answer after which an entrant loses its game.",
)
@click.option(
    "--minutes",
    type=Duration(),
    default=60.0,
    show_default=True,
    help="With --url: minutes after which a game is abandoned and not counted.",
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
    """Rate the bots of a game against each other.

    Every pair of bots plays --games games in rotating seats. The result is a table of Bradley-Terry ratings on the Elo scale. The
    default is all bots except the slower search bots. Ctrl-C stops early and prints the ratings so far.

    With --url, the games are played at a running service. Each entrant plays each bot, which the service controls. At tables for
    two it also plays each other entrant; at larger tables it plays one seat and the bot plays the others. The entrant's program
    finds its games in GET /v1/me/turns. --jobs games run in parallel.

    Exit status: 0 if all games are valid; 1 if the rules failed or a game reached a dead end.

    Example: oraclewheel ladder --bots greedy,random --games 40 --jobs 2
    """
    options, wanted = dict(map(option, given)), tuple(name for name in modules.split(",") if name)
    left: list[str] = []
    if url is None:
        if given_entrants:
            raise click.UsageError("--entrant needs --url, the address of the service to play at.")
        game = GAMES.get(kind)
        if game is None:
            raise click.BadParameter(
                f"{kind!r} is not a game. Choose from {', '.join(GAMES) or 'none'}", param_hint="--kind"
            )
        names = _players(game, players)
        setup = Setup(seats or max(2, min(game.rules.seats)), ruleset or game.rules.rulesets[0], options, wanted)
        try:
            setup = game.rules.check(setup)
        except BadSetup as error:
            raise click.UsageError(str(error)) from error
        plan = SimulationPlan(kind, setup, names, seed or secrets.token_hex(8), limit=limit)
        table = ", ".join((f"{setup.seats} seats", setup.ruleset, *setup.modules))
        ladder = f"{game.title}, {table}, {{games}} games, seed {plan.seed}"
        results, failed = _all(played(plan, names, games, jobs), games * len(list(meetings(plan, names))))
    else:
        if not given_entrants:
            raise click.UsageError("--url needs --entrant. To rate only bots, leave out --url.")
        if seed is not None:
            raise click.UsageError("--seed cannot be used with --url: the service chooses the dice of every game.")
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
    """The results of all games played before an error or Ctrl-C, and the error."""
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
        click.echo(f"Chart written to {plot}", err=True)
    if any(result.faults for result in results):
        sys.exit(1)


def _players(game: AnyGame, players: str) -> tuple[str, ...]:
    """The named bots, without duplicates.

    Default: the fallback bot first, all other quick bots, and the quickest search bot.
    """
    known = bots.all_names(game)
    usual = bots.stand_in(game)
    if not players:
        return (usual, *(name for name in bots.names(game) if name != usual), next(iter(bots.THINKING)))
    named = tuple(dict.fromkeys(name.strip() for name in players.split(",")))
    if unknown := sorted(set(named) - set(known)):
        raise click.BadParameter(f"{unknown[0]!r} is not a bot. Choose from {', '.join(known)}", param_hint="--bots")
    if len(named) < 2:
        raise click.BadParameter("give at least two bots", param_hint="--bots")
    return named
