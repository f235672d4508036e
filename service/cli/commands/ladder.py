"""``oraclewheel ladder``: the bots of a game against each other, in process, and how strong each of them is."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import click

from domain.errors import BadSetup
from domain.game import AnyGame, Setup
from domain.play import bots
from domain.registry import GAMES
from service.cli.commands.simulate import SimulationPlan, option, simulated
from service.cli.simulating import rating
from service.cli.simulating.figures import Result


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


def played(plan: SimulationPlan, players: Sequence[str], games: int, jobs: int = 1) -> Iterator[Result]:
    """So many games for each meeting."""
    for meeting in meetings(plan, players):
        for result, _ in simulated(meeting, games, jobs):
            yield result


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
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the ladder into this SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print the ratings as a JSON document instead.")
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
) -> None:
    """Let every two bots of a game play, seats taken in turn, and print Bradley-Terry ratings in points of Elo's.

    By default all bots but the slowest that search. Exit status 1 if the rules failed or a game ran into a dead end.
    """
    rules = GAMES.get(kind)
    if rules is None:
        raise click.BadParameter(f"there is {', '.join(GAMES) or 'none'}", param_hint="--kind")
    names = _players(rules, players)
    wanted = tuple(name for name in modules.split(",") if name)
    setup = Setup(seats or max(2, min(rules.seats)), ruleset or rules.rulesets[0], dict(map(option, given)), wanted)
    try:
        setup = rules.check(setup)
    except BadSetup as error:
        raise click.UsageError(str(error)) from error
    plan = SimulationPlan(kind, setup, names, seed or secrets.token_hex(8), limit=limit)
    count = games * len(list(meetings(plan, names)))
    results: list[Result] = []
    with click.progressbar(length=count, label="Playing", file=sys.stderr) as bar:
        for result in played(plan, names, games, jobs):
            results.append(result)
            bar.update(1)
    title = f"{rules.title}, {', '.join((f'{setup.seats} seats', setup.ruleset, *setup.modules))}, {count} games, seed {plan.seed}"
    if as_json:
        click.echo(json.dumps({"title": title, "ratings": [asdict(each) for each in rating.ratings(names, results)]}))
    else:
        click.echo(f"{title}\n\n{rating.table(names, results)}")
    if plot is not None:
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
