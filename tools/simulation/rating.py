"""Strength of bots from the games between them: Bradley-Terry ratings with intervals, as a table and as a chart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.simulation.figures import Result, Z, percent, proportion, wins_by_bot

POINTS = 400 / math.log(10)
"""Elo points for one unit of log odds: 400 points are odds of ten to one."""
_CALM = 0.25
"""Regularization, so that a bot that won every game has a rating too: about half a game against each other bot."""
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Rating:
    """One bot: its points above the first bot of the ladder, and half of their 95 % interval (0 for that bot itself)."""

    bot: str
    points: float
    half: float
    won: int
    sat: int
    """In how many seats of finished games it won, and how many it had."""


def ratings(bots: Sequence[str], results: Iterable[Result]) -> list[Rating]:
    """The bots rated by these games, the best first.

    The chance of a seat to win is its bot's share of the strength of the whole table (Bradley and Terry 1952, for two
    seats; Luce 1959, for more); a shared win is divided between the winners. Games without a winner are ignored.
    """
    over = [result for result in results if result.winners]
    beta, spread = _fitted(bots, over)
    sat = wins_by_bot(over)
    found = [
        Rating(bot, POINTS * (beta[n] - beta[0]), POINTS * Z * spread[n], *sat.get(bot, (0, 0)))
        for n, bot in enumerate(bots)
    ]
    return sorted(found, key=lambda rating: -rating.points)


def _fitted(bots: Sequence[str], over: Sequence[Result]) -> tuple[Sequence[float], Sequence[float]]:
    """Each bot's log strength, and the standard deviation of its difference from the first bot's."""
    import numpy as np

    places = {bot: n for n, bot in enumerate(bots)}
    tables = np.zeros((len(over), len(bots)))
    won = np.zeros_like(tables)
    for game, result in enumerate(over):
        for seat, bot in enumerate(result.bots, 1):
            tables[game, places[bot]] += 1
            won[game, places[bot]] += (seat in result.winners) / len(result.winners)
    beta = np.zeros(len(bots))
    bend = np.eye(len(bots))
    for _ in range(_STEPS):
        strength = tables * np.exp(beta)
        likely = strength / strength.sum(axis=1, keepdims=True)
        bend = np.diag(likely.sum(axis=0)) - likely.T @ likely + _CALM * np.eye(len(bots))
        step = np.linalg.solve(bend, (won - likely).sum(axis=0) - _CALM * beta)
        beta = beta + step * min(1.0, 2.0 / max(1e-9, float(np.abs(step).max())))
    varied = np.linalg.inv(bend)
    spread = np.sqrt(np.maximum(0, np.diag(varied) + varied[0, 0] - 2 * varied[0]))
    return beta.tolist(), spread.tolist()


def duels(results: Iterable[Result]) -> Mapping[tuple[str, str], tuple[int, int]]:
    """For each pair of bots in games of only these two: games in which a seat of the first won, and number of games."""
    won: Counter[tuple[str, str]] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for result in results:
        if result.winners and len(pair := set(result.bots)) == 2:
            winners = {result.bots[seat - 1] for seat in result.winners}
            for one in pair:
                (other,) = pair - {one}
                met[one, other] += 1
                won[one, other] += one in winners
    return {pair: (won[pair], met[pair]) for pair in met}


def table(bots: Sequence[str], results: Sequence[Result]) -> str:
    """The ladder for a terminal: ratings, then the wins of each pair."""
    width = max(9, *map(len, bots))
    lines = [f"{'bot':{width}}  {'rating':>6}  95 %      wins, of its seats"]
    for each in ratings(bots, results):
        half = f"± {each.half:<5.0f}" if each.half else "fixed  "
        lines.append(f"{each.bot:{width}}  {each.points:>+6.0f}  {half}  {percent(each.won, each.sat)} of {each.sat}")
    lines += ["", "games won, of those that the two played:"]
    for (one, other), (won, met) in sorted(duels(results).items()):
        lines.append(f"{one:{width}}  against {other:{width}}  {percent(won, met)} of {met}")
    lines += [f"FAULT in game {result.number}: {fault}" for result in results for fault in result.faults]
    return "\n".join(lines)


def plot(bots: Sequence[str], results: Sequence[Result], title: str, file: Path) -> None:
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": title, "svg.fonttype": "none", "text.parse_math": False})
    figure = Figure(figsize=(11, 1.6 + 0.5 * len(bots)), layout="constrained")
    FigureCanvasSVG(figure)
    figure.suptitle(title)
    ladder, met = figure.subplots(1, 2)
    found = ratings(bots, results)[::-1]
    ladder.errorbar(
        [each.points for each in found], range(len(found)), xerr=[each.half for each in found], fmt="o", capsize=4
    )
    ladder.set(title="Ratings, with 95 % intervals", xlabel=f"points above {bots[0]}")
    ladder.set_yticks(range(len(found)), [each.bot for each in found])
    _squares(met, [each.bot for each in found], duels(results))
    figure.savefig(file, format="svg", metadata={"Date": None})


def _squares(axes: Any, bots: Sequence[str], met: Mapping[tuple[str, str], tuple[int, int]]) -> None:
    shares = [[proportion(*met[one, other])[0] if (one, other) in met else math.nan for other in bots] for one in bots]
    axes.imshow(shares, vmin=0, vmax=1, cmap="RdYlGn", origin="lower", alpha=0.6)
    for row, line in enumerate(shares):
        for column, share in enumerate(line):
            axes.text(column, row, "" if math.isnan(share) else f"{100 * share:.0f} %", ha="center", va="center")
    axes.set_xticks(range(len(bots)), bots, rotation=20, ha="right")
    axes.set_yticks(range(len(bots)), bots)
    axes.set(title="Games won by the row against the column")
