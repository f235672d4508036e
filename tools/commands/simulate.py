"""``oraclewheel simulate``: play games between bots in this process, report the results, and record games."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from domain.kernel.errors import BadSetup, RulesFault
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from domain.table import bots
from service.audit.auditor import audit
from service.cli.grouped import Grouped
from service.cli.jobs import NewFile, writing
from tools.simulation.figures import Result, happened, table
from tools.simulation.fitting import Sampling, fits, write
from tools.simulation.outlooks import expected
from tools.simulation.selfplay import Deadlock, SelfPlay

UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """Games that differ only in their seed, and in their seating if seats rotate."""

    kind: str
    setup: Setup
    bots: tuple[str, ...]
    seed: str
    rotate: bool = False
    spoken: bool = False
    """Whether the bots' moves are recorded as commands of their seats, as if clients had sent them."""
    limit: int = 20_000
    audited: bool = False
    """Whether each game is exported and audited, and its state checked after every commit."""
    counted: tuple[str, ...] = ()
    """The events to count in each game, as in `figures.happened`."""
    sampled: bool = False
    """Whether features of the seats are sampled, for a fit."""

    def seats(self, number: int) -> tuple[str, ...]:
        """The bots of a game, seat 1 first."""
        turn = number % len(self.bots) if self.rotate else 0
        return (*self.bots[turn:], *self.bots[:turn])

    def game(self, number: int) -> SelfPlay:
        """The game with this number, not yet begun."""
        word = "player:" if self.spoken else "bot:"
        seed = hashlib.sha256(f"{self.seed}/{number}".encode()).digest()
        name = f"{self.kind}-{hashlib.sha256(seed).hexdigest()[:12]}"
        return SelfPlay(GAMES[self.kind], self.setup, [word + bot for bot in self.seats(number)], seed, name)


def played(plan: SimulationPlan, number: int) -> tuple[Result, bytes]:
    """Play one game; returns its result and its export."""
    play, faults = plan.game(number), []
    game = GAMES[plan.kind]
    began = time.perf_counter()
    looking = 0.0
    counts: Counter[str] = Counter()
    sampling = Sampling(game, number)
    try:
        while not play.over and play.position.seq < plan.limit:
            commit = play.step()
            counts += happened(plan.counted, commit.events)
            if plan.sampled:
                sampling.look(play.position)
            if commit.refusal is not None:
                faults.append(f"commit {commit.seq}: {commit.refusal.code}: {commit.refusal.message} {commit.fault!r}")
                if commit.refusal.code == RulesFault.code or plan.spoken or len(faults) > 10:
                    break
            if plan.audited and play.position.state is not None:
                since = time.perf_counter()
                faults += [f"commit {commit.seq}: {fault}" for fault in game.rules.faults(play.position.state)]
                looking += time.perf_counter() - since
    except Deadlock as error:
        faults.append(f"dead end: {error}")
    seconds = time.perf_counter() - began - looking
    export = play.export()
    if plan.audited:
        report = audit(export)
        faults += [str(divergence) for divergence in report.divergences]
    result = replace(_result(plan, number, play), seconds=seconds, faults=tuple(faults), counts=counts)
    return replace(
        result, samples=sampling.samples(play.position.state), seen=sampling.seen(play.position.state)
    ), export


def _result(plan: SimulationPlan, number: int, game: SelfPlay) -> Result:
    position = game.position
    outcome = None if position.table is None else position.table.outcome
    view = {} if position.state is None else game.game.knowledge.view(position.state)
    return Result(
        number,
        plan.seats(number),
        outcome.reason if outcome else UNFINISHED,
        outcome.clause if outcome else "-",
        outcome.winners if outcome else (),
        outcome.scores if outcome else {},
        position.seq,
        0.0,
        {name: value for name, value in view.items() if type(value) is int},
    )


def simulated(plan: SimulationPlan, games: int, jobs: int = 1) -> Iterator[tuple[Result, bytes]]:
    """Play so many games, ``jobs`` in parallel; in the order of their numbers."""
    if jobs == 1:
        for number in range(games):
            yield played(plan, number)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(played, [plan] * games, range(games), chunksize=1)


_GROUPS = {
    "Game": ("kind", "seats", "bots", "options", "modules", "ruleset"),
    "Series": ("games", "seed", "rotate", "spoken", "limit", "audit"),
}


@click.command("simulate", cls=Grouped, groups=_GROUPS)
@click.option("--kind", default="battalia", show_default=True, help="The game to play.")
@click.option(
    "--seats", type=click.IntRange(1), help="Number of seats. Default: one for each bot, or the fewest possible."
)
@click.option("--games", type=click.IntRange(1), default=100, show_default=True, help="Number of games.")
@click.option("--bots", "players", default="random", show_default=True, help="Bots by seat, such as greedy,random.")
@click.option("--options", "given", multiple=True, metavar="NAME=VALUE", help="Option of the game. Can be repeated.")
@click.option("--modules", default="", help="Modules, comma-separated.")
@click.option("--ruleset", default="", help="Ruleset. Default: the newest.")
@click.option("--seed", help="Seed (any text). The same seed gives the same games. Default: random, printed.")
@click.option("--rotate", is_flag=True, help="Rotate the bots through the seats from game to game.")
@click.option("--spoken", is_flag=True, help="Record the moves as commands of players, as if clients had sent them.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Commits after which a game is abandoned.",
)
@click.option("--audit", "audited", is_flag=True, help="Audit each game and check its state after every commit.")
@click.option(
    "--count",
    "counted",
    multiple=True,
    metavar="EVENT",
    help="Count events of this type. EVENT/FIELD: by field value. EVENT+EVENT: both in one commit. all: every type.",
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Games played in parallel.")
@click.option("--plot", type=NewFile(), help="Draw the results into this SVG file.")
@click.option(
    "--record",
    type=click.Path(file_okay=False, path_type=Path),
    help="Record the shortest game of each ending into this folder.",
)
@click.option(
    "--fit",
    type=NewFile(),
    help="Fit winning chances to these games and add them to this Python module.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line for each game instead of the report.")
def command(
    kind: str,
    seats: int | None,
    games: int,
    players: str,
    given: tuple[str, ...],
    modules: str,
    ruleset: str,
    seed: str | None,
    rotate: bool,
    spoken: bool,
    limit: int,
    audited: bool,
    counted: tuple[str, ...],
    jobs: int,
    plot: Path | None,
    record: Path | None,
    fit: Path | None,
    as_json: bool,
) -> None:
    """Play games between bots and report results.

    Runs in this process and needs no service. The same --seed gives the same games.

    Exit status: 0 if all games are valid; 1 if the rules failed, a game reached a dead end, or an audit diverged.

    Example: oraclewheel simulate --bots search:1,greedy --games 20 --rotate
    """
    game = GAMES.get(kind)
    if game is None:
        raise click.BadParameter(
            f"{kind!r} is not a game. Choose from {', '.join(GAMES) or 'none'}", param_hint="--kind"
        )
    names = _bots(game, players, seats)
    wanted = tuple(name for name in modules.split(",") if name)
    setup = Setup(len(names), ruleset or game.rules.rulesets[0], dict(map(option, given)), wanted)
    try:
        setup = game.rules.check(setup)
    except BadSetup as error:
        raise click.UsageError(str(error)) from error
    plan = SimulationPlan(
        kind, setup, names, seed or secrets.token_hex(8), rotate, spoken, limit, audited, counted, fit is not None
    )
    results: list[Result] = []
    shortest: dict[str, tuple[int, bytes]] = {}
    with click.progressbar(length=games, label="Playing", file=sys.stderr) as bar:
        for result, export in simulated(plan, games, min(jobs, os.cpu_count() or 1)):
            results.append(result)
            if result.winners and result.commits < shortest.get(result.reason, (limit + 1, b""))[0]:
                shortest[result.reason] = (result.commits, export)
            bar.update(1)
    title = f"{game.title}, {', '.join((setup.ruleset, *names, *setup.modules))}, seed {plan.seed}"
    if as_json:
        for result in results:
            click.echo(json.dumps(_document(result)))
    else:
        click.echo(
            f"{title}\noptions {json.dumps(dict(setup.options))}, modules {', '.join(setup.modules) or 'none'}\n"
        )
        click.echo(table(results))
    if record is not None:
        for path in write_recordings(record, plan, {reason: export for reason, (_, export) in shortest.items()}):
            click.echo(f"Recorded {path}", err=True)
    if plot is not None:
        from tools.simulation.plots import plot as draw

        with writing(plot):
            draw(results, title, plot)
        click.echo(f"Chart written to {plot}", err=True)
    if fit is not None:
        made = {"games": games, "bots": list(names), "seed": plan.seed, "modules": list(setup.modules)}
        _fit(game, fit, results, {"command": shlex.join(["oraclewheel", *sys.argv[1:]]), **made})
    if any(result.faults for result in results):
        sys.exit(1)


def _fit(game: AnyGame, file: Path, results: Sequence[Result], made: Mapping[str, Any]) -> None:
    new = fits((sample for result in results for sample in result.samples), made)
    if not new:
        raise click.UsageError(
            "Nothing was fitted: no game ended, or this kind of game has no features. Raise --games or --limit."
        )
    outlooks = expected((result.seen for result in results if result.seen is not None), made)
    with writing(file):
        write(file, game, new, outlooks)
    click.echo(f"Fit written to {file}", err=True)


def _bots(game: AnyGame, players: str, seats: int | None) -> tuple[str, ...]:
    named = tuple(name.strip() for name in players.split(","))
    if unknown := sorted(set(named) - set(bots.all_names(game))):
        raise click.BadParameter(
            f"{unknown[0]!r} is not a bot. Choose from {', '.join(bots.all_names(game))}", param_hint="--bots"
        )
    count = seats or (len(named) if len(named) > 1 else min(game.rules.seats))
    if len(named) not in (1, count):
        raise click.BadParameter(
            f"{len(named)} bots were given for {count} seats. Give one bot, or one for each seat", param_hint="--bots"
        )
    return named * count if len(named) == 1 else named


def option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--options")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _document(result: Result) -> dict[str, Any]:
    return {
        "number": result.number,
        "bots": result.bots,
        "reason": result.reason,
        "clause": result.clause,
        "winners": result.winners,
        "scores": {str(seat): score for seat, score in result.scores.items()},
        "commits": result.commits,
        "measures": dict(result.measures),
        "faults": result.faults,
        "counts": {name: result.counts[name] for name in sorted(result.counts)},
    }


def write_recordings(folder: Path, plan: SimulationPlan, exports: Mapping[str, bytes]) -> Sequence[Path]:
    """Write the exports as recordings, one for each ending; keeps existing files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for reason, export in sorted(exports.items()):
        modules = "".join(f"-{name}" for name in plan.setup.modules)
        digest = hashlib.sha256(export).hexdigest()[:6]
        path = folder / f"{plan.kind}{modules}-{len(plan.bots)}-{reason}-{digest}.ndjson"
        if not path.exists():
            path.write_bytes(export)
            written.append(path)
    return written
